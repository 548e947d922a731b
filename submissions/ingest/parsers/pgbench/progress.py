"""The rows that pgbench prints with -P while it runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number

_ROW = re.compile(
    r"progress: (?P<at>\d{1,12}\.\d{1,6}) s, (?P<tps>[\d.]{1,30}) tps, "
    r"lat (?P<mean>[\d.]{1,30}|-?nan) ms stddev (?P<stddev>[\d.]{1,30}|-?nan)"
    r"(?:, (?P<failed>\d{1,18}) failed)?"
    r"(?:, \d{1,18} retried, \d{1,18} retries)?"
    r"(?P<lag>, lag [\d.]{1,30} ms)?"
    r"(?:, (?P<skipped>\d{1,18}) skipped)?"
)
_MAX_ROWS = 1_000_000
_SHORTER = 0.6  # the second row of a run comes as long after the first as this after the start
_EPOCH_S = 10**8  # later than any run lasts: --progress-timestamp prints the time of day


def is_progress(line: str) -> bool:
    return _ROW.match(line) is not None


@dataclass(frozen=True, slots=True)
class _Row:
    at_s: float
    tps: float
    mean_ms: float | None
    failed: int | None
    skipped: int
    has_lag: bool


class Progress:
    """The rows read so far."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def add(self, line: str) -> bool:
        """Read a line; False when it is no progress row."""
        row = _ROW.match(line)
        tps = number(row["tps"]) if row else None
        if row is None or tps is None:
            return False
        if len(self._rows) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} progress rows")
        self._rows.append(
            _Row(
                at_s=float(row["at"]),
                tps=tps,
                mean_ms=number(row["mean"]),
                failed=int(row["failed"]) if row["failed"] else None,
                skipped=int(row["skipped"] or 0),
                has_lag=row["lag"] is not None,
            )
        )
        return True

    def __bool__(self) -> bool:
        return bool(self._rows)

    def falls_at(self, line: str) -> bool:
        """Whether this is a row of another run: its time is before that of the last row."""
        row = _ROW.match(line)
        return row is not None and bool(self._rows) and float(row["at"]) < self._rows[-1].at_s

    def intervals(self) -> tuple[Interval, ...]:
        """pgbench prints the rate of an interval, not its number of transactions."""
        return tuple(
            Interval(
                operation="total",
                elapsed_seconds=elapsed_s,
                operations=None,
                errors=row.failed,
                throughput_ops_s=row.tps,
                latency=Latency(mean=row.mean_ms),
            )
            for elapsed_s, row in self._elapsed()
        )

    def throughput_ops_s(self) -> float | None:
        """Over all rows, each weighted with its length."""
        if len(self._rows) == 1:
            return self._rows[0].tps or None
        start = before = self._first_begins_s()
        done = 0.0
        for elapsed_s, row in self._elapsed():
            done += row.tps * max(0.0, elapsed_s - before)
            before = elapsed_s
        return done / (before - start) if done and before > start else None

    def seconds(self, *, is_from_start: bool) -> float | None:
        """That the rows measured; of a single row of a log without its head nobody knows."""
        if not self._rows or (len(self._rows) == 1 and not is_from_start):
            return None
        return round(max(elapsed_s for elapsed_s, _ in self._elapsed()) - self._first_begins_s(), 6)

    def _first_begins_s(self) -> float:
        """0; where earlier rows are not in the log, as long before the first row as the next is behind it."""
        times = [elapsed_s for elapsed_s, _ in self._elapsed()][:2]
        if len(times) < 2:
            return 0.0
        first, length = times[0], times[1] - times[0]
        return first - length if 0 < length < first * _SHORTER else 0.0

    def errors(self) -> int | None:
        counts = [row.failed for row in self._rows if row.failed is not None]
        return sum(counts) if counts else None

    def skipped(self) -> int:
        return sum(row.skipped for row in self._rows)

    def has_lag(self) -> bool:
        return any(row.has_lag for row in self._rows)

    def started_at_s(self) -> float | None:
        """Seconds since 1970, when the rows have the time of day."""
        return self._start_s() or None

    def _elapsed(self) -> Iterator[tuple[float, _Row]]:
        start_s = self._start_s()
        for row in self._rows:
            yield round(row.at_s - start_s, 6), row

    def _start_s(self) -> float:
        """0, or with the time of day: one interval before the first row."""
        if not self._rows or self._rows[0].at_s < _EPOCH_S:
            return 0.0
        first = self._rows[0].at_s
        length_s = self._rows[1].at_s - first if len(self._rows) > 1 else 0.0
        return first - max(0.0, length_s)
