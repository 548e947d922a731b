"""How sure a difference between samples is: intervals of ratios, p-values, pooled spread.

Everything is computed on logarithms: noise of throughput and latency is relative, and a ratio is a
difference of logs. A standard deviation of logs is, below 20 %, as good as the coefficient of variation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, fsum, log, sqrt
from statistics import fmean

from submissions.analysis.trials import CONFIDENCE, t_quantile

ALPHA = 1 - CONFIDENCE  # two-sided
# Verdicts are tested at a little less, so that noise that is not quite normal keeps the promise of ALPHA
LEVEL = 0.04
NO_VARIANCE = 1e-24  # figures that are equal differ by rounding in their logs only


@dataclass(frozen=True, slots=True)
class PooledSpread:
    """How much figures vary about the means of their groups."""

    sd: float  # of the logs
    freedom: int  # degrees of freedom: figures minus groups

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

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the ratio."""
        half = t_quantile(self.freedom) * self.standard_error
        return exp_of(self.log_ratio - half), exp_of(self.log_ratio + half)

    @property
    def p_value(self) -> float:
        """Two-sided, of the ratio being 1."""
        from scipy.special import stdtr

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


def difference(of_a: Sequence[float], of_b: Sequence[float]) -> Difference | None:
    """b against a, both positive, by Welch's t on the logs, or Student's where that is the more careful.

    None where a side has one figure, or neither has any spread. Welch, B. L. (1947), Biometrika 34, 28-35.
    """
    if len(of_a) < 2 or len(of_b) < 2 or min(*of_a, *of_b) <= 0:
        return None
    logs_a, logs_b = _logs(of_a), _logs(of_b)
    own = _error(logs_a, logs_b)
    return Difference(fmean(logs_b) - fmean(logs_a), *own) if own else None


@lru_cache(10_000)
def t_of(level: float, freedom: float) -> float:
    """Student's t that leaves `level` outside, on both sides together."""
    from scipy.special import stdtrit  # here, as below: every process would load it, and few compute with it

    return float(-stdtrit(freedom, level / 2))


def rank_test(of_a: Sequence[float], of_b: Sequence[float]) -> float | None:
    """Two-sided p of Mann and Whitney's U; None where so few figures could never reach 5 %."""
    if not of_a or not of_b or 2 / comb(len(of_a) + len(of_b), len(of_a)) > ALPHA:
        return None
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(of_b, of_a, alternative="two-sided").pvalue)


def _error(logs_a: Sequence[float], logs_b: Sequence[float]) -> tuple[float, float] | None:
    """Standard error of the difference and its degrees of freedom; None without any spread.

    Welch's, or Student's where that is the wider: with 2 trials against 10 Welch's alone would call
    one of ten pairs of equal systems different. Satterthwaite, F. E. (1946), Biometrics Bulletin 2, 110-114.
    """
    count_a, count_b = len(logs_a), len(logs_b)
    spread_a, spread_b = variance(logs_a), variance(logs_b)
    of_a, of_b = spread_a / count_a, spread_b / count_b
    if of_a + of_b < NO_VARIANCE:
        return None
    welch_freedom = (of_a + of_b) ** 2 / (of_a**2 / (count_a - 1) + of_b**2 / (count_b - 1))
    freedom = count_a + count_b - 2
    shared = ((count_a - 1) * spread_a + (count_b - 1) * spread_b) / freedom
    welch = sqrt(of_a + of_b), welch_freedom
    student = sqrt(shared * (1 / count_a + 1 / count_b)), float(freedom)
    return max(welch, student, key=lambda pair: pair[0] * t_quantile(pair[1]))


def variance(logs: Sequence[float]) -> float:
    """Sample variance; as `statistics.variance`, which adds fractions and takes twenty times as long."""
    mean = fmean(logs)
    return fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1)


def _logs(sample: Sequence[float]) -> list[float]:
    return [log(figure) for figure in sample]


def exp_of(exponent: float) -> float:
    """Within what a float holds: an interval of hopeless width is still one."""
    return exp(min(max(exponent, -700.0), 700.0))
