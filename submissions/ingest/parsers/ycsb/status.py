"""The status lines that YCSB prints with `-s` while it runs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import ms_of_us, number
from submissions.ingest.parsers.ycsb.names import operation_of, strip_intended

# The time that it prints has a colon before its milliseconds; versions before 0.2 print none.
_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} "
_STATUS = re.compile(
    rf"(?:\s?|.{{0,20000}}?(?P<time>{_TIME}))(?P<seconds>\d{{1,9}}) sec: (?P<operations>\d{{1,15}}) operations;"
    r"(?! \[[A-Z-]{1,60}: Count=\d{1,15} )"  # of YCSB-cpp, whose counts are cumulative
    r"(?: (?P<rate>[^ ;]{1,40}) current ops/sec;)?"
)
# HdrHistogram gives counts and percentiles, the plain histogram of old versions only the mean.
_BLOCK = re.compile(
    r"\[(?P<name>[A-Za-z_-]{1,60})(?:"
    r": Count=(?P<count>\d{1,15}), Max=(?P<max>\d{1,15}), Min=\d{1,20}, Avg=(?P<mean>[^ ]{1,30}), "
    r"90=[^ ]{1,30}, 99=(?P<p99>[^ ]{1,30}), 99\.9=(?P<p999>[^ ]{1,30}), 99\.99=[^ \]]{1,30}"
    r"| AverageLatency\(us\)=(?P<old_mean>[\d.,]{1,30})"
    r")\]"
)
_SAME_COUNT = 0.1
_MAX_ROWS = 1_000_000


class _Block(NamedTuple):
    """The groups of _BLOCK; empty where the line does not have them."""

    name: str
    counted: str
    max: str
    mean: str
    p99: str
    p999: str
    old_mean: str


def is_status(line: str) -> bool:
    return _STATUS.match(line) is not None


def is_plain_status(line: str) -> bool:
    """Without anything before its time."""
    status = _STATUS.match(line)
    return status is not None and (status["time"] is None or status.start("time") == 0)


class StatusSeries:
    """The intervals read so far; YCSB's own count is cumulative."""

    def __init__(self) -> None:
        self.attempts = 0  # since the start
        self.errors: int | None = 0  # since the start; old versions do not count them
        self.elapsed_s = 0.0
        self.started_at: datetime | None = None  # by the clients' clock, whose zone is not printed: taken for UTC
        self._rows: list[tuple[int, bool, Interval]] = []  # line, against the schedule?, interval
        self._lines = 0
        self._is_cut = False  # earlier lines are not in the log: their errors are not known

    def __bool__(self) -> bool:
        return self._lines > 0

    def falls_at(self, line: str) -> bool:
        """Whether it is a status line of another run: less time or fewer operations than in the line before."""
        status = _STATUS.match(line) if self._lines else None
        return status is not None and (
            int(status["seconds"]) < self.elapsed_s or int(status["operations"]) < self.attempts
        )

    def add(self, line: str) -> bool:
        """Read a line; False when it is no status line."""
        status = _STATUS.match(line)
        if not status:
            return False
        if len(self._rows) > _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} status rows")
        self._lines += 1
        self.elapsed_s = float(status["seconds"])
        if self._lines == 1:
            self.started_at = _started_at(status["time"] or "", self.elapsed_s)
        blocks = list(map(_Block._make, _BLOCK.findall(line)))
        failed = _failed(blocks)
        has_counts = all(block.counted for block in blocks)
        counted = sum(int(block.counted or 0) for block in blocks)
        if self._lines == 1 and blocks and has_counts:
            self._is_cut = int(status["operations"]) * (1 - _SAME_COUNT) > counted + 1
        self._add_total(status, sum(failed.values()) if blocks and has_counts else None)
        for block in blocks:
            self._add_block(block, failed)
        return True

    def intervals(self, *, is_intended: bool, run_s: float | None) -> Iterator[Interval]:
        """Of one kind of latency; the last ends with the run, whose end the status rounds down."""
        end_s = self.elapsed_s
        if run_s is not None and 0 <= run_s - self.elapsed_s < 1:
            end_s = run_s
        for line, row_is_intended, row in self._rows:
            if row.operation == "total" or row_is_intended == is_intended:
                yield replace(row, elapsed_seconds=end_s) if line == self._lines else row

    def attempts_by_operation(self) -> dict[str, int]:
        """As far as they are counted."""
        counts: dict[str, int] = {}
        for _, is_intended, row in self._rows:
            if row.operation != "total" and not is_intended and row.operations:
                counts[row.operation] = counts.get(row.operation, 0) + row.operations
        return counts

    def _add_total(self, status: re.Match[str], errors: int | None) -> None:
        done = int(status["operations"])
        row = Interval(
            operation="total",
            elapsed_seconds=self.elapsed_s,
            operations=None if self._is_cut and self._lines == 1 else max(0, done - self.attempts),
            errors=errors,
            throughput_ops_s=number(status["rate"]),
        )
        self._rows.append((self._lines, False, row))
        self.attempts = done
        if self.errors is not None:
            self.errors = None if errors is None or self._is_cut else self.errors + errors

    def _add_block(self, block: _Block, failed: dict[str, int]) -> None:
        name, is_intended = strip_intended(block.name)
        if operation_of(name) != name:
            return  # CLEANUP, or failures, which are counted with their operation
        count, errors = block.counted, failed.get(name, 0)
        row = Interval(
            operation=name.lower(),
            elapsed_seconds=self.elapsed_s,
            operations=int(count) + errors if count else None,
            errors=errors if count else None,
            throughput_ops_s=None,
            latency=_latency(block),
        )
        self._rows.append((self._lines, is_intended, row))


def _started_at(time: str, elapsed_s: float) -> datetime | None:
    """By the time in front of a status line, which versions before 0.2 do not print."""
    try:
        printed = datetime.strptime(time[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        return printed - timedelta(seconds=elapsed_s)
    except (ValueError, OverflowError):
        return None


def _failed(blocks: list[_Block]) -> dict[str, int]:
    """Failed operations by type; the same are measured once more against the schedule."""
    failed: dict[str, int] = {}
    for block in blocks:
        name, is_intended = strip_intended(block.name)
        operation = operation_of(name)
        if operation and operation != name and not is_intended:
            failed[operation] = failed.get(operation, 0) + int(block.counted or 0)
    return failed


def _latency(block: _Block) -> Latency:
    if block.counted == "0":
        return Latency()
    return Latency(
        mean=ms_of_us(number(block.mean or block.old_mean)),
        p99=ms_of_us(number(block.p99)),
        p999=ms_of_us(number(block.p999)),
        max=ms_of_us(number(block.max)),
    )
