"""How many more runs a verdict would need."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from submissions.analysis.comparison.noise import FEWEST_FREEDOM, full_freedom
from submissions.analysis.comparison.significance import LEVEL, t_of

POWER = 0.8  # the usual chance to detect a difference that is there
MOST_PLANNED = 100  # a difference that needs more runs than this is none to plan for
_FEWEST = 2
_CAREFUL = 0.2  # an estimated noise is planned with at its upper limit, which one in five exceeds


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan needs of a pair; `distance` is the logarithm of its ratio."""

    distance: float
    variance: float  # of one run, or of the difference in one round
    freedom: float  # behind the variance; infinite where it is assumed
    prior: float  # variance that completes an estimate of few runs
    pairs: int  # that verdicts are corrected for


def more_runs(plan: Plan, have: int) -> int | None:
    """Of each side, so that a difference of this size is detected four times in five; None over MOST_PLANNED.

    An estimate from few runs may be too low: then its upper confidence limit is planned with (Browne, R. H., 1995,
    Statistics in Medicine 14, 1933-1940). Power by the noncentral t-distribution.
    """
    variance = _careful(plan)
    return _beyond(have, lambda runs: _power_of_runs(runs, plan, variance))


def more_rounds(plan: Plan, have: int) -> int | None:
    """The same for the rounds of a series, which are compared in pairs."""
    variance = _careful(plan)
    return _beyond(have, lambda rounds: _power(plan.distance, variance / rounds, 1.0, rounds - 1, plan.pairs))


def _power_of_runs(runs: int, plan: Plan, variance: float) -> float:
    """As `verdicts.judge` will test: by its own noise or, where pairs are corrected for, completed further."""
    own, full = 2 * (runs - 1), full_freedom(plan.pairs)
    bars = [FEWEST_FREEDOM, full] if max(own, FEWEST_FREEDOM) < full else [FEWEST_FREEDOM]
    return max(_power_of_test(runs, plan, variance, bar, len(bars)) for bar in bars)


def _power_of_test(runs: int, plan: Plan, variance: float, full: float, alternatives: int) -> float:
    own, shares = 2 * (runs - 1), plan.pairs * alternatives
    if own < full:
        judged_by = (own * variance + (full - own) * plan.prior) / full
        return _power(plan.distance, 2 * variance / runs, sqrt(judged_by / variance), full, shares)
    welch = 2 * (runs - 1) * runs / (runs + 1)  # its mean degrees of freedom for sides of equal noise
    return _power(plan.distance, 2 * variance / runs, 1.0, max(welch, full), shares)


def _power(distance: float, error_square: float, widened: float, freedom: float, pairs: int) -> float:
    """Chance that a test at the corrected level detects the distance; `widened`: by how much its error is too large."""
    if distance == 0:
        return 0.0
    from scipy.stats import nct  # here: it takes a second to load, and few pages plan

    power = float(nct.sf(t_of(LEVEL / pairs, freedom) * widened, freedom, abs(distance) / sqrt(error_square)))
    # far out the library gives nan: the test cannot miss there
    return power if power == power else 1.0


def _careful(plan: Plan) -> float:
    from scipy.special import chdtri

    if plan.freedom == float("inf"):
        return plan.variance
    return plan.variance * plan.freedom / float(chdtri(plan.freedom, 1 - _CAREFUL))


def _beyond(have: int, power: Callable[[int], float]) -> int | None:
    """More than there are; at least one, because those were not enough."""
    if power(MOST_PLANNED) < POWER:
        return None
    low, high = _FEWEST, MOST_PLANNED
    while low < high:
        middle = (low + high) // 2
        if power(middle) >= POWER:
            high = middle
        else:
            low = middle + 1
    return max(low - have, 1)
