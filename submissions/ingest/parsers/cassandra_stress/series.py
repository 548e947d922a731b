"""The rows of one run: the interval series, and what can be added up over it."""

from dataclasses import dataclass, field, replace

from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.cassandra_stress.table import TOTAL, Row

# Of a hostile file: a profile has some dozens of queries, with names of some characters.
_MAX_TYPES = 200
_MAX_NAME = 200


@dataclass(slots=True)
class Sums:
    """Of one operation type."""

    last: Row
    errors: int | None = None
    weighted_mean: float = 0.0  # sum of mean x operations
    weight: int = 0  # operations of the rows that have a mean
    max: float | None = None
    measured: int = 0  # rows with any operation
    only_latency: Latency = field(default_factory=Latency)  # of the first such row


@dataclass(slots=True)
class Series:
    """Rows as they come; `total` rows and, of mixed runs, a row for each type."""

    has_jmx: bool = True  # False once the tool printed that it has no JMX connection
    has_gc: bool = False  # whether any row counts a collection
    intervals: list[Interval] = field(default_factory=list)
    dropped: int = 0
    _sums: dict[str, Sums] = field(default_factory=dict)

    def add(self, row: Row, *, keep: bool = True) -> None:
        """Take the next row of its type; without `keep` it only adds to the sums."""
        sums = self._sums.get(row.operation)
        if sums is not None and (row.total, row.time) == (sums.last.total, sums.last.time):
            return  # printed again
        before = sums.last.total if sums else 0
        operations = row.total - before
        if sums is None:
            if len(self._sums) >= _MAX_TYPES or len(row.operation) > _MAX_NAME:
                return
            sums = self._sums[row.operation] = Sums(row)
        sums.last = row
        # No operation has no latency; the tool prints 0.0 there.
        latency = row.latency if operations > 0 else Latency()
        _accumulate(sums, operations, row.errors, latency)
        self.has_gc = self.has_gc or bool(row.gc_count)
        if keep:
            self.intervals.append(_interval(row, operations, latency))
        self.dropped += not keep

    def falls_at(self, row: Row) -> bool:
        """Whether it is a row of another run: earlier, and of fewer operations, than the last of its type."""
        sums = self._sums.get(row.operation)
        return sums is not None and row.time < sums.last.time and row.total < sums.last.total

    def known_sums(self, name: str) -> Sums | None:
        """The sums of an operation of which an interval was measured already."""
        sums = self._sums.get(name)
        return sums if sums is not None and sums.measured else None

    def known_intervals(self, *, is_whole_output: bool) -> tuple[Interval, ...]:
        """The intervals; without JMX the tool prints zeros for collections that it cannot see.

        It says so where it runs, not in a file that it writes: without `is_whole_output` zeros are
        believed only with a row that has some.
        """
        if self.has_jmx and (self.has_gc or is_whole_output):
            return tuple(self.intervals)
        return tuple(replace(interval, gc_count=None, gc_ms=None) for interval in self.intervals)

    @property
    def names(self) -> tuple[str, ...]:
        """The operation types that have rows of their own."""
        return tuple(name for name in self._sums if name != TOTAL)

    @property
    def last(self) -> Row | None:
        """The last row of all operations together."""
        sums = self._sums.get(TOTAL)
        return sums.last if sums else None

    def operations(self, name: str = TOTAL) -> int | None:
        """Operations so far, failed ones included."""
        sums = self._sums.get(name)
        return sums.last.total if sums else None

    def errors(self, name: str = TOTAL) -> int | None:
        sums = self._sums.get(name)
        return sums.errors if sums else None

    def latency(self, name: str = TOTAL) -> Latency:
        """Latency over the whole series, as far as rows can tell.

        The intervals are disjoint, so the mean weighted with their operations is the mean of the
        whole (to the rows' rounding) and the largest maximum its maximum. Percentiles cannot be
        put together from percentiles: they are known only when one interval holds all operations.
        """
        sums = self._sums.get(name)
        if sums is None:
            return Latency()
        if sums.measured == 1:
            return sums.only_latency
        mean = sums.weighted_mean / sums.weight if sums.weight else None
        return Latency(mean=mean, max=sums.max)


def _interval(row: Row, operations: int, latency: Latency) -> Interval:
    return Interval(
        row.operation,
        row.time,
        operations if operations >= 0 else None,
        row.errors,
        row.rate,
        latency,
        row.gc_count,
        row.gc_ms,
    )


def _accumulate(sums: Sums, operations: int, errors: int | None, latency: Latency) -> None:
    if errors is not None:
        sums.errors = (sums.errors or 0) + errors
    if operations <= 0:
        return
    sums.measured += 1
    if sums.measured == 1:
        sums.only_latency = latency
    if latency.mean is not None:
        sums.weighted_mean += latency.mean * operations
        sums.weight += operations
    if latency.max is not None:
        sums.max = max(latency.max, sums.max or 0.0)
