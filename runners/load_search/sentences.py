"""What a search found, in words."""

from collections.abc import Mapping
from typing import Any

from runners.load_search.search import End
from submissions.choices import Percentile
from submissions.formatting import numbers
from submissions.formatting.text import plural


def limit_words(slo: Mapping[str, Any]) -> str:
    """ "p99 ≤ 20 ms with at most 0.1 % errors", of the plan's limit as JSON."""
    errors = f"{numbers.significant(slo['max_error_share'] * 100)} %"
    return (
        f"{Percentile(slo['percentile']).label} ≤ {numbers.significant(slo['max_ms'])} ms with at most {errors} errors"
    )


def load_words(load: Mapping[str, Any]) -> str:
    """A plan's `load` as JSON: "highest rate that keeps p99 ≤ 20 ms ...", "500 ops/s, 16 threads"."""
    if load.get("slo"):
        return f"highest rate that keeps {limit_words(load['slo'])}"
    return ", ".join(
        plural(step["threads"], "thread") if isinstance(step, Mapping) else numbers.ops_s(step)
        for step in load["steps"]
    )


def finding(slo: Mapping[str, Any], search: Mapping[str, Any], steps: int) -> str:
    """`search` is the run's progress["load_search"]."""
    limit, low, high = limit_words(slo), search["low_ops_s"], search["high_ops_s"]
    end = End(search["end"]) if search["end"] else None
    if low is None:
        tried = f": {numbers.ops_s(high)} is too much" if high is not None else ""
        words = f"No rate kept {limit} in all its trials" if end else f"No rate has kept {limit} so far"
        return f"{words}{tried}."
    trials = plural(search["low_trials"], "trial")
    words = f"{numbers.ops_s(low)} kept {limit} in {f'all {trials}' if search['low_trials'] > 1 else trials}"
    if high is not None:
        words += f"; {numbers.ops_s(high)} is too much ({plural(search['high_trials'], 'trial')} up to there broke it)"
    before = {
        None: "So far, ",
        End.STEPS_ENDED: f"The search ended after all its {steps} steps: ",
        End.TIME_ENDED: f"The time of the run was over after {steps} steps: ",
    }.get(end, "Found: ")
    return f"{before}{words}. {_client(end)}".strip()


def _client(end: End | None) -> str:
    if end != End.CLIENT_BOUND:
        return ""
    return "A load client's processors were saturated there: the ceiling may be the client's, not the database's."


def few_operations(slo: Mapping[str, Any], fewest: int, trials: int) -> str:
    """Of so many trials that had fewer operations than the percentile needs."""
    percentile = Percentile(slo["percentile"]).label
    verb = "has" if trials == 1 else "have"
    return (
        f"{plural(trials, 'trial')} {verb} fewer than {fewest:,} operations: fewer than 100 of them are beyond the "
        f"{percentile}, so that chance decides more. A longer deadline allows longer steps."
    )
