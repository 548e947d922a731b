"""The verdict on a pair of results, whichever page shows them: one function, `judge`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from math import inf, log, sqrt
from statistics import fmean

from submissions.analysis.comparison.noise import (
    FEWEST_FREEDOM,
    NoiseFrom,
    RunNoise,
    Runs,
    WorkloadNoise,
    full_freedom,
    pairs_of,
    run_noise,
    trial_variance,
    within,
)
from submissions.analysis.comparison.planning import Plan, more_rounds, more_runs
from submissions.analysis.comparison.significance import (
    LEVEL,
    NO_VARIANCE,
    Difference,
    PooledSpread,
    exp_of,
    pooled_spread,
    t_of,
    variance,
)
from submissions.choices import Choice

# Results that differ by less are as good as equal: the limits of bioequivalence (Schuirmann 1987)
MARGIN = log(1.25)
_FEWEST_ROUNDS = 3

# (standard error, degrees of freedom) of tests of which the most careful counts; of several such sets one is enough,
# each at its share of the level
Tests = tuple[tuple[tuple[float, float], ...], ...]


class Verdict(Choice):
    """Of b against a, in the direction that is good for the metric."""

    BETTER = "better"
    WORSE = "worse"
    WITHIN_NOISE = "within_noise"  # as good as equal
    INCONCLUSIVE = "inconclusive"  # not enough runs to tell


@dataclass(frozen=True, slots=True)
class Series:
    """That a result was measured in turns with others: trial by trial, one round after the other."""

    key: str  # equal for what was measured together
    starts: tuple[datetime, ...]  # of its trials

    def is_interleaved(self, other: "Series") -> bool:
        """Whether no round begins before the one before it has begun on both sides."""
        if self.key != other.key or len(self.starts) != len(other.starts) or len(self.starts) < _FEWEST_ROUNDS:
            return False
        rounds = list(zip(self.starts, other.starts, strict=True))
        return all(max(now) < min(later) for now, later in pairwise(rounds))


@dataclass(frozen=True, slots=True)
class Side:
    """A result in one metric. Figures are positive."""

    figure: float  # its headline
    trials: tuple[float, ...]
    runs: Runs | None = None  # of its configuration, this one among them; None: it is the only one
    configuration: str = ""  # equal ones are runs of one system; "" equals none
    series: Series | None = None
    averaged_over: int | None = None  # repetitions behind the trials, where the source gives means
    # the type of operation that a p99 is of, where it is a bound; "": of all. None is alike to none
    bound_of: str | None = ""
    spread: PooledSpread | None = field(init=False, compare=False, repr=False)  # of its trials

    def __post_init__(self) -> None:
        # once for all pairs of a board
        object.__setattr__(self, "spread", None if self.averaged_over else pooled_spread([self.trials]))

    @property
    def all_runs(self) -> Runs:
        return self.runs or Runs(1, log(self.figure), None, self.averaged_over or max(len(self.trials), 1))

    def is_alike(self, other: "Side") -> bool:
        """Whether the figures are of the same: a p99 of reads says nothing of one over all operations."""
        return self.bound_of is not None and self.bound_of == other.bound_of

    def scaled(self, factor: float) -> "Side":
        """In a unit of which there are `factor` in one: operations per dollar instead of operations."""
        trials = tuple(figure * factor for figure in self.trials)
        return replace(self, figure=self.figure * factor, trials=trials, runs=self.runs and self.runs.scaled(factor))


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of b against a. `difference` is on the logarithm; the interval holds for all pairs of the workload together."""

    ratio: float  # b / a, of the two figures
    ratio_over_runs: float  # what the interval is about: of the means of the logs of all runs
    interval: tuple[float, float]
    verdict: Verdict
    noise_from: NoiseFrom
    runs: tuple[int, int]  # of a and b that it rests on; of a series, rounds
    plan: Plan
    tests: Tests
    usual: float  # noise of clouds in this metric
    is_alike: bool = True  # False: the figures are not of the same, so that no run can decide

    @property
    def noise(self) -> float:
        """Coefficient of variation of one run; of one round in a series."""
        return PooledSpread(sqrt(self.plan.variance), 1).cv

    @property
    def p_value(self) -> float:
        """Of the ratio being 1, corrected for all pairs of the workload."""
        distance = self.plan.distance
        p_values = (max(Difference(distance, *test).p_value for test in tests) for tests in self.tests)
        return min(min(p_values) * len(self.tests) * self.plan.pairs, 1.0)

    @property
    def is_conclusive(self) -> bool:
        return self.verdict in (Verdict.BETTER, Verdict.WORSE)

    @property
    def runs_needed(self) -> int | None:
        """More runs a side (separate launches) that detect a difference of this size four times in five.

        None where the verdict is better or worse, and where more than MOST_PLANNED would be. Of a series: rounds.
        """
        if self.is_conclusive or not self.is_alike:
            return None
        plan = more_rounds if self.noise_from == NoiseFrom.SERIES else more_runs
        return plan(self.plan, min(self.runs))


def judge(a: Side, b: Side, noise: WorkloadNoise, *, higher_is_better: bool = True) -> Judgement:
    """b against a; every page takes its verdicts from here.

    Each configuration is represented by the mean of its runs. The noise of that mean is what runs of the same
    configuration vary by; where there are too few, the workload's and the usual one complete it (`run_noise`). Two runs
    of one configuration are compared as single runs, with the noise of its others.

    The test is Student's on a shared variance, or Welch's (1947) where that is the more careful. Where many pairs are
    corrected for, the tails of few degrees of freedom are so long that an estimate which is completed further may tell
    more: then either is enough, each at half the level. p-values are corrected
    for all pairs of the workload's configurations (Bonferroni): what is compared on one page decides nothing, and on a
    board of equal systems at most one in twenty has any false verdict. Equal enough is what two one-sided tests of 5 %
    place within MARGIN (Schuirmann, D. J., 1987, Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680).
    Figures that are not alike get none: they are inconclusive, whatever they differ by.
    """
    estimate = _of_rounds(a, b, noise)
    if estimate is None:
        of_trials = trial_variance((a.spread, b.spread), noise)
        is_one_system = bool(a.configuration) and a.configuration == b.configuration
        estimate = (_of_one_system if is_one_system else _of_two_systems)(a, b, noise, of_trials)
    judgement = _judgement(estimate, b.figure / a.figure, noise.usual, higher_is_better=higher_is_better)
    return judgement if a.is_alike(b) else replace(judgement, verdict=Verdict.INCONCLUSIVE, is_alike=False)


@dataclass(frozen=True, slots=True)
class _Estimate:
    log_ratio: float
    tests: Tests
    source: NoiseFrom
    runs: tuple[int, int]
    variance: float  # of one run, or of the difference in one round
    freedom: float  # behind it
    prior: float
    pairs: int

    def half_width(self, level: float) -> float:
        """Of the interval that leaves `level` outside."""
        share = level / len(self.tests)
        return min(max(error * t_of(share, freedom) for error, freedom in tests) for tests in self.tests)


def _judgement(estimate: _Estimate, ratio: float, usual: float, *, higher_is_better: bool) -> Judgement:
    log_ratio = estimate.log_ratio
    half = estimate.half_width(LEVEL / estimate.pairs)
    return Judgement(
        ratio=ratio,
        ratio_over_runs=ratio if estimate.runs == (1, 1) else exp_of(log_ratio),
        interval=(exp_of(log_ratio - half), exp_of(log_ratio + half)),
        verdict=_verdict(estimate, log_ratio, half, higher_is_better=higher_is_better),
        noise_from=estimate.source,
        runs=estimate.runs,
        plan=Plan(log_ratio, estimate.variance, estimate.freedom, estimate.prior, estimate.pairs),
        tests=estimate.tests,
        usual=usual,
    )


def _verdict(estimate: _Estimate, log_ratio: float, half: float, *, higher_is_better: bool) -> Verdict:
    if abs(log_ratio) > half:
        return Verdict.BETTER if (log_ratio > 0) == higher_is_better else Verdict.WORSE
    is_equal = abs(log_ratio) <= estimate.half_width(LEVEL)
    is_close = abs(log_ratio) + estimate.half_width(2 * LEVEL) <= MARGIN
    return Verdict.WITHIN_NOISE if is_equal and is_close else Verdict.INCONCLUSIVE


def _of_rounds(a: Side, b: Side, noise: WorkloadNoise) -> _Estimate | None:
    """Of an interleaved series, by the differences of its rounds; None of anything else."""
    if not (a.series and b.series and a.series.is_interleaved(b.series)):
        return None
    if not len(a.trials) == len(b.trials) == len(a.series.starts):
        return None  # a figure is unknown in some of them
    differences = [log(y / x) for x, y in zip(a.trials, b.trials, strict=True)]
    rounds, square = len(differences), variance(differences)
    if square < NO_VARIANCE:
        return None
    return _Estimate(
        log_ratio=fmean(differences),
        tests=(((sqrt(square / rounds), rounds - 1),),),
        source=NoiseFrom.SERIES,
        runs=(rounds, rounds),
        variance=square,
        freedom=rounds - 1,
        prior=square,
        pairs=noise.pairs,
    )


def _of_one_system(a: Side, b: Side, noise: WorkloadNoise, of_trials: float) -> _Estimate:
    runs = a.runs or b.runs or Runs(1)
    others = runs.without(a.figure, b.figure) if runs.count > 2 else None
    pairs = pairs_of(max(noise.configurations, runs.count))
    single = [replace(side, runs=None).all_runs for side in (a, b)]
    return _estimate(single, within([others]) if others else None, noise.without(runs), of_trials, pairs)


def _of_two_systems(a: Side, b: Side, noise: WorkloadNoise, of_trials: float) -> _Estimate:
    sides = [a.all_runs, b.all_runs]
    return _estimate(sides, within(sides), noise.without(*sides), of_trials, noise.pairs)


def _estimate(sides: Sequence[Runs], own: Runs | None, rest: WorkloadNoise, of_trials: float, pairs: int) -> _Estimate:
    """`own` are the runs whose noise counts, `rest` is what the others of the workload say."""
    full = full_freedom(pairs)
    noises = [run_noise(own, rest, of_trials, full=FEWEST_FREEDOM)]
    noise = noises[0]
    if noise.source != NoiseFrom.CLOUDS and noise.freedom < full:
        noises.append(run_noise(own, rest, of_trials, full=full))
    trials = min(side.trials for side in sides)
    prior = run_noise(None, rest, of_trials, full=FEWEST_FREEDOM)
    return _Estimate(
        log_ratio=sides[1].mean - sides[0].mean,
        tests=tuple(_tests(sides, each, of_trials) for each in noises),
        source=noise.source,
        runs=(sides[0].count, sides[1].count),
        variance=noise.of_run(trials, of_trials),
        freedom=inf if noise.source == NoiseFrom.CLOUDS else noise.freedom,
        prior=prior.of_run(trials, of_trials),
        pairs=pairs,
    )


def _tests(sides: Sequence[Runs], noise: RunNoise, of_trials: float) -> tuple[tuple[float, float], ...]:
    student = sqrt(sum(noise.of_run(side.trials, of_trials) / side.count for side in sides)), noise.freedom
    has_own = all(side.freedom for side in sides) and sum(side.freedom for side in sides) >= FEWEST_FREEDOM
    if not has_own or sum(side.square for side in sides) < NO_VARIANCE:
        return (student,)
    return student, _welch(sides, FEWEST_FREEDOM)


def _welch(sides: Sequence[Runs], full: float) -> tuple[float, float]:
    """Each side by its own variance; degrees of freedom by Satterthwaite (1946), no fewer than an estimate needs."""
    squares = [(side.variance or 0.0) / side.count for side in sides]
    spread = sum(part**2 / side.freedom for part, side in zip(squares, sides, strict=True))
    return sqrt(sum(squares)), max(sum(squares) ** 2 / spread, full) if spread else full
