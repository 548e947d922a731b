"""Questions that more than one page asks of the results; each function tells how many queries it costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from django.db.models import Count, F, Max, Q, QuerySet, RowRange, Window
from django.db.models.functions import Concat

from submissions.analysis.pareto import Point, pareto_front
from submissions.charts import System
from submissions.choices import Flag
from submissions.models import Submission, SubmissionQuerySet, Workload

# With one of these flags the rate itself is in doubt: such a row is listed, but is no best value.
DOUBTFUL_RATE = (Flag.RATE_MISMATCH, Flag.LITTLES_LAW, Flag.ERRORS, Flag.TRUNCATED)
CHART_ROWS = 400  # more marks than that hide each other


@dataclass(frozen=True, slots=True)
class Overview:
    submissions: int
    services: int
    providers: int
    workloads: int


@dataclass(frozen=True, slots=True)
class BestValue:
    """Most operations per dollar within one workload; `next_best` runs on another instance type."""

    workload: Workload
    best: Submission
    next_best: Submission | None

    @property
    def ratio(self) -> Decimal | None:
        """Operations per dollar of the best over those of the next best."""
        ours, next_ones = self.best.ops_per_usd, self.next_best and self.next_best.ops_per_usd
        return ours / next_ones if ours and next_ones else None


@dataclass(frozen=True, slots=True)
class ServiceSummary:
    name: str
    submissions: int
    workloads: int
    providers: int
    newest: object  # datetime of the newest measurement, None when no submission tells


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    workload: Workload
    submissions: int
    best: Submission | None  # most operations per dollar; None where no submission is priced


def listed() -> SubmissionQuerySet:
    """Rows of a list: published, without the columns that no list shows."""
    return Submission.objects.published().defer("document", "notes")


def overview() -> Overview:
    """One query."""
    counts = Submission.objects.published().aggregate(
        submissions=Count("id"),
        services=Count("service", distinct=True),
        providers=Count("provider", distinct=True),
        workloads=Count("workload", distinct=True),
    )
    return Overview(**counts)


def newest(count: int) -> list[Submission]:
    """The last ones that were published here. One query."""
    return list(listed().order_by("-id")[:count])


def comparable(workload: Workload) -> SubmissionQuerySet:
    """What may stand in one chart: one workload, priced, with a rate that no flag puts in doubt."""
    return listed().priced().filter(workload=workload).exclude(flags__overlap=DOUBTFUL_RATE)


def by_value(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Most operations per dollar first, the unpriced last."""
    return rows.order_by(F("ops_per_usd").desc(nulls_last=True), "-id")


def headline_workloads(count: int) -> list[Workload]:
    """Workloads with most to compare: two systems or more before one, then by submissions. One query."""
    countable = Q(submissions__retracted_at=None, submissions__ops_per_usd__isnull=False) & ~Q(
        submissions__flags__overlap=DOUBTFUL_RATE
    )
    system = Concat("submissions__provider", "submissions__instance_type")
    return list(
        Workload.objects.annotate(
            priced_count=Count("submissions", filter=countable),
            system_count=Count(system, filter=countable, distinct=True),
        )
        .filter(priced_count__gt=0)
        .annotate(has_two=Q(system_count__gt=1))
        .order_by("-has_two", "-priced_count", "-id")[:count]
    )


def best_value(workload: Workload) -> BestValue | None:
    """None when nothing of the workload is priced. Two queries."""
    ranked = by_value(comparable(workload))
    best = ranked.first()
    if best is None:
        return None
    others = ranked.exclude(provider=best.provider, instance_type=best.instance_type)
    return BestValue(workload, best, others.first())


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
    """Every service with published results. One query."""
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


def workload_summaries(service: str, limit: int) -> list[WorkloadSummary]:
    """A service's workloads, those with most submissions first. Two queries."""
    published = Q(submissions__retracted_at=None)
    workloads = list(
        Workload.objects.filter(service=service)
        .annotate(submissions_count=Count("submissions", filter=published))
        .filter(submissions_count__gt=0)
        .order_by("-submissions_count", "title", "id")[:limit]
    )
    best = _best_of_each([workload.pk for workload in workloads])
    return [WorkloadSummary(workload, workload.submissions_count, best.get(workload.pk)) for workload in workloads]


def versions(service: str) -> list[tuple[str | None, int]]:
    """(version, submissions) of a service, None for those that do not tell. One query."""
    rows = Submission.objects.published().filter(service=service).values_list("service_version")
    return list(rows.annotate(count=Count("id")).order_by("-count", "service_version"))


def _best_of_each(workload_ids: Sequence[int]) -> dict[int, Submission]:
    rows = (
        listed()
        .priced()
        .filter(workload_id__in=workload_ids)
        .exclude(flags__overlap=DOUBTFUL_RATE)
        .order_by("workload_id", F("ops_per_usd").desc(nulls_last=True), "-id")
        .distinct("workload_id")
    )
    return {row.workload_id: row for row in rows}
