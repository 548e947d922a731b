"""All workloads with how many results each has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, Sum

from submissions.ingest.document.titles import group_titles
from submissions.models import HAS_RATE, Submission, SubmissionQuerySet, Workload, WorkloadTotals
from submissions.records.cache import cached
from submissions.summaries.workloads import readable


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


_COLUMNS = ("workload_id", "workload__service", "published", "providers", "instance_types", "newest")  # of totals


@dataclass(frozen=True, slots=True)
class ServiceCounts:
    workloads: int
    submissions: int


def service_counts() -> Mapping[str, ServiceCounts]:
    """Of each database how many workloads and published submissions. Two queries, one while the answer is cached."""
    return cached(("workloads of services",), _service_counts)


def workloads_between(service: str, first: int, end: int) -> tuple[WorkloadCounts, ...]:
    """The places from `first` to before `end` among all, or those of a database; those with most submissions first.

    Two queries, one while the answer is cached.
    """
    return cached(("workloads", service, first, end), lambda: _workloads_between(service, first, end))


def in_groups(rows: Sequence[WorkloadCounts]) -> list[WorkloadGroup]:
    """One group a database, each with its rows in their order, in the order of their first ones. One query."""
    best = Submission.objects.rankable().priced().on_shelf(None).filter(workload=OuterRef("pk")).by_value()
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


def _service_counts() -> Mapping[str, ServiceCounts]:
    known = readable()
    if known is None or known.others:
        by_service: dict[str, list[int]] = {}
        for row in workload_counts():
            by_service.setdefault(row.service, []).append(row.submissions)
        return {service: ServiceCounts(len(counts), sum(counts)) for service, counts in by_service.items()}
    totals = _with_rates(known.totals).order_by().values_list("workload__service")
    return {service: ServiceCounts(n, total) for service, n, total in totals.annotate(Count("pk"), Sum("published"))}


def _workloads_between(service: str, first: int, end: int) -> tuple[WorkloadCounts, ...]:
    known = readable()
    if known is None or known.others:
        return tuple(row for row in workload_counts() if not service or row.service == service)[first:end]
    totals = _with_rates(known.totals).filter(**({"workload__service": service} if service else {}))
    most_first = totals.order_by("-published", "-workload_id").values_list(*_COLUMNS)
    return tuple(WorkloadCounts(*row) for row in most_first[first:end])


def workload_counts() -> tuple[WorkloadCounts, ...]:
    """Those with published submissions, with most first. Two queries; three where totals are not current."""
    known = readable()
    if known is None:
        return _most_first(_counted(Submission.objects.all()))
    counts = {row[0]: WorkloadCounts(*row) for row in _with_rates(known.totals).values_list(*_COLUMNS)}
    if known.others:
        counts |= {row.workload_id: row for row in _counted(Submission.objects.filter(workload__in=known.others))}
    return _most_first(counts.values())


def _most_first(rows: Iterable[WorkloadCounts]) -> tuple[WorkloadCounts, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.submissions, -row.workload_id)))


def _with_rates(totals: QuerySet[WorkloadTotals]) -> QuerySet[WorkloadTotals]:
    """What has a value has a rate: only the other workloads are looked up."""
    return totals.filter(Q(valued__gt=0) | _has_rates(), published__gt=0)


def _has_rates() -> Exists:
    """Workloads of which there are only ratios are on the page of grids alone."""
    return Exists(Submission.objects.filter(HAS_RATE, workload=OuterRef("workload")))


def _counted(rows: SubmissionQuerySet) -> list[WorkloadCounts]:
    """One query."""
    counted = (
        rows.published()
        .filter(_has_rates())
        .order_by()
        .values_list("workload_id", "service")
        .annotate(
            submissions=Count("pk"),
            providers=Count("provider", distinct=True),
            instance_types=Count("instance_type", distinct=True),
            newest=Max("measured_at"),
        )
    )
    return [WorkloadCounts(*row) for row in counted]
