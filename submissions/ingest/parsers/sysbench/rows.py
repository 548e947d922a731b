"""What sysbench prints between its head and its summary: rows of --report-interval, buckets of --histogram."""

import re

from submissions.analysis.curves.histograms import HistogramError, Merger, percentiles
from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number

_ROW = re.compile(
    r"\[ {0,12}(?P<at>\d{1,12}(?:\.\d{1,6})?)s ?\] (?:thds|threads): \d{1,9},? tps: (?P<tps>[\d.]{1,30})"
    r".{0,120}?(?:lat \(ms,(?P<level>[\d.]{1,8})%\): (?P<ms>[\d.]{1,30})"
    r"|response time: (?P<old_ms>[\d.]{1,30})ms \((?P<old_level>[\d.]{1,8})%\))?"
    r"(?: err/s:? (?P<errors>[\d.]{1,30}).{0,60})?$"
)
_QUEUE = re.compile(r"\[ {0,12}\d{1,12}s \] queue length: ")
_BUCKET = re.compile(r" {0,12}(?P<ms>\d{1,9}\.\d{3}) \|\*{0,60} {1,60}(?P<count>\d{1,15})$")
_MAX_ROWS = 1_000_000
_MAX_BUCKETS = 100_000
_NS_PER_MS = 1_000_000
_PERCENTILES = {50.0: "p50", 95.0: "p95", 99.0: "p99", 99.9: "p999"}


class Rows:
    """The rows of --report-interval; each has the rate since the row before."""

    def __init__(self) -> None:
        self._intervals: list[Interval] = []

    def add(self, line: str) -> bool:
        """Read a line; False when it is no such row."""
        row = _ROW.match(line.rstrip())
        tps = number(row["tps"]) if row else None
        if row is None or tps is None:
            return _QUEUE.match(line) is not None
        if len(self._intervals) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        self._intervals.append(self._interval(row, tps))
        return True

    def _interval(self, row: re.Match[str], tps: float) -> Interval:
        level = number(row["level"] or row["old_level"])
        name = _PERCENTILES.get(level or 0.0)
        at, errors_s = float(row["at"]), number(row["errors"])
        before = self._intervals[-1].elapsed_seconds if self._intervals else 0.0
        return Interval(
            operation="total",
            elapsed_seconds=at,
            operations=None,  # sysbench prints rates only
            errors=None if errors_s is None else round(errors_s * max(0.0, at - before)),
            throughput_ops_s=tps,
            latency=Latency(**{name: number(row["ms"] or row["old_ms"])}) if name else Latency(),
        )

    def intervals(self) -> tuple[Interval, ...]:
        return tuple(self._intervals)

    def seconds(self) -> float | None:
        return max((row.elapsed_seconds for row in self._intervals), default=None)

    def errors(self) -> int | None:
        known = [row.errors for row in self._intervals if row.errors is not None]
        return sum(known) if known and len(known) == len(self._intervals) else None

    def throughput_ops_s(self) -> float | None:
        """Over all rows, each weighted with its length."""
        done, before = 0.0, 0.0
        for row in self._intervals:
            done += (row.throughput_ops_s or 0.0) * max(0.0, row.elapsed_seconds - before)
            before = max(before, row.elapsed_seconds)
        return done / before if done and before else None


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
