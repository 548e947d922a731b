"""All ranked results of a workload at the prices of a day: each cluster is priced once, whatever was measured on it.

Of equal clusters whoever does more gives more for a dollar, whatever it costs: so the best ones are known before.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from heapq import nlargest
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from submissions.aggregates.store import refresh
from submissions.analysis.pareto import Point, pareto_front
from submissions.choices import LatencyKind, Role, Trust
from submissions.formatting.names import cluster_name
from submissions.models import Aggregate, WorkloadFigures
from submissions.pricing.clusters import Cluster, costs_at
from submissions.pricing.reprice import RowCost, row_cost
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.value.aggregate import CLUSTERS, Equals, Setup, setups_in
from submissions.questions.value.architectures import BestOfTypes
from submissions.questions.value.machines import Chosen, Machine
from submissions.questions.value.pareto import CHART_ROWS, MOST_MARKS, Mark
from submissions.records.cache import prices_version

Setups = Sequence[tuple[Setup, Equals]]


class PricedRow(NamedTuple):
    ops_per_usd: Decimal
    pk: int
    throughput_ops_s: float
    cost: RowCost


class Group(NamedTuple):
    n: int
    best: PricedRow
    worst: Decimal

    def with_other(self, other: "Group") -> "Group":
        return Group(self.n + other.n, max(self.best, other.best, key=value_order), min(self.worst, other.worst))


@dataclass(slots=True)
class AtPrices:
    """The results of levels of trust at the prices of a day."""

    usable: int = 0  # with a price
    p99_by_kind: Counter[LatencyKind] = field(default_factory=Counter)
    groups: dict[tuple[str | int | None, ...], Group] = field(default_factory=dict)
    best: list[PricedRow] = field(default_factory=list)  # the CHART_ROWS best by value, best first
    front: list[PricedRow] = field(default_factory=list)
    others: list[Mark] = field(default_factory=list)  # the fastest of each other cluster
    unpriced: Counter[tuple[str, str]] = field(default_factory=Counter)  # by provider and why
    types: BestOfTypes = field(default_factory=BestOfTypes)


class _Priced(NamedTuple):
    setup: Setup
    equals: Equals
    cost: RowCost
    best: PricedRow


def at_prices(workload_id: int, terms: PriceTerms, levels: Iterable[Trust], chosen: Chosen, by: GroupBy) -> AtPrices:
    """Of levels of trust and the chosen machines, at the prices of a day. Three queries."""
    setups = _of_levels(workload_id, levels)
    if not chosen.is_all:
        setups = [(setup, equals) for setup, equals in setups if chosen.takes(setup.machine)]
    costs_of = _costs.__wrapped__ if terms.discounts else _costs  # what a reader pays is stored nowhere
    costs = costs_of(prices_version(), frozenset(setup.cluster for setup, _ in setups), terms)
    found, priced = AtPrices(), []
    for setup, equals in setups:
        cost = costs[setup.cluster]
        if isinstance(cost, str):
            found.unpriced[setup.cluster.provider, cost] += equals.n
            continue
        row = _Priced(setup, equals, cost, _at(cost, *equals.best[0]))
        priced.append(row)
        _add(found, row, by)
    # a result among the best is of a setup whose best one is among them
    first = nlargest(CHART_ROWS, priced, key=lambda row: value_order(row.best))
    found.best = nlargest(CHART_ROWS, chain.from_iterable(map(_by_value, first)), key=value_order)
    found.front = _front_of([_first_of_fastest(row) for row in priced])
    drawn = {row.pk for row in (*found.best, *found.front)}
    others = [row for row in priced if row.best.pk not in drawn]
    most = MOST_MARKS - len(drawn)
    others = others if len(others) <= most else nlargest(most, others, key=lambda row: value_order(row.best))
    found.others = [_mark(row) for row in others]
    return found


def machine_counts(workload_id: int, levels: Iterable[Trust]) -> Counter[Machine]:
    """Results of each machine on these levels of trust, with and without a price."""
    counts: Counter[Machine] = Counter()
    for setup, equals in _of_levels(workload_id, levels):
        counts[setup.machine] += equals.n
    return counts


def _of_levels(workload_id: int, levels: Iterable[Trust]) -> Setups:
    """Three queries where nothing has changed, two when these figures were read before."""
    refresh([workload_id])
    version = WorkloadFigures.objects.filter(pk=workload_id).values_list("version", flat=True).first()
    trusts = frozenset(levels)
    return [(setup, equals) for setup, equals in _setups(workload_id, version) if setup.trust in trusts]


@lru_cache(maxsize=8)
def _setups(workload_id: int, version: UUID | None) -> Setups:
    """Of this version of the figures. One query."""
    state = Aggregate.objects.filter(workload=workload_id, kind=CLUSTERS.name).values_list("state", flat=True).first()
    return tuple(setups_in(json.loads(state or "{}")))


@lru_cache(maxsize=8)
def _costs(version: str, clusters: frozenset[Cluster], terms: PriceTerms) -> Mapping[Cluster, RowCost | str]:
    """What each costs by the price book of this version, or why that is unknown. One query."""
    ordered = list(clusters)
    costs = zip(ordered, costs_at(ordered, terms), strict=True)
    return {cluster: cost.missing if cost.hourly_usd is None else row_cost(cost, terms.day) for cluster, cost in costs}


def _at(cost: RowCost, throughput_ops_s: float, pk: int) -> PricedRow:
    return PricedRow(cost.ops_per_usd(throughput_ops_s), pk, throughput_ops_s, cost)


def _add(found: AtPrices, row: _Priced, by: GroupBy) -> None:
    setup, equals, cost, best = row
    found.usable += equals.n
    found.p99_by_kind.update({LatencyKind(kind): n for kind, n in equals.p99_by_kind.items()})
    is_alone = equals.worst_ops_s == best.throughput_ops_s
    group = Group(equals.n, best, best.ops_per_usd if is_alone else cost.ops_per_usd(equals.worst_ops_s))
    key = setup.group(by)
    found.groups[key] = found.groups[key].with_other(group) if key in found.groups else group
    machine = setup.machine
    found.types.add(machine.provider, machine.architecture, setup.instance_type, best.ops_per_usd)


def _mark(row: _Priced) -> Mark:
    setup, best = row.setup, row.best
    nodes = sum(group.count for group in setup.cluster.groups if group.role == Role.DATABASE)
    name = cluster_name(nodes, setup.instance_type)
    return Mark(best.pk, setup.cluster.provider, name, row.cost.hourly_usd, best.throughput_ops_s, best.ops_per_usd)


def _by_value(row: _Priced) -> Iterator[PricedRow]:
    return (_at(row.cost, *rated) for rated in row.equals.best)


def _first_of_fastest(row: _Priced) -> PricedRow:
    """Of those equally fast the first that was published: the others are beaten by none, and beat none."""
    most = row.best.throughput_ops_s
    return row.best._replace(pk=min(pk for rate, pk in row.equals.best if rate == most))


def value_order(row: PricedRow) -> tuple[Decimal, int]:
    return row.ops_per_usd, row.pk


def _front_of(rows: Sequence[PricedRow]) -> list[PricedRow]:
    by_key = {row.pk: row for row in rows}
    points = [Point(float(row.cost.hourly_usd), row.throughput_ops_s, row.pk) for row in rows]
    return [by_key[point.key] for point in pareto_front(points)]
