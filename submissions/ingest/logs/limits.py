"""What a load tool limited the rate to: each client's log has its own limit, the document that of all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from submissions.choices import LatencyKind
from submissions.ingest.document.load import RateLimits, limits_in
from submissions.ingest.document.readings import Facts, TrialReading

LIMIT_NOT_STATED = (
    "The load tool limited its rate, but the log does not say to what: state the fixed rate or the command line. "
    "Without it the result is not ranked by throughput or value."
)


def with_limits(metadata: Mapping[str, Any], facts: Facts, *, tool: str, clients: Sequence[int]) -> Facts:
    """The facts with the limit of all clients of a trial together; `clients` has their number for each trial.

    A limit of the log is taken for a fixed rate where the uploader says so: some tools print no difference.
    """
    workload = metadata.get("workload")
    stated = workload if isinstance(workload, Mapping) else {}
    limits = _limits(facts, stated, tool)
    if len(set(clients)) > 1:  # trials of different rates: no rate is that of all
        has_unknown_limit = facts.has_unknown_limit or limits.ops_s is not None
        return replace(facts, throttle_ops_s=None, fixed_rate_ops_s=None, has_unknown_limit=has_unknown_limit)
    limits = limits.times(clients[0])
    return replace(
        facts,
        throttle_ops_s=limits.throttle_ops_s,
        fixed_rate_ops_s=limits.fixed_rate_ops_s,
        has_unknown_limit=facts.has_unknown_limit and limits.ops_s is None and not _states_limit(stated),
    )


def with_kind(
    metadata: Mapping[str, Any], readings: Sequence[Sequence[TrialReading]], *, tool: str
) -> list[list[TrialReading]]:
    """With the kind of latency that a stated limit implies, where the log of cassandra-stress does not tell it.

    It measures from when a request was due with `fixed=`, from when it was sent with `throttle=`.
    """
    kind = _implied_kind(metadata, tool)
    if kind is None:
        return [list(clients) for clients in readings]
    return [
        [
            replace(client, latency_kind=kind) if client.latency_kind == LatencyKind.UNKNOWN else client
            for client in clients
        ]
        for clients in readings
    ]


def _implied_kind(metadata: Mapping[str, Any], tool: str) -> LatencyKind | None:
    stated = metadata.get("workload")
    if tool not in ("cassandra-stress", "cql-stress") or not isinstance(stated, Mapping):
        return None
    command = stated.get("command")
    limits = limits_in(tool, command) if isinstance(command, str) else RateLimits()
    if limits.fixed_rate_ops_s or stated.get("fixed_rate_ops_s") is not None:
        return LatencyKind.RESPONSE_TIME
    is_throttle = limits.throttle_ops_s or stated.get("throttle_ops_s") is not None
    return LatencyKind.SERVICE_TIME if is_throttle else None


def _limits(facts: Facts, stated: Mapping[str, Any], tool: str) -> RateLimits:
    """Of one client."""
    command = stated.get("command") or facts.command
    of_command = limits_in(tool, command) if isinstance(command, str) else RateLimits()
    of_log = RateLimits(facts.throttle_ops_s, facts.fixed_rate_ops_s)
    if of_log.ops_s is None:
        return RateLimits() if _states_limit(stated) else of_command
    is_fixed = stated.get("fixed_rate_ops_s") is not None or of_command.fixed_rate_ops_s is not None
    return RateLimits(None, of_log.ops_s) if is_fixed else of_log


def _states_limit(stated: Mapping[str, Any]) -> bool:
    return any(stated.get(name) is not None for name in ("fixed_rate_ops_s", "throttle_ops_s"))
