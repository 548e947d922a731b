"""All ranked results of a workload at other prices, tallied: new results are added to it, whatever their number."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from submissions.analysis.pareto import Point, pareto_front
from submissions.choices import LatencyKind, Trust
from submissions.models import IS_PRICE_OFF, Submission, data_state
from submissions.pricing.reprice import RowCost, RowCosts, costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.front import CHART_ROWS
from submissions.questions.workload.grouping import OF_SYSTEMS, GroupBy
from submissions.records.growing import counted
from submissions.records.ids import Ids

SLICE_ROWS = 10_000  # each makes its queries: of a third of this, all take twice the time

_GROUPED = tuple(dict.fromkeys(column for by in OF_SYSTEMS for column in by.columns))
_PLACES = {by: [_GROUPED.index(column) for column in by.columns] for by in OF_SYSTEMS}


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
        return Group(self.n + other.n, max(self.best, other.best, key=_value), min(self.worst, other.worst))


@dataclass(slots=True)
class Tally:
    """Of results of one level of trust, or of several."""

    usable: int = 0  # with a price
    p99_by_kind: Counter[LatencyKind] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)  # why there is no price
    groups: dict[tuple[GroupBy, tuple[Any, ...]], Group] = field(default_factory=dict)
    best: list[PricedRow] = field(default_factory=list)  # the CHART_ROWS best by value, best first
    front: list[PricedRow] = field(default_factory=list)


Tallies = dict[Trust, Tally]


def tally_of(workload_id: int, terms: PriceTerms, levels: Iterable[Trust]) -> Tally:
    """Of a shelf: of its levels of trust. Cached; after new results only these are read."""
    key = ("repriced 2", workload_id, terms.day, terms.basis, data_state().prices)
    tallies = counted(key, lambda ids: _count(workload_id, terms, ids), _added)
    return _sum([tallies[level] for level in levels if level in tallies])


def _count(workload_id: int, terms: PriceTerms, ids: Ids) -> Tallies:
    """A slice at a time: all rows of a workload would take a hundred megabytes, which a process hardly gives back."""
    tallies: Tallies = {}
    rest: Ids | None = ids
    while rest:
        part, rest = _count_slice(workload_id, terms, rest)
        tallies = _added(tallies, part)
    return tallies


def _count_slice(workload_id: int, terms: PriceTerms, ids: Ids) -> tuple[Tallies, Ids | None]:
    """Of the first SLICE_ROWS, and the ids of the others. One query, and four for each level of trust."""
    rows = Submission.objects.rankable().filter(workload=workload_id).exclude(IS_PRICE_OFF)
    by_trust: dict[Trust, list[tuple[Any, ...]]] = {}
    columns = ("trust", "pk", "throughput_ops_s", "latency_kind", "latency_p99_at_most_ms", *_GROUPED)
    read = list(rows.filter(ids.q()).order_by("pk").values_list(*columns)[:SLICE_ROWS])
    last, rest = ids.upto, None
    if len(read) == SLICE_ROWS:
        last = read[-1][1]
        rest = Ids(after=last, upto=ids.upto)
    for trust, *row in read:
        by_trust.setdefault(Trust(trust), []).append(tuple(row))
    rows = rows.filter(Ids(ids.after, last).q())
    return {trust: _tally(own, costs_of_rows(rows.filter(trust=trust), terms)) for trust, own in by_trust.items()}, rest


def _tally(rows: Iterable[tuple[Any, ...]], costs: RowCosts) -> Tally:
    tally = Tally(missing=Counter(dict(costs.missing)))
    priced = []
    for pk, rate, kind, p99, *values in rows:
        cost = costs.costs.get(pk)
        if cost is None:
            continue
        row = PricedRow(cost.ops_per_usd(rate), pk, rate, cost)
        priced.append(row)
        if p99 is not None:
            tally.p99_by_kind[LatencyKind(kind)] += 1
        for by, places in _PLACES.items():
            key = (by, tuple(values[place] for place in places))
            group = Group(1, row, row.ops_per_usd)
            tally.groups[key] = tally.groups[key].with_other(group) if key in tally.groups else group
    tally.usable = len(priced)
    tally.best, tally.front = _best(priced), _front(priced)
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
    total.front = _front([row for tally in tallies for row in tally.front])
    return total


def _value(row: PricedRow) -> tuple[Decimal, int]:
    return row.ops_per_usd, row.pk


def _best(rows: Iterable[PricedRow]) -> list[PricedRow]:
    return sorted(rows, key=_value, reverse=True)[:CHART_ROWS]


def _front(rows: Sequence[PricedRow]) -> list[PricedRow]:
    by_key = {row.pk: row for row in rows}
    points = [Point(float(row.cost.hourly_usd), row.throughput_ops_s, row.pk) for row in rows]
    return [by_key[point.key] for point in pareto_front(points)]
