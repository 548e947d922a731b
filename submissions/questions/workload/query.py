"""All workloads with how many results each has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from submissions.models import Submission, SubmissionQuerySet, Workload
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


def workload_counts() -> tuple[WorkloadCounts, ...]:
    """Workloads with published submissions, those with most first. Two queries, one while the answer is cached."""
    return cached(("workloads",), _workload_counts)


def with_workloads(rows: Sequence[WorkloadCounts]) -> list[tuple[Workload, WorkloadCounts]]:
    """One query."""
    workloads = Workload.objects.in_bulk([row.workload_id for row in rows])
    return [(workloads[row.workload_id], row) for row in rows]


def _workload_counts() -> tuple[WorkloadCounts, ...]:
    """Two queries; one more where totals are not current."""
    known = readable()
    if known is None:
        return _most_first(_counted(Submission.objects.all()))
    counts = {
        row[0]: WorkloadCounts(*row)
        for row in known.totals.filter(published__gt=0).values_list(
            "workload_id", "workload__service", "published", "providers", "instance_types", "newest"
        )
    }
    if known.others:
        counts |= {row.workload_id: row for row in _counted(Submission.objects.filter(workload__in=known.others))}
    return _most_first(counts.values())


def _most_first(rows: Iterable[WorkloadCounts]) -> tuple[WorkloadCounts, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.submissions, -row.workload_id)))


def _counted(rows: SubmissionQuerySet) -> list[WorkloadCounts]:
    """One query."""
    counted = (
        rows.published()
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
