"""The workloads that a selector offers, from a tally: those with the most first."""

from typing import Any

from django.db import connections, router

from submissions.choices import Trust
from submissions.models import TallyPart
from submissions.questions.workload.choice import MOST_CHOICES, WorkloadChoice
from submissions.tallies.growth import TallyKind
from submissions.tallies.shelf import SHELVES

# With those that have as many as the last one: their titles decide. What has a number has an order, which is indexed.
# OFFSET 0: each of the workloads is looked up by itself, where PostgreSQL would read all that there are.
_OFFERED = """
WITH parts AS (
    SELECT orders[{place}] AS place, numbers[{place}] AS number, workloads[1] AS workload
    FROM submissions_tallypart
    WHERE tally_id = (SELECT id FROM submissions_tally WHERE name = %s)
        AND numbers[{place}] > 0 AND orders[{place}] > 0{condition}
    ORDER BY orders[{place}] DESC
    FETCH FIRST {most} ROWS WITH TIES
)
SELECT fingerprint, title, number, workload, place
FROM parts, LATERAL (SELECT fingerprint, title FROM submissions_workload WHERE id = workload OFFSET 0) AS named
"""
_OF_FACTOR = """
    AND workloads[1] IN (
        SELECT id FROM submissions_workload WHERE canonical -> 'replication_factor' = to_jsonb(%s::int)
    )"""


def offered_workloads(
    kind: TallyKind, shelf: Trust | None, replication_factor: int | None = None
) -> list[WorkloadChoice]:
    """One query."""
    condition, params = ("", []) if replication_factor is None else (_OF_FACTOR, [replication_factor])
    sql = _OFFERED.format(place=SHELVES.index(shelf) + 1, most=MOST_CHOICES, condition=condition)
    connection: Any = connections[router.db_for_read(TallyPart)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(sql, [kind.name, *params])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    rows.sort(key=lambda row: (-row[4], row[1], row[0]))
    return [WorkloadChoice(*row[:4]) for row in rows[:MOST_CHOICES]]
