"""The databases that were measured, and the workloads of one of them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.aggregates.read import labels_by_workload
from submissions.formatting.charts import Preview, shareable
from submissions.formatting.names import service_name
from submissions.formatting.text import plural
from submissions.models import Submission, Workload
from submissions.models.versions.data_version import Subject
from submissions.records.aggregate import FACETS
from submissions.records.cache import cached
from submissions.records.table import in_table

WORKLOADS = 50  # on a service's page; the list of results has them all as a facet


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


class WorkloadName(NamedTuple):
    fingerprint: str
    title: str


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    workload: WorkloadName
    submissions: int
    best: Submission | None  # most operations per dollar; None where none with a log, or from an article, is priced


@shareable("Databases", parameters=())
@from_data(*Subject)
@require_safe
def services(request: HttpRequest) -> HttpResponse:
    return render(request, "submissions/records/databases/services.html", {"services": service_summaries()})


def preview(params: QueryDict, slug: str) -> Preview:
    return _preview(slug, _counts(slug))


@shareable("Results of a database", preview=preview, parameters=())
@from_data(*Subject)
@require_safe
def service(request: HttpRequest, slug: str) -> HttpResponse:
    counts = _counts(slug)
    context = {
        "preview": _preview(slug, counts),
        "service": slug,
        "counts": counts,
        "workloads": _summaries(counts),
        "most": WORKLOADS,
    }
    return render(request, "submissions/records/databases/service.html", context)


def _counts(slug: str) -> ServiceCounts:
    counts = service_counts(slug)
    if not counts.submissions:
        raise Http404(f"There is no result of {service_name(slug)}.")
    return counts


def _preview(slug: str, counts: ServiceCounts) -> Preview:
    words = f"{plural(counts.submissions, 'benchmark result')} of {plural(len(counts.workloads), 'workload')}"
    finding = f"{service_name(slug)}: {words}, with throughput, latency and operations per dollar."
    unit = "result" if counts.submissions == 1 else "results"
    return Preview(f"Benchmarks of {service_name(slug)}", finding, key_figure=(f"{counts.submissions:,}", unit))


def _summaries(counts: ServiceCounts) -> list[WorkloadSummary]:
    """The rows of the table. Two queries."""
    shown = counts.workloads[:WORKLOADS]
    bests = {pk: (WorkloadName(*name), best) for pk, *name, best in _bests([pk for pk, _ in shown])}
    rows = in_table(Submission.objects.listed()).in_bulk([best for _, best in bests.values() if best])
    return [WorkloadSummary(bests[pk][0], n, rows.get(bests[pk][1] or 0)) for pk, n in shown]


def _bests(ids: Collection[int]) -> QuerySet[Workload, tuple[Any, ...]]:
    """The best of each workload with most operations per dollar."""
    ranked = Submission.objects.rankable().priced().trust_filtered(None)
    best = ranked.filter(workload=OuterRef("pk")).by_value().values("pk")[:1]
    workloads = Workload.objects.filter(pk__in=ids).order_by().annotate(best_id=Subquery(best))
    return workloads.values_list("pk", "fingerprint", "title", "best_id")


@dataclass(slots=True)
class _Service:
    workloads: Counter[int] = field(default_factory=Counter)
    versions: Counter[str | None] = field(default_factory=Counter)
    providers: set[str] = field(default_factory=set)
    newest: str = ""

    @property
    def summary(self) -> tuple[int, int, int, datetime | None]:
        newest = datetime.fromisoformat(self.newest) if self.newest else None
        return self.workloads.total(), len(self.workloads), len(self.providers), newest


def service_summaries() -> list[ServiceSummary]:
    """Every service with published rates, those with most first. Three queries, one while they are cached."""
    services = cached(("services",), _services)
    ranked = sorted(services, key=lambda name: (-services[name].workloads.total(), name))
    return [ServiceSummary(name, *services[name].summary) for name in ranked]


def service_counts(service: str) -> ServiceCounts:
    """Three queries, one while they are cached."""
    found = cached(("services",), _services).get(service, _Service())
    return ServiceCounts(
        versions=tuple(sorted(found.versions.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))),
        workloads=tuple(sorted(found.workloads.items(), key=lambda item: (-item[1], -item[0]))),
    )


def _services() -> Mapping[str, _Service]:
    services: dict[str, _Service] = {}
    for workload, of_workload in labels_by_workload(FACETS).items():
        for name, n, newest, providers, versions in of_workload:
            service = services.setdefault(name, _Service())
            service.workloads[workload] += n
            service.versions.update({version or None: count for version, count in versions.items()})
            service.providers.update(providers)
            service.newest = max(service.newest, newest)
    return services
