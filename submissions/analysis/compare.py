"""Two submissions against each other: ratio, 95 % interval, and a verdict that knows its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import exp, inf, log, sqrt
from statistics import variance

from scipy.stats import ttest_ind

from submissions.analysis.documents import differs
from submissions.analysis.trials import CONFIDENCE, headline, t_quantile
from submissions.choices import Choice, LatencyKind

MAX_TRIALS_ASKED = 100  # a difference that needs more trials than this is none to plan for

__all__ = ["Comparison", "Measured", "Ratio", "Verdict", "compare", "differs"]


class Verdict(Choice):
    """Of b against a, in the direction that is good for the metric."""

    BETTER = "better"
    WORSE = "worse"
    WITHIN_NOISE = "within noise"
    TOO_FEW_TRIALS = "too few trials"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a comparison needs of a submission.

    `throughputs` are ops/s, one a trial, empty for a relative figure. `p99_ms` is the headline,
    `trial_p99s_ms` what each trial had, both of `latency_kind`.
    """

    name: str
    workload: str  # fingerprint
    throughputs: tuple[float, ...]
    ops_per_usd: Decimal | None = None
    p99_ms: float | None = None
    trial_p99s_ms: tuple[float, ...] = ()
    latency_kind: LatencyKind = LatencyKind.UNKNOWN


@dataclass(frozen=True, slots=True)
class Ratio:
    """`ratio` is b / a; `interval` its 95 % interval, None where a side has one trial."""

    ratio: float
    interval: tuple[float, float] | None
    verdict: Verdict | None  # None: of different workloads, so neither is better
    trials_needed: int | None  # more trials of each side to tell a difference of this size


@dataclass(frozen=True, slots=True)
class Comparison:
    """None where one side is unknown, relative, or of another kind of latency."""

    throughput: Ratio | None
    ops_per_usd: Ratio | None
    latency_p99: Ratio | None
    same_workload: bool
    sentence: str


def compare(a: Measured, b: Measured) -> Comparison:
    """b against a. The interval is Welch's t-interval on the logs of the trials' throughputs."""
    same_workload = a.workload == b.workload
    throughput = _throughput(a, b, judged=same_workload)
    ops_per_usd = _ops_per_usd(a, b, throughput)
    return Comparison(
        throughput=throughput,
        ops_per_usd=ops_per_usd,
        latency_p99=_latency(a, b, judged=same_workload),
        same_workload=same_workload,
        sentence=_sentence(a, b, throughput, ops_per_usd, same_workload),
    )


def _throughput(a: Measured, b: Measured, *, judged: bool) -> Ratio | None:
    if not a.throughputs or not b.throughputs:
        return None
    return _ratio(
        headline(b.throughputs).mean / headline(a.throughputs).mean,
        a.throughputs,
        b.throughputs,
        higher_is_better=True,
        judged=judged,
    )


def _ops_per_usd(a: Measured, b: Measured, throughput: Ratio | None) -> Ratio | None:
    if throughput is None or a.ops_per_usd is None or b.ops_per_usd is None:
        return None
    ratio = float(b.ops_per_usd / a.ops_per_usd)
    # a price has no noise: the interval is that of the throughput, scaled by the costs
    scale = ratio / throughput.ratio
    interval = throughput.interval and (
        throughput.interval[0] * scale,
        throughput.interval[1] * scale,
    )
    verdict = throughput.verdict
    if verdict is not None:
        verdict = _verdict(interval, higher_is_better=True)
    return Ratio(ratio, interval, verdict, None)


def _latency(a: Measured, b: Measured, *, judged: bool) -> Ratio | None:
    if a.latency_kind != b.latency_kind or a.latency_kind == LatencyKind.UNKNOWN:
        return None
    if not a.p99_ms or not b.p99_ms:  # zero is below what the tool resolves: no ratio of it
        return None
    return _ratio(
        b.p99_ms / a.p99_ms,
        a.trial_p99s_ms,
        b.trial_p99s_ms,
        higher_is_better=False,
        judged=judged,
    )


def _ratio(
    ratio: float,
    of_a: Sequence[float],
    of_b: Sequence[float],
    *,
    higher_is_better: bool,
    judged: bool,
) -> Ratio:
    interval = _welch(of_a, of_b)
    if not judged:
        return Ratio(ratio, interval, None, None)
    verdict = _verdict(interval, higher_is_better=higher_is_better)
    needed = _trials_needed(ratio, of_a, of_b) if verdict == Verdict.WITHIN_NOISE else None
    return Ratio(ratio, interval, verdict, needed)


def _welch(of_a: Sequence[float], of_b: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of b / a; None where a side has fewer than two trials."""
    if len(of_a) < 2 or len(of_b) < 2 or min(*of_a, *of_b) <= 0:
        return None
    logs_a, logs_b = [log(x) for x in of_a], [log(x) for x in of_b]
    if variance(logs_a) + variance(logs_b) == 0:
        same = of_b[0] / of_a[0]
        return same, same
    interval = ttest_ind(logs_b, logs_a, equal_var=False).confidence_interval(CONFIDENCE)
    return exp(interval.low), exp(interval.high)


def _verdict(interval: tuple[float, float] | None, *, higher_is_better: bool) -> Verdict:
    if interval is None:
        return Verdict.TOO_FEW_TRIALS
    low, high = interval
    if low <= 1 <= high:
        return Verdict.WITHIN_NOISE
    return Verdict.BETTER if (low > 1) == higher_is_better else Verdict.WORSE


def _trials_needed(ratio: float, of_a: Sequence[float], of_b: Sequence[float]) -> int | None:
    """How many more trials of each would tell this ratio from 1, if the spread stays as it is."""
    spreads = [variance([log(x) for x in side]) for side in (of_a, of_b)]
    distance = abs(log(ratio))
    # degrees of freedom of Welch's t with n trials a side, per (n - 1)
    freedom = sum(spreads) ** 2 / sum(spread**2 for spread in spreads) if sum(spreads) else inf
    fewest = min(len(of_a), len(of_b))
    for n in range(fewest + 1, MAX_TRIALS_ASKED + 1):
        if t_quantile(freedom * (n - 1)) * sqrt(sum(spreads) / n) < distance:
            return n - fewest
    return None


def _sentence(a: Measured, b: Measured, throughput: Ratio | None, value: Ratio | None, same_workload: bool) -> str:
    if throughput is None:
        return f"{b.name} and {a.name} cannot be compared: one has only a relative figure."
    if not same_workload:
        return f"{b.name} and {a.name} ran different workloads: their figures do not say which system is better."
    said = f"{b.name} did {_more_or_less(throughput.ratio)} operations a second than {a.name}"
    if value is not None:
        said += f", and {_times(value.ratio)} the operations per dollar"
    return f"{said}; {_how_sure(a, b, throughput)}."


def _more_or_less(ratio: float) -> str:
    percent = (ratio - 1) * 100
    if round(percent, 1) == 0:
        return "0.0 % more"
    return f"{abs(percent):.1f} % {'more' if percent > 0 else 'fewer'}"


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"


def _how_sure(a: Measured, b: Measured, throughput: Ratio) -> str:
    if throughput.interval is None:
        counts = f"{len(b.throughputs)} and {len(a.throughputs)} trials are"
        if len(a.throughputs) == len(b.throughputs) == 1:
            counts = "one trial each is"
        return f"{counts} too few to tell how much of that is noise"
    low, high = throughput.interval
    between = f"the 95 % interval of the ratio is {low:.3g} to {high:.3g}"
    if throughput.verdict != Verdict.WITHIN_NOISE:
        return between
    if throughput.trials_needed is None:
        return f"{between}: within noise"
    return (
        f"{between}: within noise, and {throughput.trials_needed} more trials of each "
        "would tell a difference of this size"
    )
