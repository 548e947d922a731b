"""Groups of a workload's submissions: how many, and the best of each, of the levels of trust of one shelf."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Max, Min, Sum

from submissions.choices import PROVEN, LatencyKind, Trust
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import GroupTotals, Submission, WorkloadTotals

# What submissions are grouped by, in migrations/sql/totals.sql too.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "provider": ("provider",),
    "instance_type": ("provider", "instance_type"),
    "jdk": ("jdk_vendor", "jdk_version"),
    "disk": ("disk_kind",),
}
_BETWEEN, _NULL = "\x1f", "\x1e"
_FIGURES = {THROUGHPUT.key: ("ranked", "best_rate"), OPS_PER_USD.key: ("priced", "best_value")}
_P99 = {LatencyKind.SERVICE_TIME: "service_time", LatencyKind.RESPONSE_TIME: "response_time"}


@dataclass(frozen=True, slots=True)
class GroupBest:
    """`figure` is greater for a better one: of a p99 it is negative."""

    n: int
    best_id: int
    figure: Any
    worst_value: Decimal | None  # operations per dollar


def key_of(values: tuple[str | None, ...]) -> str:
    """`GroupTotals.key` of values of the columns."""
    return _BETWEEN.join(_NULL if value is None else value for value in values)


def best_of_groups(
    workload_id: int, by: str, metric: Metric, trust: Trust | None, kind: LatencyKind | None = None
) -> list[GroupBest] | None:
    """The best first, of equal ones the oldest. None where rows are to be read instead. Two queries at most.

    `kind` is that of a p99.
    """
    of_p99 = _P99.get(kind) if metric == LATENCY_P99 and kind else None
    n, best = (of_p99, f"best_{of_p99}") if of_p99 else _FIGURES.get(metric.key, ("", ""))
    levels = levels_of(workload_id, trust) if n and by in COLUMNS else None
    if levels is None:
        return None
    rows = (
        GroupTotals.objects.current()
        .filter(workload=workload_id, by=by, trust__in=levels, **{f"{n}__gt": 0})
        .values("key")
        .annotate(n=Sum(n), best=Max(best), worst=Min("worst_value"))
    )
    groups = [GroupBest(row["n"], int(row["best"][1]), row["best"][0], row["worst"]) for row in rows]
    return sorted(groups, key=lambda group: (-group.figure, group.best_id))


def levels_of(workload_id: int, trust: Trust | None) -> tuple[Trust, ...] | None:
    """The levels of trust of `SubmissionQuerySet.on_shelf`; None where totals are not current. One query."""
    totals = WorkloadTotals.objects.current().filter(workload=workload_id).values_list("proven", flat=True).first()
    if totals is None:
        return None
    if trust is None:
        return PROVEN if totals else (Trust.HISTORICAL,)
    return (trust,) if trust == Trust.HISTORICAL else trust.and_higher


def shelf_levels(workload_id: int, trust: Trust | None) -> tuple[Trust, ...]:
    """The same for rows that need not be ranked: those that a load tool held to a rate have a log too.

    For one workload it spares a query the search for results with a log in all of them. One query for the default
    shelf, two where the totals are not current.
    """
    if trust is not None:
        return levels_on(trust, has_proven=True)
    levels = levels_of(workload_id, None)
    if levels is None:
        has_proven = Submission.objects.rankable().filter(workload=workload_id, trust__in=PROVEN).exists()
        return levels_on(None, has_proven=has_proven)
    return levels_on(None, has_proven=levels == PROVEN)


def levels_on(trust: Trust | None, *, has_proven: bool) -> tuple[Trust, ...]:
    """Of a workload that has ranked results with a raw log, or has none."""
    if trust is not None:
        return (trust,) if trust == Trust.HISTORICAL else trust.and_higher
    return PROVEN if has_proven else (*PROVEN, Trust.HISTORICAL)
