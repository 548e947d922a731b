"""What a load tool limited the rate to: each client's log has its own limit, the document that of all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from submissions.ingest.document.load import RateLimits, limits_in
from submissions.ingest.document.readings import Facts

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
