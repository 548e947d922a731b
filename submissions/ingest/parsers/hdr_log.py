"""The HdrHistogram log of cassandra-stress (`-log hdrfile=`) and of pgbench's runs here: by operation and kind."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from submissions.analysis.curves.histograms import HistogramError, Merger
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Histogram, LogReading
from submissions.ingest.parsers.errors import ParseError

_VERSION = re.compile(r"#\[Histogram log format version (\d+\.\d+)\]")
_SAMPLING = re.compile(r"#\[Sampling: (0\.\d{1,12}|\d(?:\.\d{1,8})?e-0\d)\]")
_START = re.compile(r"#\[StartTime: (\d{1,10}(?:\.\d{1,9})?) ")
_ROW = re.compile(
    r"(?:Tag=(?P<tag>[^,]{1,100}),)?(?P<start>[\d.]+),(?P<length>[\d.]+),(?P<max>[\d.]+),"
    r"(?P<histogram>HIST\S+)"
)
# `-wt` is the time a request waited for its turn, the difference of the two others.
_KINDS = {"st": LatencyKind.SERVICE_TIME, "rt": LatencyKind.RESPONSE_TIME, "wt": None}
_TOTAL = "total"
_MAX_SUMS = 100
LINE_CHARACTERS = 700_000  # every counter of a histogram, packed as badly as possible


def interval_histogram(line: str) -> str | None:
    """The encoded histogram of a row, None for any other line."""
    row = _ROW.match(line)
    return row["histogram"] if row else None


def started_at(line: str) -> datetime | None:
    """The time in the header's line of it."""
    start = _START.match(line)
    return datetime.fromtimestamp(float(start[1]), UTC) if start else None


class HdrLog:
    name = "hdr-log"
    label = "HdrHistogram log of cassandra-stress (-log hdrfile=)"
    databases: tuple[str, ...] = ("cassandra", "scylladb")
    line_characters = LINE_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        is_of_nosqlbench = any(line.startswith("#logging ") for line in head)
        return not is_of_nosqlbench and any(_VERSION.match(line) or _ROW.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Histograms only: the throughput and the errors are in the log beside it."""
        merged = _Merged()
        measured_at = None
        warnings: list[str] = []
        for line in lines:
            if row := _ROW.match(line):
                merged.add(row)
            elif measured_at is None and (start := started_at(line)):
                measured_at = start
            elif not warnings and (sampling := _SAMPLING.match(line)):
                warnings.append(
                    f"the histogram has {float(sampling[1]) * 100:.3g} % of the operations, chosen at random"
                )
        return LogReading(
            tool=self.name,
            facts=Facts(measured_at=measured_at),
            histograms=merged.histograms(),
            warnings=(*warnings, *merged.warnings()),
        )


class _Merged:
    """The sums so far: one per operation and kind, and over all operations per kind."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, LatencyKind], Merger] = {}
        self._broken: HistogramError | None = None

    def add(self, row: re.Match[str]) -> None:
        if self._broken:  # the last row may be cut short, a row before it may not
            raise ParseError(f"a row that cannot be decoded: {self._broken}")
        operation, _, suffix = (row["tag"] or "").rpartition("-")
        if not operation or suffix not in _KINDS:
            raise ParseError(
                "a histogram without a tag of cassandra-stress (WRITE-st, WRITE-rt, WRITE-wt): "
                "its unit and its kind of latency are unknown"
            )
        kind = _KINDS[suffix]
        if kind is None:
            return
        try:
            for name in (operation.lower(), _TOTAL):
                self._sum(name, kind).add(row["histogram"])
        except HistogramError as error:
            self._broken = error

    def _sum(self, name: str, kind: LatencyKind) -> Merger:
        if len(self._sums) > _MAX_SUMS:
            raise ParseError(f"histograms of more than {_MAX_SUMS} operations and kinds")
        return self._sums.setdefault((name, kind), Merger())

    def warnings(self) -> tuple[str, ...]:
        return ("the last row of the histogram log is cut short",) if self._broken else ()

    def histograms(self) -> tuple[Histogram, ...]:
        """By kind, the total last; an operation that was never done is left out."""
        recorded = {key: sum_ for key, sum_ in self._sums.items() if sum_.count}
        if not recorded:
            raise ParseError("no recorded latency in the histogram log")
        order = sorted(recorded, key=lambda key: (key[1], key[0] == _TOTAL, key[0]))
        return tuple(
            Histogram(operation=name, kind=kind, encoded=recorded[name, kind].encoded()) for name, kind in order
        )


PARSER = HdrLog()
