"""What a chart of cost against throughput draws: the Pareto front, and the best by value."""

from collections.abc import Sequence
from itertools import chain

from django.db.models import F, Max, Q, QuerySet, RowRange, Window

from submissions.analysis.pareto import Point, pareto_front
from submissions.formatting.names import cluster_name
from submissions.models import Submission, SubmissionQuerySet
from submissions.questions.value.chart import System

CHART_ROWS = 400  # more marks than that hide each other


def value_rows(rows: SubmissionQuerySet, limit: int = CHART_ROWS) -> list[Submission]:
    """Of priced rows the whole Pareto front, and the best by value. Two queries."""
    best = rows.by_value()[:limit]
    unique = {row.pk: row for row in chain(best, pareto_rows(rows))}
    return list(unique.values())


def pareto_rows(rows: SubmissionQuerySet) -> QuerySet[Submission]:
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


def chart_systems(rows: Sequence[Submission]) -> list[System]:
    """Priced rows as marks of a chart. No query."""
    return [
        System(
            key=row.pk,
            name=f"{cluster_name(row.node_count, row.instance_type)}: {row.title}",
            provider=row.provider,
            hourly_usd=row.hourly_usd,
            throughput_ops_s=row.throughput_ops_s,
            ops_per_usd=row.ops_per_usd,
            url=row.get_absolute_url(),
        )
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None and row.ops_per_usd is not None
    ]
