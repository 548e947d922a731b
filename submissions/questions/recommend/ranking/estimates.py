"""Sizes that were not measured: the smallest cluster of a measured shape that should reach the throughput."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from submissions.analysis.cluster_size.sizing import FARTHEST, Needed, nodes_needed
from submissions.analysis.cluster_size.sizing import Size as Measured
from submissions.choices import Choice
from submissions.models import Submission
from submissions.pricing.reprice import costs_of_resized, resized
from submissions.questions.recommend.aggregate import ClusterKey
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.month.result import AnswerMonth
from submissions.questions.recommend.ranking.capacity import Capacity
from submissions.questions.recommend.ranking.prices import Price, Size, of_cost, prices_on_day

MOST_PRICED_BY_ROWS = 30  # at the prices of the measurement: the shapes that need the fewest nodes
MOST_SHOWN = 2


class Kind(Choice):
    INTERPOLATED = "interpolated"
    EXTRAPOLATED = "extrapolated"


@dataclass(frozen=True, slots=True)
class Estimate:
    """`base` is the result of the nearest measured size, `candidate` its load that keeps the limit."""

    needed: Needed
    base: Submission
    candidate: Candidate
    price: Price
    measured: tuple[int, ...]  # node counts
    extras_usd: Decimal | None = Decimal(0)  # as of a candidate
    month: AnswerMonth | None = None

    @property
    def usd_per_month(self) -> Decimal | None:
        """As of a candidate: what is compared."""
        return month_usd(self.price, self.extras_usd)

    @property
    def capacity(self) -> Capacity:
        return self.candidate.capacity.of_nodes(self.needed.node_count, self.candidate.nodes)

    @property
    def kind(self) -> Kind:
        return Kind.EXTRAPOLATED if self.needed.is_extrapolated else Kind.INTERPOLATED

    @property
    def between(self) -> tuple[int, int] | None:
        """The measured sizes on both sides of an interpolated one."""
        if self.needed.is_extrapolated:
            return None
        nodes = self.needed.node_count
        return max(n for n in self.measured if n < nodes), min(n for n in self.measured if n > nodes)


class _Wanted(NamedTuple):
    needed: Needed
    candidate: Candidate
    measured: tuple[int, ...]

    @property
    def size(self) -> Size:
        return Size(self.candidate.key, self.needed.node_count)


Extras = Callable[[Candidate, int], Decimal | None]  # of a candidate with so many nodes, USD a month


def _no_extras(candidate: Candidate, nodes: int) -> Decimal | None:
    return Decimal(0)


def estimates(
    candidates: Iterable[Candidate],
    replication_factors: Mapping[int, int],
    params: RecommendParams,
    extras: Extras = _no_extras,
) -> tuple[Estimate, ...]:
    """The cheapest ones within the budget, of all workloads; sizes are taken from one workload each. Three queries,
    none without a throughput.

    In proportion to the nearest measured size that keeps the p99, at most twice the largest measured one and half
    of the smallest; between measured sizes along a straight line. The p99 of an estimate is not known. Where data is
    asked for, large enough for it, too.
    """
    if params.target_ops_s is None:
        return ()
    wanted = _wanted(candidates, replication_factors, params, params.target_ops_s)
    rows = Submission.objects.listed().select_related("workload").prefetch_related("node_groups")
    if params.terms.day is None:
        wanted = sorted(wanted, key=lambda one: one.needed.node_count)[:MOST_PRICED_BY_ROWS]
        bases = rows.in_bulk([one.candidate.point.pk for one in wanted])
        wanted = [one for one in wanted if one.candidate.point.pk in bases]
        clusters = [resized(bases[one.candidate.point.pk], one.needed.node_count) for one in wanted]
        costs = costs_of_resized(clusters, params.terms) if clusters else []
        priced = [(of_cost(cost, None), one) for cost, one in zip(costs, wanted, strict=True)]
        cheapest = _affordable(priced, params, extras)
    else:
        prices = prices_on_day([one.size for one in wanted], params.terms)
        cheapest = _affordable(((prices[one.size], one) for one in wanted), params, extras)
        bases = rows.in_bulk([one.candidate.point.pk for _, _, one in cheapest])
    return tuple(
        Estimate(one.needed, bases[one.candidate.point.pk], one.candidate, price, one.measured, extras_usd)
        for price, extras_usd, one in cheapest
        if one.candidate.point.pk in bases
    )


def month_usd(price: Price, extras_usd: Decimal | None) -> Decimal | None:
    usd = price.usd_per_month
    return None if usd is None or extras_usd is None else usd + extras_usd


def _affordable(
    priced: Iterable[tuple[Price, _Wanted]], params: RecommendParams, extras: Extras
) -> list[tuple[Price, Decimal | None, _Wanted]]:
    """The cheapest first; of equal ones the one with the fewest nodes, then by the newest result. Where data is asked
    for, those that were measured with a known amount come before all others.
    """
    budget = params.budget_usd_month
    with_extras = [(price, extras(one.candidate, one.needed.node_count), one) for price, one in priced]
    affordable = [
        (
            one.candidate.capacity.is_unknown,
            usd,
            one.needed.node_count,
            -one.candidate.point.measured,
            -one.candidate.point.pk,
            (price, beside, one),
        )
        for price, beside, one in with_extras
        if (usd := month_usd(price, beside)) is not None and (budget is None or usd <= budget)
    ]
    return [each for *_, each in sorted(affordable, key=lambda each: each[:5])[:MOST_SHOWN]]


def _wanted(
    candidates: Iterable[Candidate], replication_factors: Mapping[int, int], params: RecommendParams, target: float
) -> list[_Wanted]:
    """For each shape under each workload the size that was not measured, and the best result of the nearest one."""
    shapes: dict[tuple[int, ClusterKey], dict[int, Candidate]] = {}
    for one in candidates:
        if one.key.is_scalable and one.point.keeps(params.max_p99_ms) and not one.point.is_throttled:
            sizes = shapes.setdefault((one.workload_id, one.key), {})
            if one.nodes not in sizes or one.point.rate > sizes[one.nodes].point.rate:
                sizes[one.nodes] = one
    wanted = []
    for (workload_id, _), sizes in shapes.items():
        rates = [Measured(nodes, one.point.rate) for nodes, one in sizes.items()]
        least = [one.capacity.least_nodes(nodes) for nodes, one in sizes.items()]
        able = [nodes for nodes in least if nodes is not None]
        if len(able) < len(least):
            continue
        at_least = max(replication_factors.get(workload_id, 1), params.zones or 1, *able)
        needed = nodes_needed(rates, target, at_least=at_least)
        if needed is not None and needed.node_count not in sizes and needed.node_count * FARTHEST >= min(sizes):
            wanted.append(_Wanted(needed, sizes[needed.nearest], tuple(sorted(sizes))))
    return wanted
