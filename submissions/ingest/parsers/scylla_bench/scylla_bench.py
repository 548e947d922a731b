"""scylla-bench, 2016 to 1.3: its configuration, its rows and its results."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers import joined_runs
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.joined_runs import Run
from submissions.ingest.parsers.numbers import go_seconds, number, whole
from submissions.ingest.parsers.scylla_bench import configuration

_DURATION = r"\d[\d.hmsnuµ]{0,28}s"
_ROW = re.compile(
    rf"\s*(?P<time>{_DURATION})\s+(?P<rate>\d{{1,15}})\s+\d{{1,15}}\s+(?P<errors>\d{{1,15}})"
    rf"(?:(?P<latencies>(?:\s+{_DURATION}){{7}})|\s*$)"
)
_ROW_HEAD = re.compile(r"\s*time\s+(?:ops|operations)/s\s+rows/s\s+errors\b")
_LATENCIES = ("max", "p999", "p99", "p95", "p90", "p50", "mean")  # as the columns of a row come
_RESULT = re.compile(r"(Time \(avg\)|Total ops|Total errors|Operations/s):\s{0,20}(\S{1,40})\s*$")
_BLOCK = re.compile(r"(?P<kind>raw|c-o fixed)(?: (?P<operation>read|write))? latency ?:\s*$|(?P<only>Latency):\s*$")
_QUANTILE = re.compile(rf"\s+(max|99\.9th|99t?h|95th|90th|median|mean):\s{{0,20}}({_DURATION})\s*$")
# The results of cql-stress, in the layout of scylla-bench, say "99h".
_NAMES = {"max": "max", "99.9th": "p999", "99th": "p99", "99h": "p99", "95th": "p95", "median": "p50", "mean": "mean"}
_CRITICAL = "Following critical errors were caught during the run:"
_CONFIGURATION = "Configuration"
_RESULTS = "Results"
_RESULT_STARTS = ("Time (avg):", "raw latency", "c-o fixed latency")
_MAX_ROWS = 1_000_000

Block = dict[str, float]


class ScyllaBench:
    """An operation is a request, of as many rows as `-rows-per-request` says; failed ones are not among them.

    "raw" is service time. "c-o fixed" counts from when `-max-rate` had the request due: response time. Without a rate
    nothing is due, and only service time is meant.
    """

    name = "scylla-bench"
    label = "scylla-bench"
    databases: tuple[str, ...] = ("cassandra", "scylladb")

    def matches(self, head: Sequence[str]) -> bool:
        labels = {found[0] for line in head if (found := configuration.setting(line))}
        return {"Partition count", "Rows per request"} <= labels or any(
            _ROW_HEAD.match(line) or line.startswith(_RESULT_STARTS) or ((row := _ROW.match(line)) and row["latencies"])
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line)
        return joined_runs.reading(self.name, [each.run() for each in log.runs()])


@dataclass
class _Output:
    """Of one start of the tool."""

    command: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    blocks: dict[tuple[str, str], Block] = field(default_factory=dict)  # by kind and operation
    rows: list[tuple[float, float, int, tuple[float | None, ...]]] = field(default_factory=list)
    has_failed: bool = False

    @property
    def is_measured(self) -> bool:
        return bool(self.rows or self.results)

    def run(self) -> Run:
        facts = configuration.facts(self.settings, self.command)
        return Run(facts, self._trial(facts.threads), tuple(self._warnings()))

    def _trial(self, threads: int | None) -> TrialReading:
        seconds = go_seconds(self.results.get("Time (avg)", ""))
        operations = whole(self.results.get("Total ops"))
        if seconds is None or operations is None:
            return self._truncated_trial(threads)
        errors = whole(self.results.get("Total errors")) or 0  # the line is left out where there are none
        if not operations or not seconds:
            reason = f"all {errors:,} operations failed" if errors else "no operation was completed"
            raise ParseError(f"{reason}: there is no result to record")
        kind = self._kind()
        return TrialReading(
            throughput_ops_s=operations / seconds,
            operations=operations,
            errors=errors,
            duration_s=seconds,
            printed_ops_s=number(self.results.get("Operations/s")),
            threads=threads,
            latency_kind=kind,
            latency=self._latency(kind, ""),
            other_latencies=self._other_latencies(kind),
            by_operation=self._by_operation(kind),
            intervals=self._intervals(kind),
            failed=self.has_failed,
        )

    def _truncated_trial(self, threads: int | None) -> TrialReading:
        if not self.rows:
            raise ParseError('no row and no line "Total ops:": the run did not finish')
        done = [rate * seconds for seconds, (_, rate, _, _) in zip(self._lengths(), self.rows, strict=True)]
        total_s = self.rows[-1][0]
        if not sum(done) or total_s <= 0:
            raise ParseError("the run was stopped before it had measured an operation")
        return TrialReading(
            throughput_ops_s=sum(done) / total_s,
            errors=sum(errors for _, _, errors, _ in self.rows),
            duration_s=total_s,
            threads=threads,
            intervals=self._intervals(self._kind()),
            truncated=True,
        )

    def _kind(self) -> LatencyKind:
        if not configuration.is_schedule(self.settings, self.command):
            # of a tail without its head nothing says whether there was a rate
            return LatencyKind.SERVICE_TIME if self.settings or "raw" in self._kinds() else LatencyKind.UNKNOWN
        if "c-o fixed" in self._kinds():
            return LatencyKind.RESPONSE_TIME
        return LatencyKind.SERVICE_TIME if "raw" in self._kinds() else LatencyKind.UNKNOWN

    def _kinds(self) -> set[str]:
        return {kind for kind, _ in self.blocks}

    def _latency(self, kind: LatencyKind, operation: str) -> Latency:
        printed = {LatencyKind.SERVICE_TIME: "raw", LatencyKind.RESPONSE_TIME: "c-o fixed"}.get(kind, "")
        return Latency(**(self.blocks.get((printed, operation)) or self.blocks.get(("", operation)) or {}))

    def _other_latencies(self, kind: LatencyKind) -> tuple[tuple[LatencyKind, Latency], ...]:
        if kind != LatencyKind.RESPONSE_TIME or ("raw", "") not in self.blocks:
            return ()
        return ((LatencyKind.SERVICE_TIME, self._latency(LatencyKind.SERVICE_TIME, "")),)

    def _by_operation(self, kind: LatencyKind) -> tuple[OperationReading, ...]:
        """Of `-mode mixed`; how many there were of each is not printed."""
        names = sorted({name for _, name in self.blocks if name})
        return tuple(OperationReading(name=name, latency=self._latency(kind, name)) for name in names)

    def _intervals(self, kind: LatencyKind) -> tuple[Interval, ...]:
        """The rate is that of the row's second; with a rate limit the latencies may be of the other kind."""
        is_scheduled = configuration.shows_schedule(self.command)
        is_same_kind = kind == LatencyKind.SERVICE_TIME or (kind == LatencyKind.RESPONSE_TIME and is_scheduled)
        return tuple(
            Interval(
                operation="total",
                elapsed_seconds=elapsed_s,
                operations=None,
                errors=errors,
                throughput_ops_s=rate,
                latency=_latency_of_row(latencies) if is_same_kind else Latency(),
            )
            for elapsed_s, rate, errors, latencies in self.rows
        )

    def _lengths(self) -> list[float]:
        ends = [row[0] for row in self.rows]
        return [end - start for start, end in zip([0.0, *ends], ends, strict=False)]

    def _warnings(self) -> Iterable[str]:
        if (rows := whole(self.settings.get("Rows per request"))) and rows > 1:
            yield f"an operation is a request of {rows:,} rows: rows a second are that many times more"
        if self.blocks and not self.settings and self.command is None:
            yield (
                "the configuration is not in the log: state the concurrency (threads), the operations and the rate"
                " (-max-rate) if there was one"
            )


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self._outputs = [_Output()]
        self._block: Block | None = None
        self._rows = 0
        self._line = ""

    def read(self, line: str) -> None:
        if line == self._line:  # each line of a run has figures of its own: it was written down twice
            return
        self._line = line
        if command := configuration.command_in(line):
            self._begin().command = command
        elif line.strip() == _CONFIGURATION:
            self._begin(keeps_command=True)
        elif found := configuration.setting(line):
            self._current.settings.setdefault(*found)
        elif line.strip().rstrip(":") == _RESULTS:
            self._begin_results()
        elif result := _RESULT.match(line):
            self._read_result(result[1], result[2])
        elif block := _BLOCK.match(line):
            key = ("", "") if block["only"] else (block["kind"], block["operation"] or "")
            self._block = self._current.blocks.setdefault(key, {})
        elif self._block is not None and (quantile := _QUANTILE.match(line)):
            self._read_quantile(self._block, quantile)
        elif row := _ROW.match(line):
            self._read_row(row)
        elif line.startswith(_CRITICAL):
            self._current.has_failed = True

    @property
    def _current(self) -> _Output:
        return self._outputs[-1]

    def _begin(self, *, keeps_command: bool = False) -> _Output:
        """The configuration comes after the command; releases of 2016 print it after the rows."""
        if self._current.results or (self._current.is_measured and not keeps_command):
            if len(self._outputs) > joined_runs.MAX_RUNS:
                raise ParseError(f"more than {joined_runs.MAX_RUNS} runs in the file")
            self._outputs.append(_Output())
        self._block = None
        return self._current

    def _begin_results(self) -> None:
        if self._current.results:
            self._begin()

    def _read_result(self, name: str, value: str) -> None:
        if name in self._current.results:
            self._begin()
        self._current.results[name] = value

    @staticmethod
    def _read_quantile(block: Block, quantile: re.Match[str]) -> None:
        seconds = go_seconds(quantile[2])
        if quantile[1] in _NAMES and seconds:  # 0s is below what -hdr-latency-units can show
            block.setdefault(_NAMES[quantile[1]], round(seconds * 1000, 6))

    def _read_row(self, row: re.Match[str]) -> None:
        elapsed_s = go_seconds(row["time"])
        if elapsed_s is None:
            return
        if self._current.results or (self._current.rows and elapsed_s < self._current.rows[-1][0]):
            self._begin()
        self._rows += 1
        if self._rows > _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        latencies = tuple(go_seconds(word) for word in (row["latencies"] or "").split())
        self._current.rows.append((elapsed_s, float(row["rate"]), int(row["errors"]), latencies))

    def runs(self) -> list[_Output]:
        measured = [each for each in self._outputs if each.is_measured]
        if not measured:
            raise ParseError('no row and no line "Total ops:": the run did not finish')
        return measured


def _latency_of_row(latencies: Sequence[float | None]) -> Latency:
    values = dict(zip(_LATENCIES, latencies, strict=False))
    return Latency(**{name: round(value * 1000, 6) for name, value in values.items() if value and name != "p90"})


PARSER = ScyllaBench()
