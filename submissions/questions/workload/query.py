"""All workloads with how many results each has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum

from submissions.aggregates.store import refresh
from submissions.ingest.document.titles import group_titles
from submissions.models import HAS_RATE, Submission, Workload, WorkloadFigures


@dataclass(frozen=True, slots=True)
class WorkloadCounts:
    workload_id: int
    service: str
    submissions: int  # published
    providers: int
    instance_types: int
    newest: datetime | None  # of the newest measurement that is dated


@dataclass(frozen=True, slots=True)
class ListedWorkload:
    fingerprint: str
    title: str  # what differs from the others of its group
    counts: WorkloadCounts
    best_value: Decimal | None  # operations per dollar, of the ranked results


@dataclass(frozen=True, slots=True)
class WorkloadGroup:
    """Workloads of one database beside each other."""

    service: str
    common: str  # the facts that all of them state alike; empty for a single one
    rows: Sequence[ListedWorkload]


_COLUMNS = ("workload_id", "workload__service", "published", "providers", "instance_types", "newest")


@dataclass(frozen=True, slots=True)
class ServiceCounts:
    workloads: int
    submissions: int


def service_counts() -> Mapping[str, ServiceCounts]:
    """Of each database how many workloads and published submissions. Two queries."""
    figures = _with_rates().order_by().values_list("workload__service")
    return {service: ServiceCounts(n, total) for service, n, total in figures.annotate(Count("pk"), Sum("published"))}


def workloads_between(service: str, first: int, end: int) -> tuple[WorkloadCounts, ...]:
    """The places from `first` to before `end` among all, or those of a database; those with most submissions first.

    Two queries.
    """
    figures = _with_rates().filter(**({"workload__service": service} if service else {}))
    most_first = figures.order_by("-published", "-workload_id").values_list(*_COLUMNS)
    return tuple(WorkloadCounts(*row) for row in most_first[first:end])


def in_groups(rows: Sequence[WorkloadCounts]) -> list[WorkloadGroup]:
    """One group a database, each with its rows in their order, in the order of their first ones. One query."""
    best = Submission.objects.rankable().priced().trust_filtered(None).filter(workload=OuterRef("pk")).by_value()
    workloads = (
        Workload.objects.only("fingerprint", "title", "canonical")
        .annotate(best_value=Subquery(best.values("ops_per_usd")[:1]))
        .in_bulk([row.workload_id for row in rows])
    )
    by_service: dict[str, list[WorkloadCounts]] = {}
    for row in rows:
        by_service.setdefault(row.service, []).append(row)
    return [
        _group(service, [(workloads[row.workload_id], row) for row in of_service])
        for service, of_service in by_service.items()
    ]


def _group(service: str, rows: Sequence[tuple[Workload, WorkloadCounts]]) -> WorkloadGroup:
    titles = group_titles({workload.fingerprint: workload.canonical for workload, _ in rows})
    listed = [
        ListedWorkload(
            workload.fingerprint,
            titles.differing[workload.fingerprint] or workload.title,
            row,
            vars(workload)["best_value"],  # an annotation
        )
        for workload, row in rows
    ]
    return WorkloadGroup(service, titles.common, listed)


def _with_rates() -> QuerySet[WorkloadFigures]:
    """Workloads of which there are only ratios are on the page of grids alone. One query, before its own."""
    refresh()
    has_rates = Exists(Submission.objects.filter(HAS_RATE, workload=OuterRef("workload")))
    # what has a value has a rate: only the other workloads are looked up
    return WorkloadFigures.objects.filter(Q(valued__gt=0) | has_rates, published__gt=0)
