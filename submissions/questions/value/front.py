"""Cost against throughput: which priced submissions a chart shows, and the Pareto front among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import F, Max, Q, QuerySet, RowRange, Window

from submissions.analysis.pareto import Point, pareto_front
from submissions.models import Submission, SubmissionQuerySet

CHART_ROWS = 400  # more marks than that hide each other


@dataclass(frozen=True, slots=True)
class Systems:
    """Priced submissions, cheapest first; `front` is the part of them that no cheaper one beats."""

    shown: tuple[Submission, ...]
    front: tuple[Submission, ...]


def value_rows(rows: SubmissionQuerySet, limit: int = CHART_ROWS) -> list[Submission]:
    """The whole Pareto front, and the best by value. `rows` are priced. Two queries."""
    best = rows.by_value()[:limit]
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


def systems_of(rows: Sequence[Submission]) -> Systems:
    """Priced rows as a chart draws them. No query."""
    cheapest_first = sorted(rows, key=lambda row: (row.hourly_usd, row.throughput_ops_s, row.pk))
    by_key = {row.pk: row for row in rows}
    points = [
        Point(float(row.hourly_usd), row.throughput_ops_s, row.pk)
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None
    ]
    return Systems(tuple(cheapest_first), tuple(by_key[point.key] for point in pareto_front(points)))
