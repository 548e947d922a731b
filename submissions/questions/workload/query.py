"""All workloads with how many submissions each has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from submissions.models import Submission, Workload
from submissions.records.cache import cached


@dataclass(frozen=True, slots=True)
class Counted:
    workload_id: int
    service: str
    submissions: int  # published
    providers: int
    instance_types: int
    newest: datetime | None  # of the newest measurement that is dated


def counted() -> tuple[Counted, ...]:
    """Workloads with published submissions, those with most first. Two queries, one while the answer is kept."""
    return cached(("workloads",), _counted)


def with_workloads(rows: Sequence[Counted]) -> list[tuple[Workload, Counted]]:
    """One query."""
    found = Workload.objects.in_bulk([row.workload_id for row in rows])
    return [(found[row.workload_id], row) for row in rows]


def _counted() -> tuple[Counted, ...]:
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
    return tuple(Counted(*row) for row in rows)
