"""What the first page counts: totals, and the workloads with most to compare."""

from dataclasses import dataclass

from django.db.models import Count

from submissions.models import Submission, SubmissionQuerySet, Workload
from submissions.records.cache import cached


@dataclass(frozen=True, slots=True)
class Totals:
    submissions: int
    services: int
    providers: int


@dataclass(frozen=True, slots=True)
class WorkloadCount:
    """A workload with something to compare."""

    pk: int
    fingerprint: str
    title: str
    submissions: int  # priced ones that can be ranked


@dataclass(frozen=True, slots=True)
class Summary:
    totals: Totals
    workloads: tuple[WorkloadCount, ...]


def summary(workloads: int) -> Summary:
    """Totals, and the workloads with most to compare: those of two machine types or more before others.

    Four queries, one while the summary is cached.
    """
    return cached(("summary", workloads), lambda: Summary(_totals(), _most_compared(workloads)))


def newest(count: int) -> list[Submission]:
    """The last ones that were published here. One query."""
    return list(Submission.objects.listed().order_by("-id")[:count])


def comparable(workload_id: int) -> SubmissionQuerySet:
    """What one chart may show: one workload, priced, with a rate that can be ranked."""
    return Submission.objects.listed().rankable().priced().filter(workload=workload_id)


def _totals() -> Totals:
    counts = Submission.objects.published().aggregate(
        submissions=Count("id"),
        services=Count("service", distinct=True),
        providers=Count("provider", distinct=True),
    )
    return Totals(**counts)


def _most_compared(count: int) -> tuple[WorkloadCount, ...]:
    ranked = Submission.objects.rankable().priced()
    systems = ranked.values_list("workload", "provider", "instance_type").annotate(n=Count("id")).order_by()
    numbers: dict[int, list[int]] = {}  # submissions of each machine type
    for workload_id, _, _, n in systems:
        numbers.setdefault(workload_id, []).append(n)
    most = sorted(numbers, key=lambda pk: (len(numbers[pk]) > 1, sum(numbers[pk]), pk), reverse=True)[:count]
    workloads = Workload.objects.in_bulk(most)
    return tuple(WorkloadCount(pk, workloads[pk].fingerprint, workloads[pk].title, sum(numbers[pk])) for pk in most)
