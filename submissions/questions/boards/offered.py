"""The workloads that a selector offers: the one that its page opens on, then those with the most."""

from collections.abc import Collection
from typing import Any

from django.db import connections, router

from submissions.aggregates.kinds import Kind
from submissions.aggregates.store import refresh
from submissions.aggregates.trust_filter import TRUST_FILTERS
from submissions.choices import Trust
from submissions.models import NEWEST_FIRST, Aggregate, WorkloadFigures
from submissions.questions.boards.choice import MOST_CHOICES, WorkloadChoice, opening_first

# With those that have as many as the last one: their titles decide. What has a number has an order, which is indexed.
# OFFSET 0: each of the workloads is looked up by itself, where PostgreSQL would read all that there are.
_OFFERED = """
WITH {opening}most AS (
    SELECT orders[{place}] AS place, numbers[{place}] AS number, workload_id AS workload
    FROM submissions_aggregate
    WHERE kind = %s AND numbers[{place}] > 0 AND orders[{place}] > 0{condition}
    ORDER BY orders[{place}] DESC
    FETCH FIRST {most} ROWS WITH TIES
)
SELECT fingerprint, title, number, workload, place, is_opening
FROM ({found}) AS found,
    LATERAL (SELECT fingerprint, title FROM submissions_workload WHERE id = workload OFFSET 0) AS named
"""
_MOST = "SELECT most.*, false AS is_opening FROM most"
# By the index of NEWEST_FIRST: only until one of them has figures of the kind.
_OPENING = """newest AS (
    SELECT orders[{place}] AS place, numbers[{place}] AS number, figures.workload_id AS workload
    FROM submissions_workloadfigures AS figures
    JOIN submissions_aggregate AS own ON own.workload_id = figures.workload_id AND own.kind = %s
    WHERE proven > 0 AND numbers[{place}] > 0 AND orders[{place}] > 0{fewest}
    ORDER BY (machine_types > 1) DESC, newest DESC NULLS LAST, figures.workload_id DESC
    LIMIT 1
), """
_WITH_OPENING = f"SELECT newest.*, true AS is_opening FROM newest UNION ALL {_MOST}"  # noqa: S608 - only constants
_AT_LEAST = " AND (labels ->> {label})::int >= {fewest:d}"
_OF_FACTOR = """
    AND workload_id IN (
        SELECT id FROM submissions_workload WHERE canonical -> 'replication_factor' = to_jsonb(%s::int)
    )"""


def offered_workloads(kind: Kind, trust: Trust | None, replication_factor: int | None = None) -> list[WorkloadChoice]:
    """Those with the most first. Two queries where nothing has changed."""
    condition, params = ("", []) if replication_factor is None else (_OF_FACTOR, [replication_factor])
    sql = _OFFERED.format(
        place=TRUST_FILTERS.index(trust) + 1, most=MOST_CHOICES, condition=condition, opening="", found=_MOST
    )
    return _found(sql, [kind.name, *params])


def offered_to_open(kind: Kind, trust: Trust | None, fewest: int | None = None) -> list[WorkloadChoice]:
    """The same after the newest with a raw log; `fewest`: only one whose label is that number or more.

    Two queries where nothing has changed.
    """
    place = TRUST_FILTERS.index(trust)
    at_least = "" if fewest is None else _AT_LEAST.format(label=place, fewest=fewest)
    opening = _OPENING.format(place=place + 1, fewest=at_least)
    sql = _OFFERED.format(place=place + 1, most=MOST_CHOICES, condition="", opening=opening, found=_WITH_OPENING)
    return _found(sql, [kind.name, kind.name])


def newest_first(workloads: Collection[int]) -> list[int]:
    """Those among them with a raw log, in the order in which a page opens on them. One query."""
    with_log = WorkloadFigures.objects.filter(pk__in=workloads, proven__gt=0)
    return list(with_log.order_by(*NEWEST_FIRST).values_list("pk", flat=True))


def _found(sql: str, params: list[Any]) -> list[WorkloadChoice]:
    refresh()
    connection: Any = connections[router.db_for_read(Aggregate)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    most = sorted((row for row in rows if not row[5]), key=lambda row: (-row[4], row[1], row[0]))
    opening = next((WorkloadChoice(*row[:4]) for row in rows if row[5]), None)
    return opening_first([WorkloadChoice(*row[:4]) for row in most[:MOST_CHOICES]], opening)
