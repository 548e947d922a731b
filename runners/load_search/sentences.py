"""What a search found, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from runners.load_search.search import End
from submissions.choices import Percentile
from submissions.formatting import numbers
from submissions.formatting.text import plural

FAR_BELOW = 1 / 3  # of the peak: a limit that breaks down there says little of the system
NOT_JUDGED = "not judged: unthrottled"


def limit_words(slo: Mapping[str, Any]) -> str:
    """ "p99 ≤ 20 ms with at most 0.1 % errors", of the plan's limit as JSON."""
    errors = f"{numbers.significant(slo['max_error_share'] * 100)} %"
    return f"{short_limit_words(slo)} with at most {errors} errors"


def short_limit_words(slo: Mapping[str, Any]) -> str:
    """ "p99 ≤ 20 ms"."""
    return f"{Percentile(slo['percentile']).label} ≤ {numbers.significant(slo['max_ms'])} ms"


def load_words(load: Mapping[str, Any]) -> str:
    """A plan's `load` as JSON: "highest rate that keeps p99 ≤ 20 ms ...", "500 ops/s, 16 threads"."""
    if load.get("slo"):
        return f"highest rate that keeps {limit_words(load['slo'])}"
    return ", ".join(
        plural(step["threads"], "thread") if isinstance(step, Mapping) else numbers.ops_s(step)
        for step in load["steps"]
    )


def finding(search: Mapping[str, Any], steps: int) -> str:
    """The answer, then what is not known of it; `search` is the run's progress["load_search"]."""
    low, high = search["low_ops_s"], search["high_ops_s"]
    end = End(search["end"]) if search["end"] else None
    too_much = "" if high is None else f"{numbers.ops_s(high)} was too much."
    if low is None:
        words = [f"No rate{'' if end else ' so far'} is known to keep the limit.", too_much]
    else:
        words = [f"Highest rate {'found' if end else 'so far'}: {numbers.ops_s(low)}.", too_much]
        words.append(_between(low, high, search.get("contradiction")))
    return " ".join(part for part in (*words, _end(end, steps)) if part)


def evidence(slo: Mapping[str, Any], search: Mapping[str, Any]) -> str:
    """The limit, and the trials that the two ends of the bracket rest on."""
    low, high = search["low_ops_s"], search["high_ops_s"]
    ends = []
    if low is not None:
        ends.append(f"{plural(search['low_trials'], 'trial')} at {numbers.ops_s(low)} kept it")
    if high is not None:
        ends.append(f"{plural(search['high_trials'], 'trial')} at up to {numbers.ops_s(high)} broke it")
    words = ", ".join(ends)
    return f"The limit is {limit_words(slo)}{f': {words}' if words else ''}."


def far_below(broken_ops_s: float, peak_ops_s: float) -> str:
    """Of the lowest rate that broke the limit."""
    share = numbers.percent(broken_ops_s / peak_ops_s)
    return (
        f"Already {numbers.ops_s(broken_ops_s)} broke the limit, {share} of the {numbers.ops_s(peak_ops_s)} without a "
        "throttle: the machine is too noisy for this limit, or the limit is too strict."
    )


def few_operations(slo: Mapping[str, Any], fewest: int, trials: int) -> str:
    """Of so many trials that had fewer operations than the percentile needs."""
    percentile = Percentile(slo["percentile"]).label
    verb = "has" if trials == 1 else "have"
    return (
        f"{plural(trials, 'trial')} {verb} fewer than {fewest:,} operations: fewer than 100 of them are beyond the "
        f"{percentile}, so chance has more influence. Longer trials have more."
    )


def _between(low: float, high: float | None, contradiction: Sequence[float] | None) -> str:
    if contradiction is not None:
        broken, kept = contradiction
        return f"Above {numbers.ops_s(low)} trials contradict each other: {_torn(broken, kept)}."
    if high is None:
        return "No higher rate has broken the limit."
    return f"Between {numbers.compact(low)} and {numbers.ops_s(high)} nothing is known."


def _torn(broken: float, kept: float) -> str:
    if broken == kept:
        return f"{numbers.ops_s(broken)} broke the limit in one and kept it in another"
    return f"{numbers.ops_s(broken)} broke the limit, {numbers.ops_s(kept)} kept it"


def _end(end: End | None, steps: int) -> str:
    if end == End.STEPS_ENDED:
        return f"Stopped after {plural(steps, 'step')}."
    if end == End.TIME_ENDED:
        return f"Stopped at the deadline of the run, after {plural(steps, 'step')}."
    if end == End.CLIENT_BOUND:
        return "A load client's processors were saturated there: the ceiling may be the client's, not the database's."
    return ""
