"""scylla-bench, 2016 to 1.3: its configuration, its rows and its results."""

import re
from collections.abc import Iterable, Sequence

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import go_seconds, number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of
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
_QUANTILE_START = re.compile(r"\s+(?:max|99\.9th|99t?h|95th|median|mean):")
_NAMES = {"max": "max", "99.9th": "p999", "99th": "p99", "99h": "p99", "95th": "p95", "median": "p50", "mean": "mean"}
_CRITICAL = "Following critical errors were caught during the run:"
_CONFIGURATION = "Configuration"
_RESULTS = "Results"
_RESULT_STARTS = ("Time (avg):", "Total ops:", "Total errors:", "raw latency", "c-o fixed latency")
_STARTS = ("Time (avg):", "raw latency", "c-o fixed latency", "Clustering row", "Rows per request:", "Partition count:")
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
        return any(
            _ROW_HEAD.match(line) or line.startswith(_STARTS) or ((row := _ROW.match(line)) and row["latencies"])
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Output))


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self.command: str | None = None
        self.settings: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.blocks: dict[tuple[str, str], Block] = {}  # by kind and operation
        self.rows: list[tuple[float, float, int, tuple[float | None, ...]]] = []
        self.has_failed = False
        self._block: Block | None = None

    def read(self, line: str) -> bool:
        if command := configuration.command_in(line):
            if self.rows or self.results:
                return False
            self.command = command
        elif line.strip() == _CONFIGURATION:
            return not self.results and not (self.rows and self.settings)  # releases of 2016 print it after the rows
        elif found := configuration.setting(line):
            self.settings.setdefault(*found)
        elif line.strip().rstrip(":") == _RESULTS:
            return not self.results
        elif result := _RESULT.match(line):
            if result[1] in self.results:
                return False
            self.results[result[1]] = result[2]
        elif row := _ROW.match(line):
            return self._read_row(row)
        else:
            self._read_end(line)
        return True

    def _read_row(self, row: re.Match[str]) -> bool:
        elapsed_s = go_seconds(row["time"])
        if elapsed_s is None:
            return True
        if self.results or (self.rows and elapsed_s < self.rows[-1][0]):
            return False
        if len(self.rows) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        latencies = tuple(go_seconds(word) for word in (row["latencies"] or "").split())
        self.rows.append((elapsed_s, float(row["rate"]), int(row["errors"]), latencies))
        return True

    def _read_end(self, line: str) -> None:
        if block := _BLOCK.match(line):
            key = ("", "") if block["only"] else (block["kind"], block["operation"] or "")
            self._block = self.blocks.setdefault(key, {})
        elif self._block is not None and (quantile := _QUANTILE.match(line)):
            seconds = go_seconds(quantile[2])
            if quantile[1] in _NAMES and seconds:  # 0s is below what -hdr-latency-units can show
                self._block.setdefault(_NAMES[quantile[1]], round(seconds * 1000, 6))
        elif line.startswith(_CRITICAL):
            self.has_failed = True
        elif line.startswith(_RESULT_STARTS) or (self._block is not None and _QUANTILE_START.match(line)):
            self.not_read.add(line)

    def readings(self) -> Sequence[RunReading]:
        facts = configuration.facts(self.settings, self.command)
        return [RunReading(facts, self._trial(facts.threads), tuple(self._warnings()))]

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


def _latency_of_row(latencies: Sequence[float | None]) -> Latency:
    values = dict(zip(_LATENCIES, latencies, strict=False))
    return Latency(**{name: round(value * 1000, 6) for name, value in values.items() if value and name != "p90"})


PARSER = ScyllaBench()
