"""The best submissions of the groups of a workload, best first: those that a leaderboard ranks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet
from django.db.models.expressions import OrderBy

from submissions.aggregates.groups import GroupBest
from submissions.analysis.comparison.ranking import MOST_RANKED
from submissions.choices import LatencyKind
from submissions.metrics import LATENCY_P99, OPS_PER_USD, Metric
from submissions.models import IS_CURVE, LoadPoint, Submission
from submissions.pricing.cost import ops_per_usd
from submissions.pricing.reprice import stored_costs_of_rows
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.grouping import GroupBy

HAS_P99 = Q(latency_p99_at_most_ms__gt=0)  # the ratio of two p99s is judged by their logarithms


@dataclass(frozen=True, slots=True)
class BestRows:
    ids: list[int]  # the best of the MOST_RANKED best groups
    sizes: dict[int, int]  # submissions of its group, by the best; of a submission by itself none is given
    groups_count: int


class _Best(NamedTuple):
    figure: float | Decimal
    pk: int
    n: int  # submissions of its group


def best_of_stored(groups: Sequence[GroupBest]) -> BestRows:
    ranked = groups[:MOST_RANKED]
    return BestRows([group.best_id for group in ranked], {group.best_id: group.n for group in ranked}, len(groups))


def best_of_rows(rows: QuerySet[Submission], by: GroupBy, metric: Metric) -> BestRows:
    """Two queries."""
    if by == GroupBy.SUBMISSION:
        best = rows.order_by(_best_first(metric), "-pk").values_list("pk", flat=True)[:MOST_RANKED]
        return BestRows(list(best), {}, rows.count())
    return _ranked(_groups(rows, by, metric).values(), metric)


def best_at_loads(
    rows: QuerySet[Submission],
    by: GroupBy,
    metric: Metric,
    kind: LatencyKind,
    max_p99_ms: float,
    loads: Mapping[int, LoadPoint | None],
) -> BestRows:
    """Of those that keep a p99 of this kind, each curve at its load; `loads`: of all curves. Three queries at most."""
    plain = rows.exclude(IS_CURVE).filter(latency_kind=kind, latency_p99_at_most_ms__lte=max_p99_ms)
    if metric == LATENCY_P99:
        plain = plain.filter(HAS_P99)
    known = {pk: load for pk, load in loads.items() if load is not None and _counts(load, metric, kind)}
    curves = _curves(rows, by, metric, known) if known else []
    if by == GroupBy.SUBMISSION:
        ordered = plain.order_by(_best_first(metric), "-pk").values_list(metric.column, "pk")[:MOST_RANKED]
        every = [*(_Best(figure, pk, 1) for figure, pk in ordered), *(best for _, best in curves)]
        ranked = sorted(every, key=lambda best: (_order(best, metric), -best.pk))
        return BestRows([best.pk for best in ranked[:MOST_RANKED]], {}, plain.count() + len(curves))
    groups = _groups(plain, by, metric)
    for key, best in curves:
        groups[key] = _better(groups[key], best, metric) if key in groups else best
    return _ranked(groups.values(), metric)


def best_discounted(
    rows: QuerySet[Submission],
    by: GroupBy,
    terms: PriceTerms,
    limit: tuple[LatencyKind, float] | None,
    loads: Mapping[int, LoadPoint | None],
) -> BestRows:
    """By operations per dollar at the stored prices less a discount, which no column has: three queries read all rows.

    Under a `limit` of a p99 those that keep it, each curve at its load.
    """
    rates = {}
    if limit is not None:
        kind, max_p99_ms = limit
        known = {pk: load for pk, load in loads.items() if load is not None and _counts(load, OPS_PER_USD, kind)}
        rates = {pk: load.throughput_ops_s for pk, load in known.items()}
        plain = Q(latency_kind=kind, latency_p99_at_most_ms__lte=max_p99_ms) & ~IS_CURVE
        rows = rows.filter(plain | (IS_CURVE & Q(pk__in=list(rates))))
    costs = stored_costs_of_rows(rows, terms).costs
    columns = ("pk",) if by == GroupBy.SUBMISSION else by.columns
    groups: dict[tuple[Any, ...], _Best] = {}
    for pk, rate, *values in rows.order_by("pk").values_list("pk", "throughput_ops_s", *columns):
        if pk in costs:
            key, best = tuple(values), _Best(costs[pk].ops_per_usd(rates.get(pk, rate)), pk, 1)
            groups[key] = _better(groups[key], best, OPS_PER_USD) if key in groups else best
    return _ranked(groups.values(), OPS_PER_USD)


def _counts(load: LoadPoint, metric: Metric, kind: LatencyKind) -> bool:
    return load.latency_kind == kind and (metric != LATENCY_P99 or bool(load.worst_p99_ms))


def _curves(
    rows: QuerySet[Submission], by: GroupBy, metric: Metric, loads: Mapping[int, LoadPoint]
) -> list[tuple[tuple[Any, ...], _Best]]:
    """(values of the group, a curve at its load). One query."""
    of_curves = rows.filter(IS_CURVE, pk__in=list(loads)).order_by("pk")
    return [
        (tuple(values), _Best(_figure(loads[pk], metric, hourly_usd), pk, 1))
        for pk, hourly_usd, *values in of_curves.values_list("pk", "hourly_usd", *by.columns)
    ]


def _figure(load: LoadPoint, metric: Metric, hourly_usd: Decimal) -> float | Decimal:
    if metric == OPS_PER_USD:
        return ops_per_usd(hourly_usd=hourly_usd, throughput_ops_s=load.throughput_ops_s)
    return load.worst_p99_ms or 0.0 if metric == LATENCY_P99 else load.throughput_ops_s


def _groups(rows: QuerySet[Submission], by: GroupBy, metric: Metric) -> dict[tuple[Any, ...], _Best]:
    """The best of each group, of equal ones the newest. Two queries."""
    sizes = {
        tuple(row[column] for column in by.columns): row["submissions"]
        for row in rows.order_by().values(*by.columns).annotate(submissions=Count("pk"))
    }
    best = (
        rows.order_by(*by.columns, _best_first(metric), "-pk")
        .distinct(*by.columns)
        .values_list(metric.column, "pk", *by.columns)
    )
    return {tuple(values): _Best(figure, pk, sizes[tuple(values)]) for figure, pk, *values in best}


def _better(one: _Best, other: _Best, metric: Metric) -> _Best:
    best = min(one, other, key=lambda row: (_order(row, metric), -row.pk))
    return best._replace(n=one.n + other.n)


def _ranked(groups: Iterable[_Best], metric: Metric) -> BestRows:
    """Of equal ones the oldest first."""
    best = sorted(groups, key=lambda row: (_order(row, metric), row.pk))
    ranked = best[:MOST_RANKED]
    return BestRows([row.pk for row in ranked], {row.pk: row.n for row in ranked}, len(best))


def _order(best: _Best, metric: Metric) -> float | Decimal:
    return -best.figure if metric.higher_is_better else best.figure


def _best_first(metric: Metric) -> OrderBy:
    return F(metric.column).desc(nulls_last=True) if metric.higher_is_better else F(metric.column).asc()
