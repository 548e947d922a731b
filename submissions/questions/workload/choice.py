"""Which workload a page looks at: charts and rankings hold one at a time, a selector says how many rows each has."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.http import Http404

from submissions.models import Submission, Workload

MOST_CHOICES = 300


@dataclass(frozen=True, slots=True)
class WorkloadChoice:
    fingerprint: str
    title: str
    count: int  # rows that the page can use


def choices(rows: QuerySet[Submission]) -> list[WorkloadChoice]:
    """The workloads of `rows`, those with the most first; one query."""
    counted = (
        rows.order_by()
        .values("workload__fingerprint", "workload__title")
        .annotate(count=Count("pk"))
        .order_by("-count", "workload__title", "workload__fingerprint")
    )
    return [
        WorkloadChoice(row["workload__fingerprint"], row["workload__title"], row["count"])
        for row in counted[:MOST_CHOICES]
    ]


def chosen(fingerprint: str, offered: Sequence[WorkloadChoice], rows: QuerySet[Submission]) -> WorkloadChoice | None:
    """The one that the address names, else the first of `offered`; None where nothing is offered.

    One that is not among `offered` costs two queries. Raises Http404 when nobody has heard of it.
    """
    if not fingerprint:
        return offered[0] if offered else None
    for choice in offered:
        if choice.fingerprint == fingerprint:
            return choice
    workload = Workload.objects.filter(fingerprint=fingerprint).first()
    if workload is None:
        raise Http404("There is no such workload.")
    return WorkloadChoice(workload.fingerprint, workload.title, rows.filter(workload=workload).count())


def with_chosen(offered: Sequence[WorkloadChoice], choice: WorkloadChoice | None) -> list[WorkloadChoice]:
    """What the selector lists: the chosen one is always in it."""
    if choice is None or choice in offered:
        return list(offered)
    return [choice, *offered]
