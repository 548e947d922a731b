"""The databases that were measured, and the workloads of one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.formatting.charts import shareable
from submissions.formatting.names import service_name
from submissions.models import Submission, Workload
from submissions.records.cache import cached

WORKLOADS = 100  # on a service's page; the list of results has them all as a facet


@dataclass(frozen=True, slots=True)
class ServiceSummary:
    name: str
    submissions: int
    workloads: int
    providers: int
    newest: datetime | None  # of the newest measurement that is dated


@dataclass(frozen=True, slots=True)
class ServiceCounts:
    """Submissions of a service by version (None: not stated) and by workload id, most first."""

    versions: tuple[tuple[str | None, int], ...]
    workloads: tuple[tuple[int, int], ...]

    @property
    def submissions(self) -> int:
        return sum(count for _, count in self.versions)


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    workload: Workload
    submissions: int
    best: Submission | None  # most operations per dollar; None where none with a log, or from an article, is priced


@shareable("Databases")
@require_safe
def services(request: HttpRequest) -> HttpResponse:
    return render(request, "submissions/records/services.html", {"services": service_summaries()})


@shareable("Results of a database")
@require_safe
def service(request: HttpRequest, slug: str) -> HttpResponse:
    counts = service_counts(slug)
    if not counts.submissions:
        raise Http404(f"There is no result of {service_name(slug)}.")
    context = {
        "service": slug,
        "counts": counts,
        "workloads": cached(("service workloads", slug), lambda: workload_summaries(counts.workloads[:WORKLOADS])),
        "most": WORKLOADS,
    }
    return render(request, "submissions/records/service.html", context)


def service_summaries() -> list[ServiceSummary]:
    """Every service with published results. Two queries, one while they are cached."""
    return cached(("services",), _service_summaries)


def service_counts(service: str) -> ServiceCounts:
    """Three queries, one while they are cached."""
    return cached(("service", service), lambda: _service_counts(service))


def workload_summaries(counts: Sequence[tuple[int, int]]) -> list[WorkloadSummary]:
    """The workloads of (id, submissions) in that order, with the best of each. Two queries."""
    ranked = Submission.objects.rankable().priced().on_shelf(None)
    best = ranked.filter(workload=OuterRef("pk")).by_value().values("pk")[:1]
    workloads: dict[int, Any] = Workload.objects.annotate(best_id=Subquery(best)).in_bulk([pk for pk, _ in counts])
    best_ids = [workload.best_id for workload in workloads.values() if workload.best_id is not None]
    rows = Submission.objects.listed().in_bulk(best_ids)
    return [WorkloadSummary(workloads[pk], submissions, rows.get(workloads[pk].best_id)) for pk, submissions in counts]


def _service_summaries() -> list[ServiceSummary]:
    rows = (
        Submission.objects.published()
        .values_list("service")
        .annotate(
            submissions=Count("id"),
            workloads=Count("workload", distinct=True),
            providers=Count("provider", distinct=True),
            newest=Max("measured_at"),
        )
        .order_by("-submissions", "service")
    )
    return [ServiceSummary(*row) for row in rows]


def _service_counts(service: str) -> ServiceCounts:
    rows = Submission.objects.published().filter(service=service).order_by()
    versions = rows.values_list("service_version").annotate(n=Count("id")).order_by("-n", "service_version")
    workloads = rows.values_list("workload").annotate(n=Count("id")).order_by("-n", "-workload")
    return ServiceCounts(tuple(versions), tuple(workloads))
