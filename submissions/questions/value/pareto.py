"""Cost against throughput: which priced submissions a chart shows, and the Pareto front among them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from submissions.analysis.pareto import Point, pareto_front
from submissions.formatting.names import cluster_name
from submissions.models import Submission, SubmissionQuerySet

CHART_ROWS = 200  # marks with words: more than that hide each other
MOST_MARKS = 3_000  # of a chart, with the faint ones of `Systems.others`


class Mark(NamedTuple):
    """What a faint mark of a chart needs of a priced submission."""

    pk: int
    provider: str
    cluster: str  # its name
    hourly_usd: Decimal
    throughput_ops_s: float
    ops_per_usd: Decimal


@dataclass(frozen=True, slots=True)
class Systems:
    """Priced submissions, cheapest first; `front` is the part of them on the Pareto front.

    `others` are further ones, none of them on the front: of each other cluster the fastest, else the next by value.
    """

    shown: tuple[Submission, ...]
    front: tuple[Submission, ...]
    others: tuple[Mark, ...] = ()

    @property
    def drawn(self) -> int:
        return len(self.shown) + len(self.others)


_WALK = """
WITH RECURSIVE walk AS (
    (SELECT id, hourly_usd, throughput_ops_s FROM ({rows}) cheapest
     ORDER BY hourly_usd, throughput_ops_s DESC, id LIMIT 1)
    UNION ALL
    SELECT next.id, next.hourly_usd, next.throughput_ops_s FROM walk CROSS JOIN LATERAL (
        SELECT id, hourly_usd, throughput_ops_s FROM ({rows}) dearer
        WHERE dearer.hourly_usd > walk.hourly_usd AND dearer.throughput_ops_s > walk.throughput_ops_s
        ORDER BY hourly_usd, throughput_ops_s DESC, id LIMIT 1
    ) next
) SELECT id FROM walk
"""


def value_rows(rows: SubmissionQuerySet, limit: int = CHART_ROWS) -> list[Submission]:
    """The whole Pareto front, and the best by value. `rows` are priced. Two queries."""
    best = rows.by_value()[:limit]
    unique = {row.pk: row for row in chain(best, pareto_rows(rows))}
    return list(unique.values())


def pareto_rows(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Priced rows that do more than every row that costs no more, cheapest first.

    Each is the cheapest of those that cost and do more than the one before it: a walk along an index of the workload.
    """
    sql, params = rows.order_by().values("id", "hourly_usd", "throughput_ops_s").query.sql_with_params()
    walk = _WALK.format(rows=sql)
    return rows.filter(pk__in=RawSQL(walk, [*params, *params])).order_by("hourly_usd", "-throughput_ops_s", "id")  # noqa: S611


def best_by_value(rows: Sequence[Submission], most: int) -> Sequence[Submission]:
    """All of them in their order; of more than `most` the best by value."""
    return rows if len(rows) <= most else nlargest(most, rows, key=lambda row: (float(row.ops_per_usd or 0), row.pk))


def other_marks(rows: SubmissionQuerySet, drawn: Collection[int]) -> list[Mark]:
    """The best by value that are not drawn yet. `rows` are priced. One query."""
    columns = ("pk", "provider", "node_count", "instance_type", "hourly_usd", "throughput_ops_s", "ops_per_usd")
    best = rows.by_value().values_list(*columns)[:MOST_MARKS]
    marks = (Mark(pk, provider, cluster_name(nodes, name), *costs) for pk, provider, nodes, name, *costs in best)
    return [mark for mark in marks if mark.pk not in drawn][: MOST_MARKS - len(drawn)]


def systems_of(rows: Sequence[Submission], others: Sequence[Mark] = ()) -> Systems:
    """Priced rows as a chart draws them. No query."""
    cheapest_first = sorted(rows, key=lambda row: (row.hourly_usd, row.throughput_ops_s, row.pk))
    by_key = {row.pk: row for row in rows}
    points = [
        Point(float(row.hourly_usd), row.throughput_ops_s, row.pk)
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None
    ]
    return Systems(tuple(cheapest_first), tuple(by_key[point.key] for point in pareto_front(points)), tuple(others))
