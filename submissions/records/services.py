"""The databases that were measured, and the workloads of one of them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.formatting.charts import Preview, shareable
from submissions.formatting.names import service_name
from submissions.formatting.text import plural
from submissions.models import CompiledQuery, Submission, Workload, given_ids
from submissions.models.data_version import Subject
from submissions.records.growing import counted
from submissions.records.ids import Ids
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


class _Service(NamedTuple):
    """What can be added to that of other submissions."""

    submissions: int
    workloads: frozenset[int]
    providers: frozenset[str]
    newest: datetime | None

    def with_more(self, other: "_Service") -> "_Service":
        dated = [newest for newest in (self.newest, other.newest) if newest]
        return _Service(
            self.submissions + other.submissions,
            self.workloads | other.workloads,
            self.providers | other.providers,
            max(dated, default=None),
        )


_Services = Mapping[str, _Service]
_Numbers = tuple[Counter[str | None], Counter[int]]  # submissions of a version, of a workload


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
    return render(request, "submissions/records/services.html", {"services": service_summaries()})


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
    return render(request, "submissions/records/service.html", context)


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
    bests = {pk: (WorkloadName(*name), best) for pk, *name, best in _BESTS.rows_as_planned(ids=[pk for pk, _ in shown])}
    rows = in_table(Submission.objects.listed()).in_bulk([best for _, best in bests.values() if best is not None])
    return [WorkloadSummary(bests[pk][0], n, rows.get(bests[pk][1])) for pk, n in shown]


def _bests(ids: str) -> QuerySet[Workload, tuple[Any, ...]]:
    """The best of each workload with most operations per dollar."""
    ranked = Submission.objects.rankable().priced().on_shelf(None)
    best = ranked.filter(workload=OuterRef("pk")).by_value().values("pk")[:1]
    workloads = Workload.objects.filter(pk__in=given_ids(ids)).order_by().annotate(best_id=Subquery(best))
    return workloads.values_list("pk", "fingerprint", "title", "best_id")


_BESTS = CompiledQuery(_bests, ids="ids")


def service_summaries() -> list[ServiceSummary]:
    """Every service with published rates, those with most first. Two queries, one while they are counted."""
    by_name = counted(("services",), _services, _with_more, is_broad=True)
    ranked = sorted(by_name, key=lambda name: (-by_name[name].submissions, name))
    return [_summary(name, by_name[name]) for name in ranked]


def service_counts(service: str) -> ServiceCounts:
    """Two queries, one while they are counted."""
    versions, workloads = counted(("service", service), lambda ids: _numbers(service, ids), _sums, is_broad=True)
    return ServiceCounts(
        versions=tuple(sorted(versions.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))),
        workloads=tuple(sorted(workloads.items(), key=lambda item: (-item[1], -item[0]))),
    )


def _services(ids: Ids) -> _Services:
    """One query."""
    rows = (
        Submission.objects.with_rate()
        .filter(ids.q())
        .order_by()
        .values_list("service", "provider", "workload")
        .annotate(submissions=Count("id"), newest=Max("measured_at"))
    )
    found: dict[str, _Service] = {}
    for service, of_service in groupby(sorted(rows, key=itemgetter(0)), key=itemgetter(0)):
        _, providers, workloads, submissions, newest = zip(*of_service, strict=True)
        dated = (moment for moment in newest if moment)
        found[service] = _Service(
            sum(submissions), frozenset(workloads), frozenset(providers), max(dated, default=None)
        )
    return found


def _with_more(one: _Services, other: _Services) -> _Services:
    both = dict(one)
    for name, part in other.items():
        both[name] = both[name].with_more(part) if name in both else part
    return both


def _summary(name: str, service: _Service) -> ServiceSummary:
    return ServiceSummary(name, service.submissions, len(service.workloads), len(service.providers), service.newest)


def _numbers(service: str, ids: Ids) -> _Numbers:
    """One query."""
    rows = Submission.objects.with_rate().filter(ids.q(), service=service).order_by()
    versions: Counter[str | None] = Counter()
    workloads: Counter[int] = Counter()
    for version, workload_id, n in rows.values_list("service_version", "workload").annotate(n=Count("id")):
        versions[version] += n
        workloads[workload_id] += n
    return versions, workloads


def _sums(one: _Numbers, other: _Numbers) -> _Numbers:
    return one[0] + other[0], one[1] + other[1]
