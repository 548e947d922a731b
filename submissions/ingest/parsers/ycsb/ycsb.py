"""YCSB, the Java one: its summary, its command line and its status lines."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number
from submissions.ingest.parsers.runs import Run, RunReading, is_length_of, read_runs, reading_of
from submissions.ingest.parsers.ycsb import properties, ycsb_cpp
from submissions.ingest.parsers.ycsb.status import StatusSeries, is_plain_status, is_status
from submissions.ingest.parsers.ycsb.summary import Summary, is_metric

_CLIENT = re.compile(r"YCSB Client (\d\S{0,40})")
_COMMAND = "Command line:"
_LOOKS_LIKE_STATUS = re.compile(r"\d sec: \d{1,15} operations;")
_MOST_QUOTED = 100
_TIME_LIMIT = re.compile(r"Maximum execution time specified as: (\d{1,9}) secs")
_TIME_IS_OVER = "Maximum time elapsed. Requesting stop for the workload."
_FLAGS = {"-t": ("dotransactions", "true"), "-load": ("dotransactions", "false")}
# The bindings of one protocol, by the name of their class; that of JDBC is of any.
_BINDINGS: Mapping[str, tuple[str, ...]] = {
    "AerospikeClient": ("aerospike",),
    "AsyncMongoDbClient": ("mongodb",),
    "CassandraCQLClient": ("cassandra", "scylladb"),
    "Couchbase2Client": ("couchbase",),
    "CouchbaseClient": ("couchbase",),
    "DynamoDBClient": ("dynamodb",),
    "MemcachedClient": ("memcached",),
    "MongoDbClient": ("mongodb",),
    "PostgreNoSQLDBClient": ("postgresql",),
    "RedisClient": ("redis",),
    "ScyllaCQLClient": ("scylladb",),
}
_OPTIONS = {"-threads": "threadcount", "-target": "target", "-db": "db"}


class Ycsb:
    name = "ycsb"
    label = "YCSB"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        is_own = any(is_metric(line) or _CLIENT.match(line) or is_plain_status(line) for line in head)
        return is_own and not ycsb_cpp.PARSER.matches(head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Run))


class _Run(Run):
    """One run, as far as it was read."""

    def __init__(self) -> None:
        super().__init__()
        self._summary = Summary()
        self._status = StatusSeries()
        self._tool_version: str | None = None
        self._command: str | None = None
        self._properties: dict[str, str] = {}
        self._has_property_file = False
        self._ended_by_time = False
        self._first_metric = ""

    def read(self, line: str) -> bool:
        if self._begins_another(line):
            return False
        if self._summary.add(line):
            self._first_metric = self._first_metric or line.strip()[:_MOST_QUOTED]
            return True
        if self._status.add(line):
            return True
        if client := _CLIENT.match(line):
            self._tool_version = client[1]
        elif line.startswith(_COMMAND):
            self._command = line.removeprefix(_COMMAND).strip()
            self._read_command(self._command.split())
        elif line.startswith("Maximum "):
            self._read_time_limit(line)
        elif is_metric(line) or _LOOKS_LIKE_STATUS.search(line):
            self.not_read.add(line)
        return True

    def _begins_another(self, line: str) -> bool:
        """A head, a status line or a summary after this run's own."""
        if line.startswith(_COMMAND):
            return bool(self._command is not None or self._summary or self._status)
        if _CLIENT.match(line):
            return bool(self._tool_version is not None or self._summary or self._status)
        if self._status.falls_at(line) or (self._summary and is_status(line)):
            return True
        return self._summary.is_of_another_run(line)

    def takes(self, following: "_Run") -> bool:
        summary, rows = self._summary, following._status
        if self._status or following._summary or following._command is not None or not (summary and rows):
            return False
        if summary.run_s is None or not is_length_of(rows.elapsed_s, summary.run_s):
            return False
        self._status = rows
        return True

    def _read_time_limit(self, line: str) -> None:
        if limit := _TIME_LIMIT.match(line):
            self._properties.setdefault("maxexecutiontime", limit[1])
        elif line.startswith(_TIME_IS_OVER):
            self._ended_by_time = True

    def _read_command(self, words: list[str]) -> None:
        following = iter(words)
        for word in following:
            if word in _FLAGS:
                name, value = _FLAGS[word]
                self._properties[name] = value
            elif word in _OPTIONS:
                self._properties[_OPTIONS[word]] = next(following, "")
            elif word == "-p":
                name, _, value = next(following, "").partition("=")
                self._properties[name] = value
            elif word == "-P":
                self._has_property_file = True
                next(following, "")

    def readings(self) -> Sequence[RunReading]:
        self._summary.complete()
        kind = self._latency_kind()
        trial = self._truncated_trial() if self._summary.run_s is None else self._trial(kind)
        facts = replace(self._facts(kind), databases=self._databases(), measured_at=self._status.started_at)
        return [RunReading(facts, trial, tuple(self._warnings()))]

    def _trial(self, kind: LatencyKind) -> TrialReading:
        summary = self._summary
        errors, operations = summary.errors(), summary.operations()
        if not operations:
            if errors:
                raise ParseError(f"all {errors:,} operations failed: there is no result to record")
            raise ParseError(self._incomplete() if self._summary.missing() else "no operation in the YCSB summary")
        return TrialReading(
            throughput_ops_s=operations / summary.run_s if summary.run_s else None,
            operations=operations,
            errors=errors,
            not_found=summary.not_found(),
            duration_s=summary.run_s,
            printed_ops_s=None if summary.has_overflow() else summary.printed_ops_s,
            threads=self._threads(),
            latency_kind=kind,
            latency=summary.latency(),
            by_operation=summary.by_operation(),
            intervals=tuple(self._status.intervals(is_intended=summary.has_intended, run_s=summary.run_s)),
            ended_by_time=self._ended_by_time,
        )

    def _truncated_trial(self) -> TrialReading:
        """Of a killed run: what its status lines say."""
        status = self._status
        if not status and self._first_metric:
            raise ParseError(self._incomplete())
        if not status:
            raise ParseError("no [OVERALL] block and no status line: the run did not finish")
        operations = max(0, status.attempts - (status.errors or 0))
        if not operations or not status.elapsed_s:
            raise ParseError("the run was stopped before it had measured a second of operations")
        return TrialReading(
            throughput_ops_s=operations / status.elapsed_s,
            operations=operations,
            errors=status.errors,
            duration_s=status.elapsed_s,
            threads=self._threads(),
            intervals=tuple(status.intervals(is_intended=False, run_s=None)),
            truncated=True,
        )

    def _incomplete(self) -> str:
        return f'the YCSB summary, which begins with "{self._first_metric}", lacks {self._summary.missing()}'

    def _threads(self) -> int | None:
        return self._facts(LatencyKind.UNKNOWN).threads

    def _latency_kind(self) -> LatencyKind:
        """Which start the clock of [READ] has: the request's, or the schedule's.

        `measurement.interval=intended` prints the latter under the same name, so without the
        command line it is not known. Without a target there is no schedule.
        """
        if self._summary.has_intended or self._properties.get("measurement.interval") == "intended":
            if (number(self._properties.get("target")) or 0) > 0:
                return LatencyKind.RESPONSE_TIME
            is_known = self._command is not None and not self._has_property_file
            return LatencyKind.SERVICE_TIME if is_known else LatencyKind.UNKNOWN
        is_old = self._tool_version == "0.1"  # had no schedule yet
        return LatencyKind.SERVICE_TIME if self._command is not None or is_old else LatencyKind.UNKNOWN

    def _facts(self, kind: LatencyKind) -> Facts:
        return properties.facts(
            self._properties,
            properties.attempts(self._summary.attempts() or self._status.attempts_by_operation()),
            is_complete=not self._has_property_file,
            is_response_time=kind == LatencyKind.RESPONSE_TIME,
            tool_version=self._tool_version,
            command=self._command,
        )

    def _databases(self) -> tuple[str, ...] | None:
        return _BINDINGS.get(self._properties.get("db", "").rpartition(".")[2])

    def _warnings(self) -> Iterable[str]:
        yield from self._summary.warnings()
        if self._summary.run_s is not None and self._latency_kind() == LatencyKind.UNKNOWN:
            yield (
                "the log does not show the command line, so it is not known whether its latencies "
                "are service or response time"
            )
        if properties.has_secret(self._properties):
            yield properties.EXPOSED_WARNING


PARSER = Ycsb()
