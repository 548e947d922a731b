"""How far a candidate is from what was asked for: the limits it misses, and by what factor."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import inf, log
from typing import Any

from submissions.choices import Choice
from submissions.questions.recommend.candidates import Candidate, Slot
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.ranking.capacity import MOST_TIMES, Capacity


class Limit(Choice):
    RATE = "rate"
    P99 = "p99"
    SPACE = "space"
    DATA_TO_MEMORY = "data_to_memory"
    ZONES = "zones"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Miss:
    """`factor`: by how many times the limit is missed, above 1; None where the figure is unknown."""

    limit: Limit
    factor: float | None


# Limits missed, unknown figures (of those limits, and the ratio of data to memory), the sum of the logarithms of the
# factors
Distance = tuple[int, int, float]


def misses(candidate: Candidate, params: RecommendParams) -> list[Miss]:
    """In the order of the question; empty where the candidate answers it."""
    point, usd = candidate.point, candidate.usd_per_month
    found = []
    if params.target_ops_s is not None and point.rate < params.target_ops_s:
        found.append(Miss(Limit.RATE, params.target_ops_s / point.rate))
    if params.max_p99_ms is not None and not point.keeps(params.max_p99_ms):
        found.append(Miss(Limit.P99, _times(point.limited_ms, params.max_p99_ms) if point.has_p99 else None))
    found += _of_data(candidate.capacity)
    if params.zones is not None and not candidate.spans(params):
        found.append(Miss(Limit.ZONES, params.zones / candidate.nodes))
    if params.budget_usd_month is not None and not candidate.is_within_budget(params):
        found.append(Miss(Limit.BUDGET, None if usd is None else _times(usd, params.budget_usd_month)))
    return found


def _of_data(capacity: Capacity) -> list[Miss]:
    found = []
    if capacity.requested_gib is not None and not capacity.has_space:
        space = capacity.space_gib
        found.append(
            Miss(Limit.SPACE, None if capacity.holds_gib is None or not space else capacity.requested_gib / space)
        )
    if not capacity.is_measured_alike:
        found.append(Miss(Limit.DATA_TO_MEMORY, (capacity.times or 0.0) / MOST_TIMES))
    return found


def distance(candidate: Candidate, params: RecommendParams) -> Distance:
    found = misses(candidate, params)
    factors = [miss.factor for miss in found if miss.factor is not None]
    unknown = len(found) - len(factors) + candidate.capacity.is_unknown
    return len(found), unknown, sum(map(log, factors))


def nearest_first(candidates: Iterable[Candidate], params: RecommendParams) -> list[Candidate]:
    """Of each cluster under each workload the nearest; those that answer come first, the cheapest of them first.

    Fewest limits missed, unknown figures after known ones of equal number, then the least miss, then cost, then the
    newest. Of one cluster at one price the highest rate.
    """
    best: dict[Slot, tuple[tuple[Any, ...], Candidate]] = {}
    for one in candidates:
        order = (distance(one, params), _usd(one), -one.point.rate, -one.point.measured, -one.point.pk)
        if one.slot not in best or order < best[one.slot][0]:
            best[one.slot] = order, one
    ordered = sorted(best.values(), key=lambda pair: (*pair[0][:2], -pair[1].point.measured, *pair[0][2:]))
    return [one for _, one in ordered]


def _usd(candidate: Candidate) -> Decimal | float:
    """What is unknown comes last."""
    return inf if candidate.usd_per_month is None else candidate.usd_per_month


def _times(figure: float | Decimal, limit: float | Decimal) -> float:
    return float(figure) / float(limit) if limit else inf
