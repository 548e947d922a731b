"""A comparison in a sentence or two for readers who know no statistics: which is better, by how much, how sure."""

from collections.abc import Sequence

from submissions.analysis.compare import Basis, Comparison, Measured, Ratio, Verdict
from submissions.analysis.significance import USUAL_NOISE
from submissions.formatting.numbers import significant
from submissions.formatting.text import join_and, n_words, plural
from submissions.questions.compare.query import CompareResult, Side
from submissions.records.caveats import of_prices

_CONCLUSIVE = (Verdict.BETTER, Verdict.WORSE)
# a ratio of two or more reads better as "2.15 times as much" than as "115 % more"
_AS_MULTIPLE = 2


def finding(first: Side, other: Side) -> str:
    """Of the other side against the first."""
    assert other.against_first is not None  # noqa: S101 - only the first side has none
    return verdict(first.measured, other.measured, other.against_first)


def verdict(a: Measured, b: Measured, comparison: Comparison) -> str:
    """`comparison` is b against a."""
    throughput = comparison.throughput
    if a.held or b.held:
        return _of_held(a, b, comparison)
    if throughput is None:
        return f"{b.name} and {a.name} cannot be compared: {_why_not(a, b)}."
    if not comparison.same_workload:
        return (
            f"{b.name} and {a.name} are for different workloads, so their figures do not show which system is faster."
        )
    if throughput.verdict in _CONCLUSIVE:
        return _conclusive(a, b, comparison, throughput)
    if throughput.verdict == Verdict.WITHIN_NOISE:
        return _no_difference(a, b, comparison, throughput)
    return _inconclusive(a, b, comparison, throughput)


def chart_label(result: CompareResult) -> str:
    sides = result.same_workload
    if len(sides) == 2 and len(result.sides) == 2:
        return finding(*sides)
    return f"Throughput, operations per dollar and p99 latency of {join_and([f'#{s.submission.pk}' for s in sides])}."


def chart_caveats(sides: Sequence[Side]) -> list[str]:
    single = [
        f"#{side.submission.pk}"
        for side in sides
        if side.submission.trials_count == 1 and side.submission.averaged_over is None
    ]
    averaged = [
        f"#{side.submission.pk} ({n_words(side.submission.trials_count, side.submission.averaged_over)})"
        for side in sides
        if side.submission.averaged_over
    ]
    held = [f"#{side.submission.pk}" for side in sides if side.submission.is_throttled]
    bases = sorted({side.submission.relative_base for side in sides} - {""})
    return [
        f"Results with a single trial, so their noise is unknown: {join_and(single)}." if single else "",
        f"Results whose spread is not published: {join_and(averaged)}." if averaged else "",
        f"Held to a rate by the load tool, so the throughput is not the capacity: {join_and(held)}." if held else "",
        f"Relative to: {join_and(bases)}." if bases else "",
        *of_prices([side.submission for side in sides]),
    ]


def workload_warning(result: CompareResult) -> str:
    """Where the sides ran different workloads."""
    names = join_and(result.workload_differences)
    return f"They differ in {names}, so the figures below do not show which system is faster."


def _of_held(a: Measured, b: Measured, comparison: Comparison) -> str:
    """The load tool held one side or both: only their latencies at one rate say something."""
    held = join_and([f"{side.name} was {side.held}" for side in (b, a) if side.held])
    text = f"{held}: throughput and value cannot be compared, since the load tool set the rate"
    p99 = comparison.latency_p99
    if p99 is None or not comparison.same_workload:
        return f"{text}."
    if p99.verdict in _CONCLUSIVE:
        difference = "lower" if p99.ratio < 1 else "higher"
        return f"{text}. At the same rate, the p99 of {b.name} is {abs(p99.ratio - 1) * 100:.1f} % {difference}."
    if p99.verdict == Verdict.WITHIN_NOISE:
        return f"{text}. At the same rate, the difference between their p99 is within noise."
    return f"{text}. At the same rate, there are too few runs to compare their p99."


def _why_not(a: Measured, b: Measured) -> str:
    if a.relative_base and b.relative_base:
        return "their figures are relative to different baselines"
    return "one of them has only a relative figure"


def _conclusive(a: Measured, b: Measured, comparison: Comparison, throughput: Ratio) -> str:
    text = f"{b.name} is {_as_fast(throughput.ratio, a.name)}"
    if throughput.interval:
        text += f" (95 % interval: {_range(throughput.interval)})"
    value = comparison.ops_per_usd
    if value is not None:
        text += f"{_joined(throughput.ratio, value.ratio)} delivers {_per_dollar(value.ratio)}"
        if value.verdict not in _CONCLUSIVE:
            text += ", a difference within noise"
    if throughput.basis == Basis.WORKLOAD:
        text += ". The noise is estimated from other results for this workload"
    return f"{text}."


def _no_difference(a: Measured, b: Measured, comparison: Comparison, throughput: Ratio) -> str:
    text = f"There is no measurable difference in throughput between {b.name} and {a.name}: "
    text += f"the difference of {abs(throughput.ratio - 1) * 100:.1f} % is within noise"
    interval = throughput.interval
    if comparison.compared_with > 1 and interval and not interval[0] <= 1 <= interval[1]:
        text += f" after correcting for {comparison.compared_with} comparisons"
    if throughput.trials_needed is not None:
        more = plural(throughput.trials_needed, "more trial")
        text += f". Detecting a difference of this size would take {more} per side"
    value = comparison.ops_per_usd
    if value is not None and value.verdict in _CONCLUSIVE:
        text += f". {b.name} delivers {_per_dollar(value.ratio)}"
    return f"{text}."


def _inconclusive(a: Measured, b: Measured, comparison: Comparison, throughput: Ratio) -> str:
    text = f"{b.name} is {_as_fast(throughput.ratio, a.name)}"
    value = comparison.ops_per_usd
    if value is not None:
        text += f"{_joined(throughput.ratio, value.ratio)} delivers {_per_dollar(value.ratio)}"
    text += f". With {_trials(a, b)} this is inconclusive"
    if throughput.trials_needed is None:
        return f"{text}."
    low, high = (f"{noise * 100:.0f}" for noise in USUAL_NOISE)
    return f"{text}; {more_trials(throughput)} per side would settle it at the {low} to {high} % noise usual on clouds."


def more_trials(ratio: Ratio) -> str:
    """ "2 to 6 more trials"; empty where the number is unknown."""
    if ratio.trials_needed is None:
        return ""
    low, high = ratio.trials_needed_low, ratio.trials_needed
    if low is not None and low != high:
        return f"{low} to {plural(high, 'more trial')}"
    return plural(high, "more trial")


def _trials(a: Measured, b: Measured) -> str:
    if len(a.throughputs) != len(b.throughputs):
        return f"{len(b.throughputs)} and {plural(len(a.throughputs), 'trial')}"
    return "one trial each" if len(a.throughputs) == 1 else f"{len(a.throughputs)} trials each"


def _joined(throughput: float, value: float) -> str:
    """ " but" where one is better and the other worse."""
    is_opposite = not _is_equal(throughput) and not _is_equal(value) and (value > 1) != (throughput > 1)
    return ", but" if is_opposite else " and"


def _range(interval: tuple[float, float]) -> str:
    low, high = ((end - 1) * 100 for end in interval)
    if high < 0:
        return f"{-high:.1f} to {-low:.1f} % slower"
    return f"{low:.1f} to {high:.1f} % faster"


def _as_fast(ratio: float, name: str) -> str:
    """ "18.5 % slower than X", "as fast as X", "2.15 times as fast as X"."""
    if ratio >= _AS_MULTIPLE:
        return f"{significant(ratio)} times as fast as {name}"
    if _is_equal(ratio):
        return f"as fast as {name}"
    return f"{abs(ratio - 1) * 100:.1f} % {'faster' if ratio > 1 else 'slower'} than {name}"


def _per_dollar(ratio: float) -> str:
    if ratio >= _AS_MULTIPLE:
        return f"{significant(ratio)} times as much per dollar"
    if _is_equal(ratio):
        return "the same per dollar"
    return f"{significant(abs(ratio - 1) * 100)} % {'more' if ratio > 1 else 'less'} per dollar"


def _is_equal(ratio: float) -> bool:
    return round((ratio - 1) * 100, 1) == 0
