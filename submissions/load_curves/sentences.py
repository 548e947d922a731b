"""A load curve in sentences."""

from collections.abc import Sequence

from submissions.analysis.curves.load_curve import FEWEST_BEYOND, AtLimit, Confidence, LatencyLimit
from submissions.choices import Percentile
from submissions.formatting.load import rate_words
from submissions.formatting.numbers import compact, ops_s, percent, significant
from submissions.formatting.text import plural

NOT_JUDGED = "not judged: unthrottled"  # service times beside response times of offered rates
_NOTES = {
    Confidence.CONFIRMED: "At least three trials at that rate kept it.",
    Confidence.FEW_TRIALS: "Only two trials were run at that rate.",
    Confidence.SINGLE_TRIAL: "Only one trial was run at that rate.",
    Confidence.UNKNOWN_OPERATIONS: "The number of operations behind the percentile is unknown.",
    Confidence.COORDINATED_OMISSION: (
        "The latencies are service times: they do not include the wait before a request was sent (coordinated"
        " omission), so users of a system under this load would wait longer."
    ),
    Confidence.UNKNOWN_LATENCY_KIND: "It is unknown whether the latencies are service times or response times.",
    Confidence.SLOWEST_OPERATION: (
        "Percentiles are known by type of operation only: those of the slowest type are shown, and kept the limit or"
        " broke it."
    ),
    Confidence.NO_UPPER_BOUND: "No higher measured rate broke it: the system may do more.",
    Confidence.NOT_MONOTONIC: ("A higher load kept it again; it does not count, since one of the two was disturbed."),
    Confidence.UNKNOWN_POINTS: (
        "Some points do not count: they are unthrottled next to offered rates, or their percentile, their errors or the"
        " kind of their latencies is unknown."
    ),
}


def limit_words(limit: LatencyLimit) -> str:
    """ "p99 ≤ 10 ms"."""
    return f"{Percentile(limit.percentile).label} ≤ {significant(limit.max_ms)} ms"


def finding(found: AtLimit, limit: LatencyLimit) -> str:
    """ "The highest measured rate that kept p99 ≤ 10 ms in every trial is 42 k ops/s; 48 k broke it."."""
    words, upper = limit_words(limit), found.bracket[1]
    if found.ops_s is not None:
        broke = f"; {compact(upper)} broke it" if upper is not None else ""
        return f"The highest measured rate that kept {words} in every trial is {ops_s(found.ops_s)}{broke}."
    if Confidence.NONE_KEPT in found.confidence and upper is not None:
        return f"No measured rate kept {words}: already {ops_s(upper)} broke it."
    return f"Whether any measured rate kept {words} is unknown."


def notes(found: AtLimit, limit: LatencyLimit) -> list[str]:
    """What the rate rests on, a sentence each."""
    said = [_NOTES[each] for each in found.confidence if each in _NOTES]
    if Confidence.FEW_OPERATIONS in found.confidence:
        said.append(
            f"A trial has fewer than {limit.fewest_operations:,} operations, so that fewer than {FEWEST_BEYOND} are"
            f" beyond its {Percentile(limit.percentile).label}."
        )
    return said


def errors_words(limit: LatencyLimit) -> str:
    """ "At most 0.1 % of the operations of a trial may fail."."""
    if limit.max_error_share == 0:
        return "No operation of a trial may fail."
    return f"At most {percent(limit.max_error_share)} of the operations of a trial may fail."


def chart_label(name: str, limit: LatencyLimit) -> str:
    return f"Latency against throughput of {name}, with the limit {limit_words(limit)}."


def former_words(numbers: Sequence[int]) -> str:
    """Of an older log at several loads, which became a result for each of them."""
    return (
        f"The log of this result was measured at {len(numbers)} loads, and each load is a result of its own here:"
        " together they are this load curve."
    )


def load_name(offered_ops_s: float | None, threads: int | None) -> str:
    """ "200 threads", "7,000 ops/s offered"."""
    offered = f"{rate_words(offered_ops_s)} offered" if offered_ops_s else ""
    return ", ".join(part for part in (offered, plural(threads, "thread") if threads else "") if part) or (
        "load not stated"
    )
