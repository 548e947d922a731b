"""What sysbench prints between its head and its summary: rows of --report-interval, buckets of --histogram."""

import re
from dataclasses import replace
from itertools import pairwise

from submissions.analysis.curves.histograms import HistogramError, Merger, percentiles
from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number

_ROW = re.compile(
    r"\[ {0,12}(?P<at>\d{1,12}(?:\.\d{1,6})?)s ?\] (?:thds|threads): (?P<threads>\d{1,9}),? tps: (?P<tps>[\d.]{1,30})"
)
_LATENCY = re.compile(
    r"lat \(ms, ?(?P<level>[\d.]{1,8})%\): {0,9}(?P<ms>[\d.]{1,30})"
    r"|response time: {0,9}(?P<old_ms>[\d.]{1,30})ms \((?P<old_level>[\d.]{1,8})%\)"
)
_ERRORS = re.compile(r"(?: err/s:?|, errors:) {0,9}(?P<errors>[\d.]{1,30})")
_MOST_CHARACTERS = 1_000  # of a row
_QUEUE = re.compile(r"\[ {0,12}\d{1,12}s \] queue length: ")
_BUCKET = re.compile(r" {0,12}(?P<ms>\d{1,9}\.\d{3}) \|\*{0,60} {1,60}(?P<count>\d{1,15})$")
_SHORTER = 0.6  # the second row of a run comes as long after the first as this after the start
_MOST_TPS = 1e10  # a counter of 0.5 that fell below zero prints 10^19
_MAX_ROWS = 1_000_000
_MAX_BUCKETS = 100_000
_NS_PER_MS = 1_000_000
_PERCENTILES = {50.0: "p50", 95.0: "p95", 99.0: "p99", 99.9: "p999"}


def is_row(line: str) -> bool:
    return _ROW.match(line) is not None


def is_bucket(line: str) -> bool:
    return _BUCKET.match(line.rstrip()) is not None


class Rows:
    """The rows of --report-interval; each has the rate since the row before."""

    def __init__(self) -> None:
        self._intervals: list[Interval] = []
        self._errors_s: list[float | None] = []
        self.threads: int | None = None

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def add(self, line: str) -> bool:
        """Read a line; False when it is no such row."""
        row = _ROW.match(line)
        tps = number(row["tps"]) if row else None
        if row is None or tps is None or tps > _MOST_TPS:
            return _QUEUE.match(line) is not None
        if len(self._intervals) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        self._add(row, tps, line[row.end() : _MOST_CHARACTERS])
        return True

    def falls_at(self, line: str) -> bool:
        """Whether this is a row of another run: its time is before that of the last row."""
        row = _ROW.match(line)
        return row is not None and bool(self._intervals) and float(row["at"]) < self._intervals[-1].elapsed_seconds

    def _add(self, row: re.Match[str], tps: float, rest: str) -> None:
        self.threads = self.threads or int(row["threads"]) or None
        latency, errors = _LATENCY.search(rest), _ERRORS.search(rest)
        level = number(latency["level"] or latency["old_level"]) if latency else None
        name = _PERCENTILES.get(level or 0.0)
        shown = {name: number(latency["ms"] or latency["old_ms"])} if name and latency else {}
        self._errors_s.append(number(errors["errors"]) if errors else None)
        self._intervals.append(
            Interval(
                operation="total",
                elapsed_seconds=float(row["at"]),
                operations=None,  # sysbench prints rates only
                errors=None,
                throughput_ops_s=tps,
                latency=Latency(**shown),
            )
        )

    def intervals(self, *, is_from_start: bool) -> tuple[Interval, ...]:
        """Errors are printed as a rate: of a row whose length is not known, their number is not either."""
        return tuple(
            row if length is None or errors_s is None else replace(row, errors=round(errors_s * length))
            for row, length, errors_s in zip(self._intervals, self._lengths(is_from_start), self._errors_s, strict=True)
        )

    def seconds(self, *, is_from_start: bool) -> float | None:
        lengths = [length for length in self._lengths(is_from_start) if length is not None]
        return sum(lengths) if lengths and len(lengths) == len(self._intervals) else None

    def errors(self, *, is_from_start: bool) -> int | None:
        errors = [row.errors for row in self.intervals(is_from_start=is_from_start) if row.errors is not None]
        return sum(errors) if errors and len(errors) == len(self._intervals) else None

    def throughput_ops_s(self, *, is_from_start: bool) -> float | None:
        """Over all rows, each weighted with its length."""
        if len(self._intervals) == 1:
            return self._intervals[0].throughput_ops_s or None
        done = seconds = 0.0
        for row, length in zip(self._intervals, self._lengths(is_from_start), strict=True):
            done += (row.throughput_ops_s or 0.0) * (length or 0.0)
            seconds += length or 0.0
        return done / seconds if done and seconds else None

    def latency(self) -> Latency:
        """Of a single row; those of several cannot be joined."""
        return self._intervals[0].latency if len(self._intervals) == 1 else Latency()

    def _lengths(self, is_from_start: bool) -> list[float | None]:
        """Of the first row, where earlier ones are not in the log, as of the second."""
        times = [row.elapsed_seconds for row in self._intervals]
        lengths: list[float | None] = [max(0.0, round(end - start, 6)) for start, end in pairwise(times)]
        if not times:
            return []
        second = lengths[0] if lengths else None
        first = times[0] if is_from_start or (second and second >= times[0] * _SHORTER) else second
        return [first, *lengths]


class Buckets:
    """The histogram of --histogram: 1,024 buckets over eight powers of ten, so each is 1.8 % wide."""

    def __init__(self) -> None:
        self._merger = Merger()
        self._count = 0

    def add(self, line: str) -> bool:
        """Read a line; False when it is no bucket."""
        bucket = _BUCKET.match(line.rstrip())
        if bucket is None:
            return False
        self._count += 1
        if self._count > _MAX_BUCKETS:
            raise ParseError(f"more than {_MAX_BUCKETS:,} buckets in the histogram")
        try:
            self._merger.record(round(float(bucket["ms"]) * _NS_PER_MS), int(bucket["count"]))
        except HistogramError as error:
            raise ParseError(f"the histogram cannot be read: {error}") from error
        return True

    @property
    def count(self) -> int:
        return self._merger.count

    def encoded(self) -> str | None:
        return self._merger.encoded() if self._merger.count else None

    def latency(self) -> Latency:
        """Its percentiles; mean and maximum are printed more exactly elsewhere."""
        encoded = self.encoded()
        if encoded is None:
            return Latency()
        values = percentiles(encoded)
        return Latency(
            p50=round(values.p50, 3), p95=round(values.p95, 3), p99=round(values.p99, 3), p999=round(values.p999, 3)
        )
