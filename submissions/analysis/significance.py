"""How sure a difference is: intervals of ratios, pooled spread, correction for many comparisons, trials needed.

Everything is computed on logarithms: noise of throughput and latency is relative, and a ratio is a
difference of logs. A standard deviation of logs is, below 20 %, as good as the coefficient of variation.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb, exp, log, sqrt
from statistics import fmean, variance

from submissions.analysis.trials import CONFIDENCE, t_quantile

ALPHA = 1 - CONFIDENCE  # two-sided
POWER = 0.8  # the usual chance to find a difference that is there
MAX_TRIALS_ASKED = 100  # a difference that needs more trials than this is none to plan for
# "6-12 % between equal runs": Cassandra performance testing on EC2, hulen.com, 2010
USUAL_NOISE = (0.06, 0.12)


@dataclass(frozen=True, slots=True)
class PooledSpread:
    """The run-to-run spread of a workload, from all its submissions with two trials or more."""

    sd: float  # of the logs
    freedom: int  # degrees of freedom: trials minus submissions

    @property
    def cv(self) -> float:
        """Coefficient of variation, a fraction; exact for log-normal noise."""
        return sqrt(exp(self.sd**2) - 1)


@dataclass(frozen=True, slots=True)
class Difference:
    """log(b / a) with its standard error; `freedom` of the t-distribution behind it."""

    log_ratio: float
    standard_error: float  # > 0
    freedom: float
    is_pooled: bool  # the error comes from the workload's spread, not from the two sides

    def shifted(self, factor: float) -> "Difference":
        """The same for the ratio times a factor that has no noise, such as a price."""
        return Difference(self.log_ratio + log(factor), self.standard_error, self.freedom, self.is_pooled)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the ratio."""
        half = t_quantile(self.freedom) * self.standard_error
        return _exp(self.log_ratio - half), _exp(self.log_ratio + half)

    @property
    def p_value(self) -> float:
        """Two-sided, of the ratio being 1."""
        from scipy.special import stdtr  # here, as below: every process would load it, and few compute with it

        return float(2 * stdtr(self.freedom, -abs(self.log_ratio) / self.standard_error))


def pooled_spread(samples: Iterable[Sequence[float]]) -> PooledSpread | None:
    """From the positive figures of several submissions, a sequence each; None where none has a spread."""
    own = [(len(sample) - 1, variance(_logs(sample))) for sample in samples if len(sample) > 1]
    return pooled_from_variances(own)


def pooled_from_variances(own: Iterable[tuple[int, float]]) -> PooledSpread | None:
    """From (degrees of freedom, variance of the logs) of each submission: s² = Σ f s² / Σ f."""
    pairs = [(freedom, spread) for freedom, spread in own if freedom > 0]
    freedom = sum(part for part, _ in pairs)
    if not freedom:
        return None
    square = sum(part * spread for part, spread in pairs) / freedom
    return PooledSpread(sqrt(square), freedom) if square > 0 else None


def difference(of_a: Sequence[float], of_b: Sequence[float], pooled: PooledSpread | None = None) -> Difference | None:
    """b against a, both positive, by Welch's t on the logs, or Student's where that is the more careful.

    Where a side has one figure, or neither has any spread, the standard error is that of `pooled`; None
    without it. Welch, B. L. (1947), Biometrika 34, 28-35.
    """
    if not of_a or not of_b or min(*of_a, *of_b) <= 0:
        return None
    logs_a, logs_b = _logs(of_a), _logs(of_b)
    log_ratio = fmean(logs_b) - fmean(logs_a)
    if len(logs_a) > 1 and len(logs_b) > 1 and (own := _error(logs_a, logs_b)):
        error, freedom = own
        return Difference(log_ratio, error, freedom, is_pooled=False)
    if pooled is None:
        return None
    error = pooled.sd * sqrt(1 / len(logs_a) + 1 / len(logs_b))
    return Difference(log_ratio, error, pooled.freedom, is_pooled=True)


def rank_test(of_a: Sequence[float], of_b: Sequence[float]) -> float | None:
    """Two-sided p of Mann and Whitney's U; None where so few figures could never reach 5 %."""
    if not of_a or not of_b or 2 / comb(len(of_a) + len(of_b), len(of_a)) > ALPHA:
        return None
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(of_b, of_a, alternative="two-sided").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted for being several, in the given order: each may be read against 5 %.

    Holm, S. (1979), Scandinavian Journal of Statistics 6, 65-70: the smallest of m times m, the next
    times m - 1, ..., none smaller than the one before it.
    """
    adjusted = [1.0] * len(p_values)
    so_far = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = so_far
    return adjusted


def trials_needed(log_ratio: float, sd_a: float, sd_b: float) -> int | None:
    """Trials of each side with which Welch's test finds this difference four times in five.

    `sd_a`, `sd_b` are standard deviations of the logs. None where MAX_TRIALS_ASKED are too few. Power by
    the noncentral t-distribution.
    """
    distance = abs(log_ratio)
    if _power(MAX_TRIALS_ASKED, distance, sd_a, sd_b) < POWER:
        return None
    return _first(2, MAX_TRIALS_ASKED, lambda n: _power(n, distance, sd_a, sd_b) >= POWER)


def _power(n: int, distance: float, sd_a: float, sd_b: float) -> float:
    """Chance that n trials a side tell the difference; n > 1."""
    spread = sd_a**2 + sd_b**2
    if distance == 0:
        return ALPHA
    if spread == 0:
        return 1.0
    freedom = spread**2 / (sd_a**4 + sd_b**4) * (n - 1)
    shift = distance / sqrt(spread / n)
    critical = t_quantile(freedom)
    from scipy.stats import nct

    found = float(nct.sf(critical, freedom, shift))
    # far out the library gives nan: the test cannot miss there
    return found if found == found else 1.0


def _first(low: int, high: int, is_enough: Callable[[int], bool]) -> int:
    """The smallest number that is enough, by halving; `high` is."""
    while low < high:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _error(logs_a: Sequence[float], logs_b: Sequence[float]) -> tuple[float, float] | None:
    """Standard error of the difference and its degrees of freedom; None without any spread.

    Welch's, or Student's where that is the wider: with 2 trials against 10 Welch's alone would call
    one of ten pairs of equal systems different. Satterthwaite, F. E. (1946), Biometrics Bulletin 2, 110-114.
    """
    count_a, count_b = len(logs_a), len(logs_b)
    spread_a, spread_b = variance(logs_a), variance(logs_b)
    of_a, of_b = spread_a / count_a, spread_b / count_b
    # equal figures differ by rounding in their logs only
    if of_a + of_b < 1e-24:
        return None
    welch_freedom = (of_a + of_b) ** 2 / (of_a**2 / (count_a - 1) + of_b**2 / (count_b - 1))
    freedom = count_a + count_b - 2
    shared = ((count_a - 1) * spread_a + (count_b - 1) * spread_b) / freedom
    welch = sqrt(of_a + of_b), welch_freedom
    student = sqrt(shared * (1 / count_a + 1 / count_b)), float(freedom)
    return max(welch, student, key=lambda pair: pair[0] * t_quantile(pair[1]))


def _logs(sample: Sequence[float]) -> list[float]:
    return [log(figure) for figure in sample]


def _exp(exponent: float) -> float:
    """Within what a float holds: an interval of hopeless width is still one."""
    return exp(min(max(exponent, -700.0), 700.0))
