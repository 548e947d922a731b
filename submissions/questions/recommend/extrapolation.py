"""Sizes that were not measured: the smallest cluster of a measured shape that should reach the throughput."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.analysis.sizing import FARTHEST, Needed, Size, nodes_needed
from submissions.models import Submission, Workload
from submissions.pricing.cost import SystemCost
from submissions.pricing.reprice import Resized, costs_of_resized, resized
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.tally import ClusterKey

MOST_PRICED = 30  # the shapes that need the fewest nodes
MOST_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """`base` is the result of the nearest measured size."""

    needed: Needed
    base: Submission
    candidate: Candidate
    cluster: Resized
    cost: SystemCost
    measured: tuple[int, ...]  # node counts


def estimates(own: Sequence[Candidate], workload: Workload, params: RecommendParams) -> tuple[Estimate, ...]:
    """The cheapest ones within the budget, of candidates of one workload. Three queries, none without a throughput.

    In proportion to the nearest measured size that keeps the p99, at most twice the largest measured one and half
    of the smallest; between measured sizes along a straight line. The p99 of an estimate is not known.
    """
    if params.target_ops_s is None:
        return ()
    wanted = _needed(own, workload, params, params.target_ops_s)
    rows = Submission.objects.listed().prefetch_related("node_groups")
    bases = rows.in_bulk([candidate.point.pk for _, candidate, _ in wanted])
    wanted = [one for one in wanted if one[1].point.pk in bases]
    clusters = [resized(bases[candidate.point.pk], needed.node_count) for needed, candidate, _ in wanted]
    costs = costs_of_resized(clusters, params.terms) if clusters else []
    found = [
        Estimate(needed, bases[candidate.point.pk], candidate, cluster, cost, sizes)
        for (needed, candidate, sizes), cluster, cost in zip(wanted, clusters, costs, strict=True)
        if _is_affordable(cost, params)
    ]
    return tuple(sorted(found, key=lambda one: (one.cost.hourly_usd or 0, one.needed.node_count))[:MOST_SHOWN])


def _is_affordable(cost: SystemCost, params: RecommendParams) -> bool:
    usd, budget = cost.monthly_usd, params.budget_usd_month
    return usd is not None and (budget is None or usd <= budget)


def _needed(
    own: Sequence[Candidate], workload: Workload, params: RecommendParams, target: float
) -> list[tuple[Needed, Candidate, tuple[int, ...]]]:
    """For each shape the size that was not measured, and the best result of the nearest one that was."""
    shapes: dict[ClusterKey, dict[int, Candidate]] = {}
    for one in own:
        if one.key.is_scalable and one.point.keeps(params.max_p99_ms) and not one.point.is_throttled:
            sizes = shapes.setdefault(one.key, {})
            if one.nodes not in sizes or one.point.rate > sizes[one.nodes].point.rate:
                sizes[one.nodes] = one
    factor = workload.canonical.get("replication_factor")
    floor = factor if isinstance(factor, int) else 1
    wanted = []
    for sizes in shapes.values():
        rates = [Size(nodes, one.point.rate) for nodes, one in sizes.items()]
        needed = nodes_needed(rates, target, at_least=floor)
        if needed is not None and needed.node_count not in sizes and needed.node_count * FARTHEST >= min(sizes):
            wanted.append((needed, sizes[needed.nearest], tuple(sorted(sizes))))
    return sorted(wanted, key=lambda one: (one[0].node_count, one[1].point.pk))[:MOST_PRICED]
