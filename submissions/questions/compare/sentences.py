"""A comparison in one sentence, for a reader who knows no statistics: which is better, by how much, how sure."""

from submissions.analysis.compare import Basis, Comparison, Measured, Ratio, Verdict
from submissions.analysis.significance import USUAL_NOISE

_JUDGED = (Verdict.BETTER, Verdict.WORSE)


def sentence(a: Measured, b: Measured, found: Comparison) -> str:
    """`found` is b against a."""
    if found.throughput is None:
        return f"{b.name} and {a.name} cannot be compared: {_why_not(a, b)}."
    if not found.same_workload:
        return f"{b.name} and {a.name} ran different workloads: their figures do not say which system is better."
    if found.throughput.verdict in _JUDGED:
        return _told(a, b, found, found.throughput)
    if found.throughput.verdict == Verdict.WITHIN_NOISE:
        return _not_told(a, b, found, found.throughput)
    return _too_few(a, b, found, found.throughput)


def _why_not(a: Measured, b: Measured) -> str:
    if a.relative_base and b.relative_base:
        return "their figures are relative to two different things"
    return "one has only a relative figure"


def _told(a: Measured, b: Measured, found: Comparison, throughput: Ratio) -> str:
    word = "faster" if throughput.verdict == Verdict.BETTER else "slower"
    said = f"{b.name} is {word} than {a.name}: {_more_or_less(throughput.ratio)} operations a second"
    if throughput.interval:
        said += f" (95 % sure of {_range(throughput.interval)})"
    if throughput.basis == Basis.WORKLOAD:
        said += ", judged by how much this workload's other submissions vary"
    value = found.ops_per_usd
    if value is None:
        return f"{said}."
    is_against = (value.ratio > 1) != (throughput.ratio > 1)
    return (
        f"{said}{', but ' if is_against else ', and '}{_times(value.ratio)} the operations per dollar{_unsure(value)}."
    )


def _not_told(a: Measured, b: Measured, found: Comparison, throughput: Ratio) -> str:
    said = f"{b.name} and {a.name} are equally fast as far as these trials can tell: "
    if _is_equal(throughput.ratio):
        said += "they differ by 0.0 %"
    else:
        said += f"{_more_or_less(throughput.ratio)} operations a second is within noise"
    if found.compared_with > 1 and throughput.interval and not throughput.interval[0] <= 1 <= throughput.interval[1]:
        said += f", once it is counted that {found.compared_with} comparisons were made"
    if throughput.trials_needed is not None:
        said += f"; {_more_trials(throughput.trials_needed)} of each would tell a difference of this size"
    value = found.ops_per_usd
    if value is not None and value.verdict in _JUDGED:
        word = "more" if value.verdict == Verdict.BETTER else "less"
        said += f". For the money {b.name} gives {word}: {_times(value.ratio)} the operations per dollar"
    return f"{said}."


def _too_few(a: Measured, b: Measured, found: Comparison, throughput: Ratio) -> str:
    said = f"{b.name} did {_more_or_less(throughput.ratio)} operations a second than {a.name}"
    if _is_equal(throughput.ratio):
        said = f"{b.name} did as many operations a second as {a.name}"
    if found.ops_per_usd is not None:
        said += f", and {_times(found.ops_per_usd.ratio)} the operations per dollar"
    counts = f"{len(b.throughputs)} and {len(a.throughputs)} trials are"
    if len(a.throughputs) == len(b.throughputs):
        n = len(a.throughputs)
        counts = "one trial of each is" if n == 1 else f"{n} trials of each are"
    said += f"; {counts} too few to tell how much of that is noise"
    if throughput.trials_needed is None:
        return f"{said}."
    low, high = (f"{noise * 100:.0f}" for noise in USUAL_NOISE)
    fewest = throughput.trials_needed_low
    more = _more_trials(throughput.trials_needed)
    if fewest is not None and fewest != throughput.trials_needed:
        more = f"{fewest} to {more}"
    return f"{said}: {more} of each would tell, if equal runs differ by {low} to {high} % as is usual on clouds."


def _unsure(value: Ratio) -> str:
    return "" if value.verdict in _JUDGED else ", which is within noise"


def _more_trials(number: int) -> str:
    return f"{number} more trial{'' if number == 1 else 's'}"


def _range(interval: tuple[float, float]) -> str:
    low, high = ((end - 1) * 100 for end in interval)
    if high < 0:
        return f"{-high:.1f} to {-low:.1f} % fewer"
    return f"{low:.1f} to {high:.1f} % more"


def _more_or_less(ratio: float) -> str:
    percent = (ratio - 1) * 100
    return f"{abs(percent):.1f} % {'more' if percent > 0 else 'fewer'}"


def _is_equal(ratio: float) -> bool:
    return round((ratio - 1) * 100, 1) == 0


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"
