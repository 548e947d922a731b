"""Two submissions or more compared: ratio, 95 % interval, verdict, and how many trials a verdict would need."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import log
from statistics import stdev

from submissions.analysis import significance
from submissions.analysis.significance import ALPHA, USUAL_NOISE, Difference, PooledSpread
from submissions.analysis.trials import headline
from submissions.choices import Choice, LatencyKind, is_same_rate

__all__ = ["Basis", "Comparison", "Measured", "Ratio", "Spreads", "Verdict", "compare", "compare_all"]


class Verdict(Choice):
    """Of b against a, in the direction that is good for the metric."""

    BETTER = "better"
    WORSE = "worse"
    WITHIN_NOISE = "within noise"
    TOO_FEW_TRIALS = "too few trials"


class Basis(Choice):
    """The source of the noise estimate behind a verdict."""

    OWN_TRIALS = "own trials"
    WORKLOAD = "other submissions of the workload"
    USUAL = "usual noise of clouds"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a comparison needs of a submission.

    `throughputs` has one value per trial: ops/s, or relative to `relative_base` where that is not empty.
    `ops_per_usd` is in the same unit. `p99_ms` is the headline, `trial_p99s_ms` has one value per trial,
    both of `latency_kind`.
    """

    name: str
    workload: str  # fingerprint
    throughputs: tuple[float, ...]
    ops_per_usd: Decimal | None = None
    p99_ms: float | None = None
    trial_p99s_ms: tuple[float, ...] = ()
    latency_kind: LatencyKind = LatencyKind.UNKNOWN
    relative_base: str = ""
    held: str = ""  # "held to 7,000 ops/s": the rate is the load tool's limit, not the capacity of the system


@dataclass(frozen=True, slots=True)
class Spreads:
    """The pooled spreads of a workload, for sides with one trial; None where it has none."""

    throughput: PooledSpread | None = None
    latency_p99: PooledSpread | None = None  # of the latency kind that is compared


@dataclass(frozen=True, slots=True)
class Ratio:
    """`ratio` is b / a; `interval` its 95 % interval, None where the noise is unknown.

    `trials_needed` is how many more trials per side detect a difference of this size with a power of 80 %;
    `trials_needed_low` the same at the low end of the usual noise, None where the noise is known.
    """

    ratio: float
    interval: tuple[float, float] | None
    verdict: Verdict | None  # None: of different workloads, so neither is better
    trials_needed: int | None
    trials_needed_low: int | None = None
    basis: Basis = Basis.OWN_TRIALS
    p_value: float | None = None  # corrected for the number of comparisons, see `compare_all`
    rank_test_p: float | None = None  # Mann-Whitney test; None where there are too few trials for it


@dataclass(frozen=True, slots=True)
class Comparison:
    """None where one side is unknown, has another baseline, another kind of latency, or was held to another rate."""

    throughput: Ratio | None
    ops_per_usd: Ratio | None
    latency_p99: Ratio | None
    same_workload: bool
    compared_with: int = 1  # the number of comparisons that p-values are corrected for

    @property
    def ratios(self) -> tuple[Ratio | None, Ratio | None, Ratio | None]:
        return self.throughput, self.ops_per_usd, self.latency_p99


def compare(a: Measured, b: Measured, spreads: Spreads | None = None) -> Comparison:
    """b against a."""
    return compare_all(a, [b], spreads)[0]


def compare_all(first: Measured, others: Sequence[Measured], spreads: Spreads | None = None) -> list[Comparison]:
    """Each of the others against the first; verdicts hold for all of them jointly.

    The p-values of a metric are corrected for the number of comparisons (Holm): when all systems are equal, the
    chance that any is called better or worse stays 5 %. Each interval is for its comparison alone.
    """
    spreads = spreads or Spreads()
    pairs = [_Pair(first, other, spreads) for other in others]
    throughputs = _judged([pair.throughput for pair in pairs], higher_is_better=True)
    values = _judged([pair.ops_per_usd for pair in pairs], higher_is_better=True)
    latencies = _judged([pair.latency_p99 for pair in pairs], higher_is_better=False)
    return [
        Comparison(throughput, value, latency, pair.same_workload, len(others))
        for pair, throughput, value, latency in zip(pairs, throughputs, values, latencies, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Unjudged:
    ratio: float
    difference: Difference | None
    of_a: tuple[float, ...]
    of_b: tuple[float, ...]
    pooled: PooledSpread | None
    same_workload: bool


@dataclass(frozen=True, slots=True)
class _Pair:
    a: Measured
    b: Measured
    spreads: Spreads

    @property
    def same_workload(self) -> bool:
        return self.a.workload == self.b.workload

    @property
    def is_held(self) -> bool:
        return bool(self.a.held or self.b.held)

    @property
    def is_same_rate(self) -> bool:
        rates = [headline(side.throughputs).mean for side in (self.a, self.b) if side.throughputs]
        return len(rates) == 2 and is_same_rate(rates[1], rates[0])

    @property
    def throughput(self) -> _Unjudged | None:
        a, b = self.a, self.b
        if self.is_held:
            return None
        if not a.throughputs or not b.throughputs or a.relative_base != b.relative_base:
            return None
        ratio = headline(b.throughputs).mean / headline(a.throughputs).mean
        return self._unjudged(ratio, a.throughputs, b.throughputs, self.spreads.throughput)

    @property
    def ops_per_usd(self) -> _Unjudged | None:
        throughput = self.throughput
        if throughput is None or self.a.ops_per_usd is None or self.b.ops_per_usd is None:
            return None
        ratio = float(self.b.ops_per_usd / self.a.ops_per_usd)
        # prices have no noise: the error is that of the throughput
        shifted = throughput.difference and throughput.difference.shifted(ratio / throughput.ratio)
        return replace(throughput, ratio=ratio, difference=shifted)

    @property
    def latency_p99(self) -> _Unjudged | None:
        a, b = self.a, self.b
        if a.latency_kind != b.latency_kind or a.latency_kind == LatencyKind.UNKNOWN:
            return None
        if self.is_held and not self.is_same_rate:
            return None
        if not a.p99_ms or not b.p99_ms:  # zero is below the resolution of the tool, and has no ratio
            return None
        of_a, of_b = a.trial_p99s_ms or (a.p99_ms,), b.trial_p99s_ms or (b.p99_ms,)
        return self._unjudged(b.p99_ms / a.p99_ms, of_a, of_b, self.spreads.latency_p99)

    def _unjudged(
        self, ratio: float, of_a: tuple[float, ...], of_b: tuple[float, ...], pooled: PooledSpread | None
    ) -> _Unjudged:
        # the spread of one workload does not apply to another
        pooled = pooled if self.same_workload else None
        return _Unjudged(
            ratio, significance.difference(of_a, of_b, pooled), of_a, of_b, pooled, same_workload=self.same_workload
        )


def _judged(unjudged: Sequence[_Unjudged | None], *, higher_is_better: bool) -> list[Ratio | None]:
    tested = [pair for pair in unjudged if pair is not None and pair.difference is not None and pair.same_workload]
    corrected = dict(
        zip(
            map(id, tested),
            significance.holm([pair.difference.p_value for pair in tested if pair.difference]),
            strict=True,
        )
    )
    return [None if pair is None else _ratio(pair, corrected.get(id(pair)), higher_is_better) for pair in unjudged]


def _ratio(pair: _Unjudged, p_value: float | None, higher_is_better: bool) -> Ratio:
    interval = pair.difference.interval if pair.difference else None
    if not pair.same_workload:
        return Ratio(pair.ratio, interval, None, None)
    verdict = _verdict(pair, p_value, higher_is_better=higher_is_better)
    needed, needed_low, basis = None, None, Basis.OWN_TRIALS
    if pair.difference is None:
        basis = Basis.USUAL
    elif pair.difference.is_pooled:
        basis = Basis.WORKLOAD
    if verdict in (Verdict.WITHIN_NOISE, Verdict.TOO_FEW_TRIALS):
        needed, needed_low = _more_trials(pair)
    return Ratio(
        ratio=pair.ratio,
        interval=interval,
        verdict=verdict,
        trials_needed=needed,
        trials_needed_low=needed_low,
        basis=basis,
        p_value=p_value,
        rank_test_p=significance.rank_test(pair.of_a, pair.of_b),
    )


def _verdict(pair: _Unjudged, p_value: float | None, *, higher_is_better: bool) -> Verdict:
    if p_value is None or pair.difference is None:
        return Verdict.TOO_FEW_TRIALS
    # the test uses geometric means, the ratio arithmetic ones: they must agree on the direction
    if p_value > ALPHA or (pair.ratio > 1) != (pair.difference.log_ratio > 0):
        return Verdict.WITHIN_NOISE
    return Verdict.BETTER if (pair.ratio > 1) == higher_is_better else Verdict.WORSE


def _more_trials(pair: _Unjudged) -> tuple[int | None, int | None]:
    """At the known noise, else at both ends of the usual noise: (at the high end, at the low end)."""
    have = min(len(pair.of_a), len(pair.of_b))
    distance = log(pair.ratio)
    if pair.difference is None:
        low, high = (significance.trials_needed(distance, noise, noise) for noise in USUAL_NOISE)
        return _beyond(high, have), _beyond(low, have)
    sd_a, sd_b = _planned_spreads(pair)
    return _beyond(significance.trials_needed(distance, sd_a, sd_b), have), None


def _planned_spreads(pair: _Unjudged) -> tuple[float, float]:
    """Of the two sides; the workload's where it rests on more trials than their own."""
    own = len(pair.of_a) + len(pair.of_b) - 2
    if pair.pooled and (pair.pooled.freedom >= own or min(len(pair.of_a), len(pair.of_b)) < 2):
        return pair.pooled.sd, pair.pooled.sd
    return stdev([log(x) for x in pair.of_a]), stdev([log(x) for x in pair.of_b])


def _beyond(needed: int | None, have: int) -> int | None:
    """More trials per side; at least one, because those there are were not enough."""
    return None if needed is None else max(needed - have, 1)
