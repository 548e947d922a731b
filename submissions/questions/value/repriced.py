"""Operations per dollar at other prices than the stored ones: of another day, or another pricing model."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from heapq import nlargest
from math import inf
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet

from submissions.aggregates.workloads import levels_in
from submissions.analysis.pareto import Point, pareto_front
from submissions.choices import LatencyKind
from submissions.formatting.names import cluster_name
from submissions.models import IS_PRICE_OFF, LoadPoint, Submission, priced_places
from submissions.pricing.providers import billing_of
from submissions.pricing.reprice import RowCost, RowCosts, at_cost, costs_of_rows, stored_costs_of_rows
from submissions.questions.boards.at_load import with_loads
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.reasons import Reason
from submissions.questions.value.architectures import BestOfTypes, architecture_values
from submissions.questions.value.clusters import Group, PricedRow, at_prices, value_order
from submissions.questions.value.pareto import CHART_ROWS, MOST_MARKS, Mark, Systems, systems_of
from submissions.questions.value.valuation import GroupValue, Unpriced, Valuation, ValueParams, best_first

Loads = Mapping[int, LoadPoint | None]  # of curves, by submission: boards/at_load.py

_COLUMNS = ("throughput_ops_s", "latency_kind", "latency_p99_at_most_ms", "node_count")
_GROUPED = tuple(dict.fromkeys(column for by in GroupBy for column in by.columns))
_TYPE_PLACES = [_GROUPED.index(column) for column in ("provider", "architecture", "instance_type")]


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    throughput_ops_s: float
    latency_kind: str
    p99_ms: float | None
    node_count: int
    values: tuple[Any, ...]  # of _GROUPED
    cost: RowCost
    ops_per_usd: Decimal


def repriced_valuation(workload_id: int, params: ValueParams) -> Valuation:
    """From figures of the store at the prices of a day; a limit, and prices of the measurement, read rows."""
    if params.terms.day is None or params.max_p99_ms is not None or params.aged is not None:
        return _valuation_of_rows(workload_id, params)
    levels = levels_in(workload_id, params.trust)
    priced = at_prices(workload_id, params.terms, levels, params.chosen, params.by)
    counted = _board_counts(workload_id, params)
    counts = Counts(
        usable=priced.usable,
        latency_kind=params.latency_kind or LatencyKind.usual(priced.p99_by_kind),
        p99_by_kind=priced.p99_by_kind,
        own_reasons={**counted.own_reasons, Reason.UNPRICED: priced.unpriced.total()},
        historical=counted.historical,
    )
    drawn = {row.pk: row for row in (*priced.best, *priced.front)}
    return Valuation(
        counts,
        _group_values(list(priced.groups.values()), params),
        systems_of(_submissions(list(drawn.values())), priced.others),
        unpriced=priced.unpriced,
        architectures=architecture_values(priced.types),
        group_count=len(priced.groups),
        total=priced.usable,
    )


def _board_counts(workload_id: int, params: ValueParams) -> Counts:
    return board_counts([workload_id], params.reasons(), params.trust, conditions=params.conditions, only=params.only)


def _group_values(groups: Sequence[Group], params: ValueParams) -> list[GroupValue]:
    """One query for the best of each."""
    if params.most_groups is not None:
        groups = nlargest(params.most_groups, groups, key=lambda group: value_order(group.best))
    best = _submissions([group.best for group in groups])
    return best_first(
        [GroupValue(params.by, row, group.n, group.worst) for row, group in zip(best, groups, strict=True)]
    )


def without_list(unpriced: Unpriced) -> tuple[tuple[str, int], ...]:
    """(provider, submissions) of the clouds that the book has no price of, most first. One query."""
    if not unpriced:
        return ()
    listed = {provider for provider, _ in priced_places()}
    clouds: Counter[str] = Counter()
    for (provider, _), n in unpriced.items():
        if provider not in listed and billing_of(provider).has_list_prices:
            clouds[provider] += n
    return _most_first(clouds.items())


def missing_prices(unpriced: Unpriced) -> tuple[tuple[str, int], ...]:
    """(why, submissions) of all other clouds, most first. One query."""
    return _most_first(_missing_but(unpriced, dict(without_list(unpriced))).items())


def _missing_but(unpriced: Unpriced, clouds: Collection[str]) -> Counter[str]:
    """Why the results of other clouds have no price."""
    missing: Counter[str] = Counter()
    for (provider, why), n in unpriced.items():
        if provider not in clouds:
            missing[why] += n
    return missing


def _most_first(missing: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(missing, key=lambda pair: (-pair[1], pair[0])))


def valuation_at_loads(workload_id: int, params: ValueParams, loads: Loads, *, at_stored_prices: bool) -> Valuation:
    """Of a workload with load curves, under a limit: each curve at the load that keeps it."""
    return _valuation_of_rows(workload_id, params, loads, at_stored_prices=at_stored_prices)


def _valuation_of_rows(
    workload_id: int, params: ValueParams, loads: Loads = MappingProxyType({}), *, at_stored_prices: bool = False
) -> Valuation:
    """Each distinct cluster is priced once, the rows are grouped in memory. Seven queries, whatever their number."""
    of_workload = Submission.objects.rankable().filter(workload=workload_id)
    usable = of_workload.trust_filtered(params.trust).exclude(IS_PRICE_OFF)
    if params.aged is not None:
        usable = usable.exclude(params.aged)
    if params.only is not None:
        usable = usable.filter(params.only)
    costs = stored_costs_of_rows(usable, params.terms) if at_stored_prices else costs_of_rows(usable, params.terms)
    rows = [_at_load(row, loads) for row in _read(usable, costs.costs)]
    counts = _counts(workload_id, params, costs, rows)
    if params.max_p99_ms is not None:
        rows = [
            row
            for row in rows
            if row.latency_kind == counts.latency_kind and row.p99_ms is not None and row.p99_ms <= params.max_p99_ms
        ]
    grouped = _grouped(rows, params.by)
    types = BestOfTypes()
    for row in rows:
        provider, architecture, instance_type = (row.values[place] for place in _TYPE_PLACES)
        types.add(provider, architecture, instance_type, row.ops_per_usd)
    return Valuation(
        counts,
        _groups(grouped, params, loads),
        _systems(rows, loads),
        _most_first(costs.missing),
        architectures=architecture_values(types),
        group_count=len(grouped),
        total=len(rows),
    )


def _at_load(row: _Row, loads: Loads) -> _Row:
    """A curve without a load that keeps the limit is beyond it, however low the p99 of its peak."""
    if row.pk not in loads:
        return row
    point = loads[row.pk]
    if point is None:
        return replace(row, p99_ms=inf)
    value = row.cost.ops_per_usd(point.throughput_ops_s)
    return replace(
        row,
        throughput_ops_s=point.throughput_ops_s,
        latency_kind=point.latency_kind,
        p99_ms=point.worst_p99_ms,
        ops_per_usd=value,
    )


def _counts(workload_id: int, params: ValueParams, costs: RowCosts, rows: Sequence[_Row]) -> Counts:
    """One query."""
    counted = _board_counts(workload_id, params)
    own_reasons = {**counted.own_reasons, Reason.UNPRICED: costs.unpriced}
    p99s = [(LatencyKind(row.latency_kind), row.p99_ms) for row in rows if row.p99_ms is not None]
    by_kind = Counter(kind for kind, _ in p99s)
    kind, limit = params.latency_kind or LatencyKind.usual(by_kind), params.max_p99_ms
    return Counts(
        usable=len(rows),
        latency_kind=kind,
        p99_by_kind=by_kind,
        own_reasons=own_reasons,
        needs_p99=limit is not None,
        max_p99_ms=limit,
        historical=counted.historical,
        above_limit=0 if limit is None else sum(known == kind and p99 > limit for known, p99 in p99s),
    )


def _grouped(rows: Sequence[_Row], by: GroupBy) -> list[list[_Row]]:
    places = [_GROUPED.index(column) for column in by.columns]
    grouped: dict[tuple[Any, ...], list[_Row]] = defaultdict(list)
    for row in rows:
        grouped[tuple(row.values[place] for place in places)].append(row)
    return list(grouped.values())


def _groups(grouped: Sequence[Sequence[_Row]], params: ValueParams, loads: Loads) -> list[GroupValue]:
    """One query."""
    pairs = [(max(group, key=_row_order), group) for group in grouped]
    if params.most_groups is not None:
        pairs = nlargest(params.most_groups, pairs, key=lambda pair: _row_order(pair[0]))
    best = _submissions([row for row, _ in pairs], loads)
    return best_first(
        [
            GroupValue(params.by, submission, len(group), min(row.ops_per_usd for row in group))
            for submission, (_, group) in zip(best, pairs, strict=True)
        ]
    )


def _row_order(row: _Row) -> tuple[Decimal, int]:
    return row.ops_per_usd, row.pk


def _systems(rows: Sequence[_Row], loads: Loads) -> Systems:
    """One query."""
    by_value = sorted(rows, key=_row_order, reverse=True)
    best = by_value[:CHART_ROWS]
    by_key = {row.pk: row for row in rows}
    points = [Point(float(row.cost.hourly_usd), row.throughput_ops_s, row.pk) for row in rows]
    front = [by_key[point.key] for point in pareto_front(points)]
    unique = {row.pk: row for row in (*best, *front)}
    others = [_mark(row) for row in by_value if row.pk not in unique][: MOST_MARKS - len(unique)]
    return systems_of(_submissions(list(unique.values()), loads), others)


def _mark(row: _Row) -> Mark:
    provider, _, instance_type = (row.values[place] for place in _TYPE_PLACES)
    name = cluster_name(row.node_count, instance_type)
    return Mark(row.pk, provider, name, row.cost.hourly_usd, row.throughput_ops_s, row.ops_per_usd)


def _submissions(rows: Sequence[_Row] | Sequence[PricedRow], loads: Loads = MappingProxyType({})) -> list[Submission]:
    """The rows as they are shown, at their prices and loads, in this order."""
    submissions = Submission.objects.listed().in_bulk([row.pk for row in rows])
    with_loads(submissions.values(), loads)
    return [at_cost(submissions[row.pk], row.cost) for row in rows]


def _read(rows: QuerySet[Submission], costs: dict[int, RowCost]) -> list[_Row]:
    """The priced ones. One query."""
    result = []
    for pk, rate, kind, p99, nodes, *values in rows.order_by("pk").values_list("pk", *_COLUMNS, *_GROUPED):
        cost = costs.get(pk)
        if cost is not None:
            result.append(_Row(pk, rate, kind, p99, nodes, tuple(values), cost, cost.ops_per_usd(rate)))
    return result
