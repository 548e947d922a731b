"""All workloads with how many results each has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from submissions.models import Submission, Workload
from submissions.records.cache import cached


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
    rows = (
        Submission.objects.published()
        .order_by()
        .values_list("workload_id", "service")
        .annotate(
            submissions=Count("pk"),
            providers=Count("provider", distinct=True),
            instance_types=Count("instance_type", distinct=True),
            newest=Max("measured_at"),
        )
        .order_by("-submissions", "-workload_id")
    )
    return tuple(WorkloadCounts(*row) for row in rows)
