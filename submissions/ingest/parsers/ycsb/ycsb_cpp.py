"""YCSB-cpp: its status lines, which count from the start of their phase, and the three lines of its result."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import ms_of_us, number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of
from submissions.ingest.parsers.ycsb import properties

_STATUS = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?P<seconds>\d{1,9}) sec: (?P<operations>\d{1,15}) operations;"
)
# Nanoseconds by 1000 (measurements.cc), so microseconds. A build without HdrHistogram has no percentiles.
_BLOCK = re.compile(
    r"\[(?P<name>[A-Z]{1,20})(?P<failed>-FAILED)?: Count=(?P<count>\d{1,15}) Max=(?P<max>[\d.]{1,20}) Min=[\d.]{1,25}"
    r" Avg=(?P<mean>[\d.]{1,20})(?: 90=[\d.]{1,20} 99=(?P<p99>[\d.]{1,20}) 99\.9=(?P<p999>[\d.]{1,20})"
    r" 99\.99=[\d.]{1,20})?\]"
)
_RESULT = re.compile(
    r"(?P<phase>Load|Run) (?P<name>runtime\(sec\)|operations\(ops\)|throughput\(ops/sec\)): (?P<value>\S{1,30})\s*$"
)
_STARTS = tuple(f"{phase} {name}" for phase in ("Load", "Run") for name in ("runtime(", "operations(", "throughput("))
_COMMAND = re.compile(r"(?:^|[\s/$])ycsbc?\s+(?P<options>-.{1,4000})$")
_SECONDS, _OPERATIONS, _RATE = "runtime(sec)", "operations(ops)", "throughput(ops/sec)"
_EMBEDDED = ("leveldb", "lmdb", "rocksdb", "sqlite", "wiredtiger")
_NAMES = {"READMODIFYWRITE": properties.READ_MODIFY_WRITE}
_MAX_ROWS = 1_000_000


def is_of_cpp(line: str) -> bool:
    return _RESULT.match(line) is not None or (_STATUS.match(line) is not None and _BLOCK.search(line) is not None)


class YcsbCpp:
    """`-load -run` prints two results. Latency is service time: the clock starts after the wait for `limit.ops`."""

    name = "ycsb-cpp"
    label = "YCSB-cpp"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(is_of_cpp(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        commands: list[str] = []  # one comes once, before both of its phases
        return reading_of(self.name, read_runs(lines, lambda: _Phase(commands)))


@dataclass(frozen=True, slots=True)
class _Status:
    elapsed_s: float
    done: int
    counts: dict[str, int]
    errors: dict[str, int]
    latencies: dict[str, Latency]


class _Phase(Run):
    """Of one start of the tool: its load or its run."""

    def __init__(self, commands: list[str]) -> None:
        super().__init__()
        self._commands = commands
        self._command = commands[-1] if commands else None
        self._results: dict[str, str] = {}
        self._phase: str | None = None
        self._statuses: list[_Status] = []
        self._started_at: datetime | None = None

    def read(self, line: str) -> bool:
        if command := _COMMAND.search(line[:5000]):
            if self._statuses or self._results:
                return False
            self._command = f"ycsb {command['options'].strip()}"
            self._commands.append(self._command)
        elif result := _RESULT.match(line):
            if self._phase not in (None, result["phase"]) or result["name"] in self._results:
                return False
            self._phase = result["phase"]
            self._results[result["name"]] = result["value"]
        elif status := _STATUS.match(line):
            return self._read_status(status, line)
        elif line.startswith(_STARTS):
            self.not_read.add(line)
        return True

    def _read_status(self, status: re.Match[str], line: str) -> bool:
        elapsed_s = float(status["seconds"])
        if self._results or (self._statuses and elapsed_s < self._statuses[-1].elapsed_s):
            return False
        if len(self._statuses) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} status lines")
        if not self._statuses:
            self._started_at = _started_at(status["time"], elapsed_s)
        blocks = [(_slug(block["name"]), block) for block in _BLOCK.finditer(line)]
        self._statuses.append(
            _Status(
                elapsed_s=elapsed_s,
                done=int(status["operations"]),
                counts={name: int(block["count"]) for name, block in blocks if not block["failed"]},
                errors={name: int(block["count"]) for name, block in blocks if block["failed"]},
                latencies={name: _latency(block) for name, block in blocks if not block["failed"]},
            )
        )
        return True

    def readings(self) -> Sequence[RunReading]:
        if not self._results and not self._statuses:
            raise ParseError('no line "Run throughput(ops/sec):" and no status line: the run did not finish')
        trial = self._trial()
        facts = self._facts()
        return [RunReading(facts, replace(trial, threads=facts.threads), tuple(self._warnings(facts)))]

    def _trial(self) -> TrialReading:
        seconds, done = number(self._results.get(_SECONDS)), whole(self._results.get(_OPERATIONS))
        is_truncated = not seconds or done is None
        last = self._last
        if is_truncated:
            seconds, done = last.elapsed_s if last else None, last.done if last else None
        errors = sum(last.errors.values()) if last else None
        operations = (done or 0) - (errors or 0)
        if operations <= 0 or not seconds:
            raise ParseError(f"all {errors:,} operations failed" if errors else "no second of operations was measured")
        return TrialReading(
            throughput_ops_s=operations / seconds,
            operations=operations,
            errors=errors,
            duration_s=seconds,
            printed_ops_s=number(self._results.get(_RATE)),
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=_joined(last) if last and not self._composite else Latency(),
            by_operation=_by_operation(last) if last else (),
            intervals=tuple(self._intervals(seconds)),
            truncated=is_truncated,
        )

    @property
    def _last(self) -> _Status | None:
        return self._statuses[-1] if self._statuses else None

    @property
    def _composite(self) -> int:
        """Read-modify-writes: they are only measured as the read and the update that they consist of."""
        done = whole(self._results.get(_OPERATIONS))
        return max(0, self._last.done - done) if self._last and done else 0

    def _intervals(self, seconds: float) -> Iterable[Interval]:
        """The differences between the lines, whose latencies are of all time since the start."""
        before = 0
        for status in [] if self._composite else self._statuses:
            if status.done > before:
                is_last = status is self._last and status.elapsed_s <= seconds < status.elapsed_s + 1
                yield Interval("total", seconds if is_last else status.elapsed_s, status.done - before, None, None)
            before = status.done

    def _facts(self) -> Facts:
        given, has_file = _properties(self._command)
        if self._phase == "Load":
            given = {**given, "dotransactions": "false", "target": ""}
        db = given.get("dbname", "")
        is_embedded = db in _EMBEDDED
        return replace(
            properties.facts(given, self._attempts(), is_complete=not has_file, command=self._command),
            service=db if is_embedded else None,
            databases=("redis",) if db == "redis" else None,
            client_placement=ClientPlacement.ON_DATABASE if is_embedded else None,
            has_unknown_limit=True if given.get("limit.file") and self._phase != "Load" else None,
            measured_at=self._started_at,
        )

    def _attempts(self) -> dict[str, int]:
        """Of each type; with read-modify-writes without the reads and updates that these consist of."""
        last, composite = self._last, self._composite
        if not last:
            return {}
        counts = {name: last.counts.get(name, 0) + last.errors.get(name, 0) for name in (*last.counts, *last.errors)}
        return properties.attempts({**counts, properties.READ_MODIFY_WRITE: composite} if composite else counts)

    def _warnings(self, facts: Facts) -> Iterable[str]:
        if facts.service:
            yield f"{facts.service} runs in the process of the load tool: there is no server and no network"
        if self._started_at:
            yield "the log's times have no time zone: they are read as UTC"
        if facts.threads is None:
            yield "the number of threads is not in the log: state it"
        if not self._statuses:
            yield "latencies and errors are only in the status lines, which -s prints"


def _joined(status: _Status) -> Latency:
    """Of one type its own; of several only what can be joined exactly."""
    done = [(status.latencies[name], count) for name, count in status.counts.items() if count]
    if len(done) == 1:
        return done[0][0]
    if not done:
        return Latency()
    total = sum(count for _, count in done)
    return Latency(
        mean=round(sum((latency.mean or 0.0) * count for latency, count in done) / total, 6),
        max=max(latency.max or 0.0 for latency, _ in done),
    )


def _by_operation(status: _Status) -> tuple[OperationReading, ...]:
    return tuple(
        OperationReading(
            name=name,
            operations=status.counts.get(name, 0),
            errors=status.errors.get(name, 0),
            latency=status.latencies.get(name, Latency()),
        )
        for name in sorted({*status.counts, *status.errors})
    )


def _latency(block: re.Match[str]) -> Latency:
    if block["count"] == "0":
        return Latency()
    return Latency(**{name: ms_of_us(number(block[name])) for name in ("mean", "p99", "p999", "max")})


def _slug(name: str) -> str:
    return _NAMES.get(name, name.lower())


def _started_at(text: str, elapsed_s: float) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC) - timedelta(seconds=elapsed_s)
    except (ValueError, OverflowError):
        return None


def _properties(command: str | None) -> tuple[dict[str, str], bool]:
    """Those in the command line, and whether it names a file with more of them."""
    try:
        words = shlex.split(command or "")
    except ValueError:  # a quotation that does not end
        words = (command or "").split()
    given: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == "-p":
            name, _, value = following.partition("=")
            given[name] = value
        elif word in ("-db", "-threads"):
            given["dbname" if word == "-db" else "threadcount"] = following
    if "limit.file" not in given:  # else it is only the rate to begin with
        given.setdefault("target", given.get("limit.ops", ""))
    return given, "-P" in words


PARSER = YcsbCpp()
