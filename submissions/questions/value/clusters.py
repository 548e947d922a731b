"""All ranked results of a workload by their clusters: counted for every day alike, priced for the day of a question.

Of equal clusters whoever does more gives more for a dollar, whatever it costs: so the best ones are known before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import NamedTuple

from submissions.choices import LatencyKind, Trust
from submissions.pricing.clusters import Cluster, costs_at
from submissions.pricing.reprice import RowCost, bought_groups, comparable, row_cost
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.front import CHART_ROWS
from submissions.questions.value.tally import Group, GroupKey, PricedRow, Row, Tally, front_of, slices, value_order
from submissions.records.growing import counted
from submissions.records.ids import Ids


class Rated(NamedTuple):
    throughput_ops_s: float
    pk: int

    def at(self, cost: RowCost) -> PricedRow:
        return PricedRow(cost.ops_per_usd(self.throughput_ops_s), self.pk, self.throughput_ops_s, cost)


class RatedGroup(NamedTuple):
    n: int
    best: Rated
    worst_ops_s: float


@dataclass(slots=True)
class Equals:
    """The results on equal clusters."""

    n: int = 0
    p99_by_kind: Counter[LatencyKind] = field(default_factory=Counter)
    groups: dict[GroupKey, RatedGroup] = field(default_factory=dict)
    best: list[Rated] = field(default_factory=list)  # the CHART_ROWS fastest, fastest first

    def with_other(self, other: "Equals") -> "Equals":
        groups = dict(self.groups)
        for key, group in other.groups.items():
            groups[key] = _together(groups[key], group) if key in groups else group
        best = sorted([*self.best, *other.best], reverse=True)[:CHART_ROWS]
        return Equals(self.n + other.n, self.p99_by_kind + other.p99_by_kind, groups, best)


Clusters = dict[tuple[Trust, Cluster], Equals]


def tally_at(workload_id: int, terms: PriceTerms, levels: Iterable[Trust]) -> Tally:
    """Of levels of trust, at the prices of a day. Counted once, whatever the day; one query for all prices."""
    trusts = frozenset(levels)
    known = counted(("value clusters 2", workload_id), lambda ids: _count(workload_id, ids), _added)
    clusters = [(cluster, equals) for (trust, cluster), equals in known.items() if trust in trusts]
    tally, priced = Tally(), []
    costs = costs_at([cluster for cluster, _ in clusters], terms)
    for (_, equals), cost in zip(clusters, costs, strict=True):
        if cost.hourly_usd is None:
            tally.missing[cost.missing] += equals.n
        else:
            priced.append((equals, row_cost(cost, terms.day)))
    for equals, cost_of_each in priced:
        tally.usable += equals.n
        tally.p99_by_kind.update(equals.p99_by_kind)
        for key, rated in equals.groups.items():
            group = Group(rated.n, rated.best.at(cost_of_each), cost_of_each.ops_per_usd(rated.worst_ops_s))
            tally.groups[key] = tally.groups[key].with_other(group) if key in tally.groups else group
    by_value = merge(*(_priced(equals, cost) for equals, cost in priced), key=value_order, reverse=True)
    tally.best = list(islice(by_value, CHART_ROWS))
    tally.front = front_of([_first_of_fastest(equals).at(cost) for equals, cost in priced])
    return tally


def _priced(equals: Equals, cost: RowCost) -> Iterator[PricedRow]:
    return (rated.at(cost) for rated in equals.best)


def _first_of_fastest(equals: Equals) -> Rated:
    """Of those equally fast the first that was published: the others are beaten by none, and beat none."""
    most = equals.best[0].throughput_ops_s
    return min((rated for rated in equals.best if rated.throughput_ops_s == most), key=lambda rated: rated.pk)


def _count(workload_id: int, ids: Ids) -> Clusters:
    clusters: Clusters = {}
    for trust, rows, read in slices(workload_id, ids):
        groups = bought_groups(rows)
        by_cluster: dict[Cluster, list[Row]] = {}
        for row in read:
            cluster = Cluster(row.provider, row.region, None, comparable(groups.get(row.pk, ()), row.provider))
            by_cluster.setdefault(cluster, []).append(row)
        clusters = _added(clusters, {(trust, cluster): _equals(own) for cluster, own in by_cluster.items()})
    return clusters


def _equals(rows: list[Row]) -> Equals:
    """Of one slice."""
    equals = Equals(n=len(rows))
    equals.p99_by_kind.update(LatencyKind(row.latency_kind) for row in rows if row.latency_p99_at_most_ms is not None)
    for row in rows:
        group = RatedGroup(1, Rated(row.throughput_ops_s, row.pk), row.throughput_ops_s)
        for key in row.group_keys():
            equals.groups[key] = _together(equals.groups[key], group) if key in equals.groups else group
    equals.best = sorted((Rated(row.throughput_ops_s, row.pk) for row in rows), reverse=True)[:CHART_ROWS]
    return equals


def _together(one: RatedGroup, other: RatedGroup) -> RatedGroup:
    return RatedGroup(one.n + other.n, max(one.best, other.best), min(one.worst_ops_s, other.worst_ops_s))


def _added(one: Clusters, other: Clusters) -> Clusters:
    total = dict(one)
    for key, equals in other.items():
        total[key] = total[key].with_other(equals) if key in total else equals
    return total
