"""YCSB, the Java one: its summary, its command line and its status lines."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number
from submissions.ingest.parsers.ycsb import properties, ycsb_cpp
from submissions.ingest.parsers.ycsb.status import StatusSeries, is_status
from submissions.ingest.parsers.ycsb.summary import Summary

_CLIENT = re.compile(r"YCSB Client (\d\S{0,40})")
_COMMAND = "Command line:"
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
        return not ycsb_cpp.PARSER.matches(head) and any(
            line.startswith("[OVERALL],") or _CLIENT.match(line) or is_status(line) for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(line)
        return log.reading()


class _Log:
    """The file as far as it was read."""

    def __init__(self) -> None:
        self._summary = Summary()
        self._status = StatusSeries()
        self._tool_version: str | None = None
        self._command: str | None = None
        self._properties: dict[str, str] = {}
        self._has_property_file = False
        self._ended_by_time = False

    def read(self, line: str) -> None:
        if self._summary.add(line) or self._status.add(line):
            return
        if client := _CLIENT.match(line):
            self._tool_version = client[1]
        elif line.startswith(_COMMAND) and self._command is None:
            self._command = line.removeprefix(_COMMAND).strip()
            self._read_command(self._command.split())
        elif line.startswith("Maximum "):
            self._read_time_limit(line)

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

    def reading(self) -> LogReading:
        kind = self._latency_kind()
        trial = self._truncated_trial() if self._summary.run_s is None else self._trial(kind)
        return LogReading(
            tool="ycsb",
            facts=replace(self._facts(kind), databases=self._databases(), measured_at=self._status.started_at),
            trial_sets=((trial,),),
            warnings=tuple(self._warnings()),
        )

    def _trial(self, kind: LatencyKind) -> TrialReading:
        summary = self._summary
        errors, operations = summary.errors(), summary.operations()
        if not operations:
            if errors:
                raise ParseError(f"all {errors:,} operations failed: there is no result to record")
            raise ParseError("no operation in the YCSB summary")
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
            properties.attempts(self._summary.attempts()),
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
