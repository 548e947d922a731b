"""The JSON of the task pgbench: a ladder of client counts with a script of the inspector's own."""

from collections.abc import Iterable, Sequence
from typing import Any

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.json_document import MAX_CHARACTERS, at, read_object, starts_json
from submissions.ingest.parsers.numbers import count, finite
from submissions.ingest.parsers.pgbench import pgbench

_PLACEMENTS = {
    "multi_vm": ClientPlacement.SEPARATE,
    "dbaas": ClientPlacement.SEPARATE,
    "single_vm": ClientPlacement.ON_DATABASE,
}
_OF_TEST = ("warmup_seconds", "settle_seconds", "durability", "topology", "schema_gib")
_MAX_RUNGS = 100
_MAX_SETTINGS = 100


class InspectorPgbench:
    """A trial for each number of clients: a load curve.

    The percentiles of the file are not read: they rest on a sample of the transactions, of some rungs on one or two.
    """

    name = "sparecores-pgbench"
    label = "Spare Cores inspector: pgbench"
    databases: tuple[str, ...] = pgbench.PARSER.databases
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return starts_json(head) and any('"pgbench_postgres"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        document = read_object(lines, "the inspector's pgbench")
        sizes = document.get("sizes")
        if not isinstance(sizes, list) or not sizes:
            raise ParseError("no sizes in the JSON of the inspector's pgbench: the run did not finish")
        if len(sizes) > 1:
            raise ParseError(f"{len(sizes)} sizes of the data in the file: only one can be read")
        rungs = at(sizes[0], "profile")
        if not isinstance(rungs, list) or not rungs:
            raise ParseError("no profile in the JSON of the inspector's pgbench: the run did not finish")
        if len(rungs) > _MAX_RUNGS:
            raise ParseError(f"more than {_MAX_RUNGS} rungs in the file")
        return LogReading(
            tool=pgbench.PARSER.name,
            facts=_facts(document, sizes[0]),
            trial_sets=tuple((_trial(rung),) for rung in rungs),
        )


def _trial(rung: Any) -> TrialReading:
    clients = count(at(rung, "concurrency"))
    if not clients:
        raise ParseError("a rung of the profile has no concurrency")
    operations, errors = count(at(rung, "tx_processed")), count(at(rung, "tx_failed"))
    seconds, mean_ms = finite(at(rung, "run_seconds")), finite(at(rung, "latency_avg_ms"))
    if operations is None or seconds is None or seconds <= 0:
        raise ParseError(f"the rung of {clients} clients has no tx_processed or run_seconds: the run did not finish")
    if operations == 0:
        failed = f"all {errors:,} transactions failed" if errors else "no transaction was processed"
        raise ParseError(f"the rung of {clients} clients: {failed}: there is no result to record")
    return TrialReading(
        throughput_ops_s=operations / seconds,
        operations=operations,
        errors=errors,
        duration_s=seconds,
        threads=clients,
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=Latency(mean=mean_ms),
    )


def _facts(document: dict[str, Any], size: Any) -> Facts:
    seconds = finite(document.get("run_seconds"))
    return Facts(
        service_version=_version(document),
        operations={_script(document, size): 1.0},
        client_placement=_PLACEMENTS.get(str(document.get("topology"))),
        requested_duration_s=seconds if seconds and seconds > 0 else None,
        settings=_settings(document) or None,
    )


def _script(document: dict[str, Any], size: Any) -> str:
    """ "own script pgbench-ro-cpu-v1", after the file of its tables and queries: none of pgbench's own scripts."""
    file = at(size, "dataset", "dataset") or document.get("workload")
    if not isinstance(file, str) or not file:
        raise ParseError("neither a dataset nor a workload in the JSON of the inspector's pgbench")
    return f"own script {file.split('.')[0][:80]}"


def _version(document: dict[str, Any]) -> str | None:
    """18.4 of "18.4 (Debian 18.4-1.pgdg13+1)"."""
    version = at(document, "postgres", "server_version")
    return version.split()[0][:50] if isinstance(version, str) and version.strip() else None


def _settings(document: dict[str, Any]) -> dict[str, str | int | float]:
    """How it was measured, and what the server was given (by pgtune); the file has all of the server's settings."""
    given = at(document, "postgres", "requested_gucs")
    pairs = [(name, document.get(name)) for name in _OF_TEST]
    pairs += list(given.items())[:_MAX_SETTINGS] if isinstance(given, dict) else []
    pairs += _of_database(at(document, "postgres", "role_settings"))
    return {
        name[:100]: value[:200] if isinstance(value, str) else value
        for name, value in pairs
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value == value
    }


def _of_database(roles: Any) -> list[tuple[str, str]]:
    """Settings of the database that was loaded: they win over those of the server."""
    configs = [role.get("config") for role in roles if isinstance(role, dict)] if isinstance(roles, list) else []
    words = [word for config in configs if isinstance(config, list) for word in config]
    pairs = [word.partition("=") for word in words[:_MAX_SETTINGS] if isinstance(word, str)]
    return [(name, value) for name, _, value in pairs if name and value]


PARSER = InspectorPgbench()
