"""All ranked results of a workload by cluster and machine: counted for all days alike, priced for that of a question.

Of equal clusters whoever does more gives more for a dollar, whatever it costs: so the best ones are known before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from submissions.choices import LatencyKind, Role, Trust
from submissions.formatting.names import cluster_name
from submissions.pricing.clusters import Cluster, costs_at
from submissions.pricing.reprice import RowCost, bought_groups, comparable, row_cost
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.front import CHART_ROWS, MOST_MARKS, Mark
from submissions.questions.value.machines import Chosen, Machine
from submissions.questions.value.tally import (
    Group,
    PricedRow,
    Row,
    Tally,
    Values,
    front_of,
    group_values,
    machine_of,
    slices,
    type_of,
    value_order,
)
from submissions.questions.workload.grouping import GroupBy
from submissions.records.cache import prices_version
from submissions.records.growing import counted
from submissions.records.ids import Ids


class Rated(NamedTuple):
    throughput_ops_s: float
    pk: int

    def at(self, cost: RowCost) -> PricedRow:
        return PricedRow(cost.ops_per_usd(self.throughput_ops_s), self.pk, self.throughput_ops_s, cost)


class Setup(NamedTuple):
    """What results share that cost the same on every day, and are in the same groups."""

    trust: Trust
    cluster: Cluster
    values: Values

    @property
    def machine(self) -> Machine:
        return machine_of(self.values)

    @property
    def instance_type(self) -> str:
        return type_of(self.values)


@dataclass(slots=True)
class Equals:
    """The results of one setup."""

    n: int
    worst_ops_s: float
    best: list[Rated]  # the CHART_ROWS fastest, fastest first
    p99_by_kind: dict[LatencyKind, int] = field(default_factory=dict)  # thousands of Counters are slow to unpack

    def with_other(self, other: "Equals") -> "Equals":
        best = sorted([*self.best, *other.best], reverse=True)[:CHART_ROWS]
        slowest = min(self.worst_ops_s, other.worst_ops_s)
        kinds = dict(Counter(self.p99_by_kind) + Counter(other.p99_by_kind))
        return Equals(self.n + other.n, slowest, best, kinds)


Setups = dict[Setup, Equals]


class _Priced(NamedTuple):
    setup: Setup
    equals: Equals
    cost: RowCost
    best: PricedRow


def tally_at(workload_id: int, terms: PriceTerms, levels: Iterable[Trust], chosen: Chosen, by: GroupBy) -> Tally:
    """Of levels of trust and the chosen machines, at the prices of a day. One query for all prices.

    The results are counted once, whatever the day and the choice.
    """
    setups = list(_of_levels(workload_id, levels))
    if not chosen.is_all:
        setups = [(setup, equals) for setup, equals in setups if chosen.takes(setup.machine)]
    costs = _costs(prices_version(), frozenset(setup.cluster for setup, _ in setups), terms)
    tally, priced = Tally(), []
    for setup, equals in setups:
        cost = costs[setup.cluster]
        if isinstance(cost, str):
            tally.unpriced[setup.cluster.provider, cost] += equals.n
            continue
        row = _Priced(setup, equals, cost, equals.best[0].at(cost))
        priced.append(row)
        _add(tally, row, by)
    # a result among the best is of a setup whose best one is among them
    first = nlargest(CHART_ROWS, priced, key=lambda row: value_order(row.best))
    tally.best = nlargest(CHART_ROWS, chain.from_iterable(map(_by_value, first)), key=value_order)
    tally.front = front_of([_first_of_fastest(row) for row in priced])
    drawn = {row.pk for row in (*tally.best, *tally.front)}
    others = [row for row in priced if row.best.pk not in drawn]
    most = MOST_MARKS - len(drawn)
    others = others if len(others) <= most else nlargest(most, others, key=lambda row: value_order(row.best))
    tally.others = [_mark(row) for row in others]
    return tally


@lru_cache(maxsize=8)
def _costs(version: str, clusters: frozenset[Cluster], terms: PriceTerms) -> Mapping[Cluster, RowCost | str]:
    """What each costs by the price book of this version, or why that is unknown. One query."""
    ordered = list(clusters)
    costs = zip(ordered, costs_at(ordered, terms), strict=True)
    return {cluster: cost.missing if cost.hourly_usd is None else row_cost(cost, terms.day) for cluster, cost in costs}


def _add(tally: Tally, row: _Priced, by: GroupBy) -> None:
    setup, equals, cost, best = row
    tally.usable += equals.n
    tally.p99_by_kind.update(equals.p99_by_kind)
    is_alone = equals.worst_ops_s == best.throughput_ops_s
    group = Group(equals.n, best, best.ops_per_usd if is_alone else cost.ops_per_usd(equals.worst_ops_s))
    key = by, group_values(setup.values, by)
    tally.groups[key] = tally.groups[key].with_other(group) if key in tally.groups else group
    machine = setup.machine
    tally.types.add(machine.provider, machine.architecture, setup.instance_type, best.ops_per_usd)


def _mark(row: _Priced) -> Mark:
    setup, best = row.setup, row.best
    nodes = sum(group.count for group in setup.cluster.groups if group.role == Role.DATABASE)
    name = cluster_name(nodes, setup.instance_type)
    return Mark(best.pk, setup.cluster.provider, name, row.cost.hourly_usd, best.throughput_ops_s, best.ops_per_usd)


def machine_counts(workload_id: int, levels: Iterable[Trust]) -> Counter[Machine]:
    """Results of each machine on these levels of trust, with and without a price. No query of its own rows."""
    counts: Counter[Machine] = Counter()
    for setup, equals in _of_levels(workload_id, levels):
        counts[setup.machine] += equals.n
    return counts


def _of_levels(workload_id: int, levels: Iterable[Trust]) -> Iterator[tuple[Setup, Equals]]:
    trusts = frozenset(levels)
    setups = counted(("value clusters 4", workload_id), lambda ids: _count(workload_id, ids), _added)
    return ((setup, equals) for setup, equals in setups.items() if setup.trust in trusts)


def _by_value(row: _Priced) -> Iterator[PricedRow]:
    return (rated.at(row.cost) for rated in row.equals.best)


def _first_of_fastest(row: _Priced) -> PricedRow:
    """Of those equally fast the first that was published: the others are beaten by none, and beat none."""
    most = row.best.throughput_ops_s
    return row.best._replace(pk=min(rated.pk for rated in row.equals.best if rated.throughput_ops_s == most))


def _count(workload_id: int, ids: Ids) -> Setups:
    setups: Setups = {}
    for trust, rows, read in slices(workload_id, ids):
        groups = bought_groups(rows)
        by_setup: dict[Setup, list[Row]] = {}
        for row in read:
            cluster = Cluster(row.provider, row.region, None, comparable(groups.get(row.pk, ()), row.provider))
            by_setup.setdefault(Setup(trust, cluster, row.values), []).append(row)
        setups = _added(setups, {setup: _equals(alike) for setup, alike in by_setup.items()})
    return setups


def _equals(rows: list[Row]) -> Equals:
    """Of one slice."""
    best = sorted((Rated(row.throughput_ops_s, row.pk) for row in rows), reverse=True)[:CHART_ROWS]
    slowest = min(row.throughput_ops_s for row in rows)
    kinds = Counter(LatencyKind(row.latency_kind) for row in rows if row.latency_p99_at_most_ms is not None)
    return Equals(len(rows), slowest, best, dict(kinds))


def _added(left: Setups, right: Setups) -> Setups:
    total = dict(left)
    for setup, equals in right.items():
        total[setup] = total[setup].with_other(equals) if setup in total else equals
    return total
