"""The headline of repeated trials: mean throughput, its interval and its spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt
from statistics import fmean

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """Throughputs in ops/s; what one trial cannot tell is None."""

    mean: float
    low: float | None  # ends of the 95 % t-interval of the mean
    high: float | None
    cv: float | None  # sample standard deviation / mean, a fraction
    n: int


def headline(throughputs: Sequence[float]) -> Spread:
    """Mean with its 95 % t-interval (n - 1 degrees of freedom) and coefficient of variation.

    `throughputs` are positive, one a trial. Raises ValueError when there is none.
    """
    if not throughputs:
        raise ValueError("no trial, no headline")
    n = len(throughputs)
    mean = fmean(throughputs)
    if n == 1:
        return Spread(mean, None, None, None, 1)
    deviation = _deviation(throughputs)
    half = t_quantile(n - 1) * deviation / sqrt(n)
    # a rate is never negative: two very different trials would else give a low end below zero
    return Spread(mean, max(mean - half, 0.0), mean + half, deviation / mean, n)


def _deviation(values: Sequence[float]) -> float:
    """Of a sample, as statistics.stdev but for the last digits: that one adds fractions, in ten times the time.

    From the first value, so that equal ones have none.
    """
    differences = [value - values[0] for value in values]
    n = len(values)
    squares = fsum(each * each for each in differences) - fsum(differences) ** 2 / n
    return sqrt(max(squares, 0.0) / (n - 1))


@lru_cache(1_000)  # most ask for the few degrees of freedom that some trials have
def t_quantile(degrees_of_freedom: float) -> float:
    """Student's t that leaves 2.5 % on either side; what scipy.stats computes, without its checks of arrays."""
    from scipy.special import stdtrit  # here: every process would load it, for the half of a second

    return float(stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
