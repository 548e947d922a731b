"""Questions that more than one page asks of the results; each function tells how many queries it costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, RowRange, Subquery, Window

from submissions.analysis.pareto import Point, pareto_front
from submissions.models import Submission, SubmissionQuerySet, Workload
from submissions.questions.value.chart import System
from submissions.records.cache import cached

CHART_ROWS = 400  # more marks than that hide each other


@dataclass(frozen=True, slots=True)
class Overview:
    submissions: int
    services: int
    providers: int


@dataclass(frozen=True, slots=True)
class WorkloadCount:
    """A workload with something to compare."""

    pk: int
    fingerprint: str
    title: str
    submissions: int  # priced, with a rate beyond doubt


@dataclass(frozen=True, slots=True)
class Summary:
    totals: Overview
    workloads: tuple[WorkloadCount, ...]


@dataclass(frozen=True, slots=True)
class ServiceSummary:
    name: str
    submissions: int
    workloads: int
    providers: int
    newest: datetime | None  # of the newest measurement that is dated


@dataclass(frozen=True, slots=True)
class ServiceCounts:
    """Submissions of a service by version (None: not told) and by workload id, most first."""

    versions: tuple[tuple[str | None, int], ...]
    workloads: tuple[tuple[int, int], ...]

    @property
    def submissions(self) -> int:
        return sum(count for _, count in self.versions)


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    workload: Workload
    submissions: int
    best: Submission | None  # most operations per dollar; None where no submission is priced


def listed() -> SubmissionQuerySet:
    """Rows of a list: published, without the columns that no list shows."""
    return Submission.objects.listed()


def summary(workloads: int) -> Summary:
    """Totals, and the workloads with most to compare: those of two machines or more before others.

    Four queries, one while the answer is kept.
    """
    return cached(("summary", workloads), lambda: Summary(_overview(), _most_compared(workloads)))


def newest(count: int) -> list[Submission]:
    """The last ones that were published here. One query."""
    return list(listed().order_by("-id")[:count])


def comparable(workload_id: int) -> SubmissionQuerySet:
    """What may stand in one chart: one workload, priced, with a rate that no flag puts in doubt."""
    return listed().rankable().priced().filter(workload=workload_id)


def by_value(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Most operations per dollar first, the unpriced last."""
    return rows.order_by(F("ops_per_usd").desc(nulls_last=True), "-id")


def value_rows(rows: QuerySet[Submission], limit: int = CHART_ROWS) -> list[Submission]:
    """For a chart of cost against throughput: the whole Pareto front, and the best by value.

    `rows` are priced. Two queries.
    """
    best = by_value(rows)[:limit]
    unique = {row.pk: row for row in chain(best, pareto_rows(rows))}
    return list(unique.values())


def pareto_rows(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Priced rows that do more than every row that costs no more, cheapest first."""
    most_of_cheaper = Window(
        Max("throughput_ops_s"),
        order_by=[F("hourly_usd").asc(), F("throughput_ops_s").desc(), F("id").asc()],
        frame=RowRange(start=None, end=-1),
    )
    return (
        rows.annotate(most_of_cheaper=most_of_cheaper)
        .filter(Q(most_of_cheaper=None) | Q(throughput_ops_s__gt=F("most_of_cheaper")))
        .order_by("hourly_usd", "-throughput_ops_s", "id")
    )


def front_of(rows: Sequence[Submission]) -> list[Submission]:
    """The priced rows of a chart that no other row of it dominates, cheapest first. No query."""
    by_key = {row.pk: row for row in rows}
    points = [
        Point(float(row.hourly_usd), row.throughput_ops_s, row.pk)
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None
    ]
    return [by_key[point.key] for point in pareto_front(points)]


def systems(rows: Sequence[Submission]) -> list[System]:
    """Priced rows as marks of a chart. No query."""
    return [
        System(
            key=row.pk,
            name=f"{row.node_count} × {row.instance_type}: {row.title}",
            provider=row.provider,
            hourly_usd=row.hourly_usd,
            throughput_ops_s=row.throughput_ops_s,
            ops_per_usd=row.ops_per_usd,
            url=row.get_absolute_url(),
        )
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None and row.ops_per_usd is not None
    ]


def service_summaries() -> list[ServiceSummary]:
    """Every service with published results. Two queries, one while the answer is kept."""
    return cached(("services",), _service_summaries)


def service_counts(service: str) -> ServiceCounts:
    """Three queries, one while the answer is kept."""
    return cached(("service", service), lambda: _service_counts(service))


def workload_summaries(counts: Sequence[tuple[int, int]]) -> list[WorkloadSummary]:
    """The workloads of (id, submissions) in that order, with the best of each. Two queries."""
    ranked = Submission.objects.rankable().priced()
    best = by_value(ranked.filter(workload=OuterRef("pk"))).values("pk")[:1]
    workloads = Workload.objects.annotate(best_id=Subquery(best)).in_bulk([pk for pk, _ in counts])
    rows = listed().in_bulk([w.best_id for w in workloads.values() if w.best_id is not None])
    return [WorkloadSummary(workloads[pk], submissions, rows.get(workloads[pk].best_id)) for pk, submissions in counts]


def _overview() -> Overview:
    counts = Submission.objects.published().aggregate(
        submissions=Count("id"),
        services=Count("service", distinct=True),
        providers=Count("provider", distinct=True),
    )
    return Overview(**counts)


def _most_compared(count: int) -> tuple[WorkloadCount, ...]:
    ranked = Submission.objects.rankable().priced()
    systems = ranked.values_list("workload", "provider", "instance_type").annotate(n=Count("id")).order_by()
    numbers: dict[int, list[int]] = {}
    for workload_id, _, _, n in systems:
        numbers.setdefault(workload_id, []).append(n)
    most = sorted(numbers, key=lambda pk: (len(numbers[pk]) > 1, sum(numbers[pk]), pk), reverse=True)[:count]
    workloads = Workload.objects.in_bulk(most)
    return tuple(WorkloadCount(pk, workloads[pk].fingerprint, workloads[pk].title, sum(numbers[pk])) for pk in most)


def _service_summaries() -> list[ServiceSummary]:
    rows = (
        Submission.objects.published()
        .values("service")
        .annotate(
            submissions=Count("id"),
            workloads=Count("workload", distinct=True),
            providers=Count("provider", distinct=True),
            newest=Max("measured_at"),
        )
        .order_by("-submissions", "service")
    )
    return [
        ServiceSummary(row["service"], row["submissions"], row["workloads"], row["providers"], row["newest"])
        for row in rows
    ]


def _service_counts(service: str) -> ServiceCounts:
    rows = Submission.objects.published().filter(service=service).order_by()
    versions = rows.values_list("service_version").annotate(n=Count("id")).order_by("-n", "service_version")
    workloads = rows.values_list("workload").annotate(n=Count("id")).order_by("-n", "-workload")
    return ServiceCounts(tuple(versions), tuple(workloads))
