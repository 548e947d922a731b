"""All ranked results of a workload at other prices of their own days, tallied: new results are added to it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import QuerySet

from submissions.analysis.pareto import Point, pareto_front
from submissions.choices import LatencyKind, Trust
from submissions.models import IS_PRICE_OFF, Submission, data_state
from submissions.pricing.reprice import RowCost, RowCosts, costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.architectures import BestOfTypes
from submissions.questions.value.front import CHART_ROWS, Mark
from submissions.questions.value.machines import MACHINE_COLUMNS, Machine
from submissions.questions.workload.grouping import OF_SYSTEMS, GroupBy
from submissions.records.growing import counted
from submissions.records.ids import Ids

SLICE_ROWS = 10_000  # each makes its queries: of a third of this, all take twice the time

_GROUPED = tuple(dict.fromkeys((*MACHINE_COLUMNS, *(column for by in OF_SYSTEMS for column in by.columns))))
_PLACES: dict[GroupBy, list[int]] = {by: [_GROUPED.index(column) for column in by.columns] for by in OF_SYSTEMS}
_TYPE = _GROUPED.index("instance_type")


GroupKey = tuple[GroupBy, tuple[Any, ...]]
Values = tuple[Any, ...]  # of _GROUPED


def group_values(values: Values, by: GroupBy) -> tuple[Any, ...]:
    """The group of a row, of one grouping."""
    return tuple(values[place] for place in _PLACES[by])


def type_of(values: Values) -> str:
    return str(values[_TYPE])


def machine_of(values: Values) -> Machine:
    return Machine._make(values[: len(MACHINE_COLUMNS)])


class Row(NamedTuple):
    pk: int
    throughput_ops_s: float
    latency_kind: str
    latency_p99_at_most_ms: float | None
    provider: str
    region: str | None
    values: Values

    def group_keys(self) -> Iterator[GroupKey]:
        """The group that it is in, of every grouping."""
        return ((by, group_values(self.values, by)) for by in _PLACES)


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
class Tally:
    """Of results of one level of trust, or of several."""

    usable: int = 0  # with a price
    p99_by_kind: Counter[LatencyKind] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)  # why there is no price; at prices of their own days
    groups: dict[GroupKey, Group] = field(default_factory=dict)
    best: list[PricedRow] = field(default_factory=list)  # the CHART_ROWS best by value, best first
    front: list[PricedRow] = field(default_factory=list)
    others: list[Mark] = field(default_factory=list)  # of a day: the fastest of each other cluster
    unpriced: Counter[tuple[str, str]] = field(default_factory=Counter)  # of a day: by provider and why
    types: BestOfTypes = field(default_factory=BestOfTypes)  # of a day


Tallies = dict[Trust, Tally]


def tally_of(workload_id: int, terms: PriceTerms, levels: Iterable[Trust]) -> Tally:
    """Of a shelf: of its levels of trust. Cached; after new results only these are read."""
    key = ("repriced 4", workload_id, terms.basis, data_state().prices)
    tallies = counted(key, lambda ids: _count(workload_id, terms, ids), _added)
    return _sum([tallies[level] for level in levels if level in tallies])


def _count(workload_id: int, terms: PriceTerms, ids: Ids) -> Tallies:
    tallies: Tallies = {}
    for trust, rows, read in slices(workload_id, ids):
        tallies = _added(tallies, {trust: _tally(read, costs_of_rows(rows, terms))})
    return tallies


def slices(workload_id: int, ids: Ids) -> Iterator[tuple[Trust, QuerySet[Submission], list[Row]]]:
    """The ranked results by level of trust, SLICE_ROWS at a time, each with its query. One query for a slice.

    All rows of a workload would take a hundred megabytes, which a process hardly gives back.
    """
    rest: Ids | None = ids
    ranked = Submission.objects.rankable().filter(workload=workload_id).exclude(IS_PRICE_OFF)
    columns = ("trust", *Row._fields[:-1], *_GROUPED)
    while rest:
        read = list(ranked.filter(rest.q()).order_by("pk").values_list(*columns)[:SLICE_ROWS])
        part, rest = (
            (rest, None)
            if len(read) < SLICE_ROWS
            else (Ids(rest.after, read[-1][1]), Ids(after=read[-1][1], upto=rest.upto))
        )
        by_trust: dict[Trust, list[Row]] = {}
        for trust, pk, rate, kind, p99, provider, region, *values in read:
            row = Row(pk, rate, kind, p99, provider, region, tuple(values))
            by_trust.setdefault(Trust(trust), []).append(row)
        for trust, own in by_trust.items():
            yield trust, ranked.filter(part.q(), trust=trust), own


def _tally(rows: Iterable[Row], costs: RowCosts) -> Tally:
    tally = Tally(missing=Counter(dict(costs.missing)))
    priced = []
    for row in rows:
        cost = costs.costs.get(row.pk)
        if cost is None:
            continue
        one = PricedRow(cost.ops_per_usd(row.throughput_ops_s), row.pk, row.throughput_ops_s, cost)
        priced.append(one)
        if row.latency_p99_at_most_ms is not None:
            tally.p99_by_kind[LatencyKind(row.latency_kind)] += 1
        group = Group(1, one, one.ops_per_usd)
        for key in row.group_keys():
            tally.groups[key] = tally.groups[key].with_other(group) if key in tally.groups else group
    tally.usable = len(priced)
    tally.best, tally.front = _best(priced), front_of(priced)
    return tally


def _added(one: Tallies, other: Tallies) -> Tallies:
    levels = {**one, **other}
    return {trust: _sum([tallies[trust] for tallies in (one, other) if trust in tallies]) for trust in levels}


def _sum(tallies: Sequence[Tally]) -> Tally:
    """Of disjoint results."""
    if len(tallies) == 1:
        return tallies[0]
    total = Tally()
    for tally in tallies:
        total.usable += tally.usable
        total.p99_by_kind.update(tally.p99_by_kind)
        total.missing.update(tally.missing)
        for key, group in tally.groups.items():
            total.groups[key] = total.groups[key].with_other(group) if key in total.groups else group
    total.best = _best([row for tally in tallies for row in tally.best])
    total.front = front_of([row for tally in tallies for row in tally.front])
    return total


def value_order(row: PricedRow) -> tuple[Decimal, int]:
    return row.ops_per_usd, row.pk


def _best(rows: Iterable[PricedRow]) -> list[PricedRow]:
    return sorted(rows, key=value_order, reverse=True)[:CHART_ROWS]


def front_of(rows: Sequence[PricedRow]) -> list[PricedRow]:
    by_key = {row.pk: row for row in rows}
    points = [Point(float(row.cost.hourly_usd), row.throughput_ops_s, row.pk) for row in rows]
    return [by_key[point.key] for point in pareto_front(points)]
