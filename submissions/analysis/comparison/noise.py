"""How much a figure varies: between the trials of one run, and between runs (separate launches) of one configuration.

A run's figure is modelled on the logarithm as `configuration + run + trial`, both terms random: a one-way random
effects model. The variance of runs is taken from their means, unweighted, so that it holds what trials add too
(Burdick and Graybill, Confidence Intervals on Variance Components, 1992, section 4.3).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf, log, log2, sqrt

from submissions.analysis.comparison.significance import NO_VARIANCE, PooledSpread, pooled_from_variances
from submissions.choices import Choice

# "6-12 % between equal runs": Cassandra performance testing on EC2, hulen.com, 2010. Studies of clouds since then:
# Schad et al., VLDB 2010 (doi.org/10.14778/1920841.1920902); Leitner and Cito, ACM TOIT 2016
# (doi.org/10.1145/2885497); Uta et al., NSDI 2020. The lower end is for throughput, the upper one for a p99: a tail
# varies more than a mean.
USUAL_THROUGHPUT, USUAL_P99 = 0.06, 0.12
USUAL_TRIAL = 0.03  # between the trials of one run, where nothing better is known
USUAL_FREEDOM = 30  # of the usual noise: it is no more certain than one that thirty repeated runs gave
FEWEST_FREEDOM = 4  # with fewer the tails of t are so long that a second run would make a verdict less certain
MOST_COMPARED = 50  # configurations that a verdict is corrected for: no board ranks more


class NoiseFrom(Choice):
    """Where the noise between runs behind a verdict comes from."""

    OWN_RUNS = "own_runs"
    WORKLOAD = "workload"
    CLOUDS = "clouds"
    SERIES = "series"  # measured in turns: no noise between runs is in the difference


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one configuration, by the logarithm of each run's figure."""

    count: int
    mean: float = 0.0
    variance: float | None = None  # between them, sample; None with one
    trials: float = 1.0  # harmonic mean of their numbers of trials

    @property
    def freedom(self) -> int:
        return self.count - 1 if self.variance is not None else 0

    @property
    def square(self) -> float:
        """Degrees of freedom times variance."""
        return self.freedom * (self.variance or 0.0)

    def scaled(self, factor: float) -> "Runs":
        """Of figures that are `factor` times as high, without noise of its own."""
        return replace(self, mean=self.mean + log(factor))

    def without(self, *figures: float) -> "Runs | None":
        """Without runs of these figures; None where none is left."""
        count, mean, square = self.count, self.mean, self.square
        for figure in map(log, figures):
            if count < 2:
                return None
            rest = (count * mean - figure) / (count - 1)
            square = max(square - (figure - mean) * (figure - rest), 0.0)
            count, mean = count - 1, rest
        return Runs(count, mean, square / (count - 1) if count > 1 else None, self.trials)


@dataclass(frozen=True, slots=True)
class WorkloadNoise:
    """What the results of a workload say about noise in one metric; nothing by default."""

    of_trials: PooledSpread | None = None  # of one run
    of_runs: PooledSpread | None = None  # of one configuration
    trials: float = 1.0  # harmonic mean of the numbers of trials of those runs
    configurations: int = 2
    usual: float = USUAL_THROUGHPUT

    @property
    def pairs(self) -> int:
        return pairs_of(self.configurations)

    def without(self, *parts: Runs) -> "WorkloadNoise":
        """Without these runs, which speak for themselves."""
        freedom = sum(part.freedom for part in parts)
        if self.of_runs is None or not freedom:
            return self
        rest = self.of_runs.freedom - freedom
        square = self.of_runs.freedom * self.of_runs.sd**2 - sum(part.square for part in parts)
        if rest < 1 or square / rest < NO_VARIANCE:
            return replace(self, of_runs=None)
        return replace(self, of_runs=PooledSpread(sqrt(square / rest), rest))


@dataclass(frozen=True, slots=True)
class RunNoise:
    """The variance of a run that has `trials` trials, with the degrees of freedom behind it."""

    source: NoiseFrom
    variance: float
    freedom: float
    trials: float

    def of_run(self, trials: float, of_trials: float) -> float:
        """The variance of a run with so many trials: fewer than those behind the estimate add theirs."""
        return self.variance + of_trials * max(1 / trials - 1 / self.trials, 0.0)


def pairs_of(configurations: int) -> int:
    """How many pairs they make; at least one."""
    count = min(max(configurations, 2), MOST_COMPARED)
    return count * (count - 1) // 2


def full_freedom(pairs: int) -> float:
    """The degrees of freedom to which an estimate may be completed from a wider one; more where more is compared."""
    return FEWEST_FREEDOM + log2(pairs)


def within(parts: Iterable[Runs]) -> Runs | None:
    """The runs of several configurations about a mean of their own each; None where none has two that differ."""
    known = [part for part in parts if part.freedom]
    freedom = sum(part.freedom for part in known)
    if not freedom or sum(part.square for part in known) / freedom < NO_VARIANCE:
        return None  # figures that a tool rounds may be equal: that is no freedom from noise
    trials = freedom / sum(part.freedom / part.trials for part in known)
    return Runs(freedom + 1, 0.0, sum(part.square for part in known) / freedom, trials)


def pooled(parts: Iterable[Runs]) -> tuple[PooledSpread | None, float]:
    """(the noise between runs of many configurations, the harmonic mean of their trials)."""
    runs = within(parts)
    if runs is None or runs.variance is None:
        return None, 1.0
    return PooledSpread(sqrt(runs.variance), runs.freedom), runs.trials


def merged(parts: Iterable[Runs]) -> Runs | None:
    """Runs of one configuration that were counted apart; None without any."""
    known = [part for part in parts if part.count]
    if not known:
        return None
    count = sum(part.count for part in known)
    mean = sum(part.count * part.mean for part in known) / count
    square = sum(part.square + part.count * (part.mean - mean) ** 2 for part in known)
    trials = count / sum(part.count / part.trials for part in known)
    return Runs(count, mean, square / (count - 1) if count > 1 else None, trials)


def trial_variance(own: Iterable[PooledSpread | None], noise: WorkloadNoise) -> float:
    """Between the trials of one run: of these runs, completed from the workload's, else the usual one."""
    prior = noise.of_trials.sd**2 if noise.of_trials else USUAL_TRIAL**2
    known = [spread for spread in own if spread is not None]
    freedom = sum(spread.freedom for spread in known)
    if not freedom:
        return prior
    square = sum(spread.freedom * spread.sd**2 for spread in known)
    return _completed(square / freedom, freedom, prior, FEWEST_FREEDOM)


def run_noise(own: Runs | None, rest: WorkloadNoise, of_trials: float, *, full: float) -> RunNoise:
    """The noise between runs: of `own` where it has any, else the workload's, else the usual one of clouds.

    `rest` is what the other runs of the workload say; `of_trials` is the variance of trials. Below `full` degrees of
    freedom an estimate is completed with the next wider one: alone, two runs a side would need a difference of 4.3
    standard errors, and two launches would say less than one. (Smyth, G. K., 2004, Statistical Applications in
    Genetics and Molecular Biology 3, article 3, moderates variances in the same way.)
    """
    if own is not None and own.variance is not None:
        prior = run_noise(None, rest, of_trials, full=full).of_run(own.trials, of_trials)
        variance = _completed(own.variance, own.freedom, prior, full)
        return RunNoise(NoiseFrom.OWN_RUNS, variance, max(own.freedom, full), own.trials)
    if rest.of_runs is not None:
        prior = rest.usual**2 + of_trials / rest.trials
        variance = _completed(rest.of_runs.sd**2, rest.of_runs.freedom, prior, full)
        return RunNoise(NoiseFrom.WORKLOAD, variance, max(rest.of_runs.freedom, full), rest.trials)
    # the noise of trials comes on top of it, however many they are
    return RunNoise(NoiseFrom.CLOUDS, rest.usual**2, USUAL_FREEDOM, inf)


def _completed(variance: float, freedom: float, prior: float, full: float) -> float:
    """As if the degrees of freedom that are missing had been spent on `prior`."""
    missing = max(full - freedom, 0.0)
    return (freedom * variance + missing * prior) / (freedom + missing)


def joined(one: WorkloadNoise, other: WorkloadNoise) -> WorkloadNoise:
    """Of two workloads whose results are compared with each other: what both say together."""
    known = [(noise.of_runs, noise.trials) for noise in (one, other) if noise.of_runs]
    freedom = sum(spread.freedom for spread, _ in known)
    return WorkloadNoise(
        _pooled_spread(one.of_trials, other.of_trials),
        _pooled_spread(one.of_runs, other.of_runs),
        freedom / sum(spread.freedom / trials for spread, trials in known) if freedom else 1.0,
        one.configurations + other.configurations,
        one.usual,
    )


def _pooled_spread(*spreads: PooledSpread | None) -> PooledSpread | None:
    return pooled_from_variances([(spread.freedom, spread.sd**2) for spread in spreads if spread])
