"""The parts of tallies, as they are read and stored while these grow: statements that a connection prepares once."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connections

from submissions.tallies.journal import Moment

TallyState = dict[str, Any]  # JSON

_READ = """
SELECT tally_id, scope, workloads, state, valid_until FROM submissions_tallypart
WHERE tally_id = ANY(%s::bigint[]) AND scope = ANY(%s::text[])
"""
_SAVE = """
INSERT INTO submissions_tallypart (tally_id, scope, workloads, numbers, orders, labels, state, valid_until)
VALUES (%s::bigint, %s, %s::bigint[], %s::bigint[], %s::bigint[], %s::jsonb, %s, %s::timestamptz)
ON CONFLICT (tally_id, scope) DO UPDATE SET
    workloads = EXCLUDED.workloads, numbers = EXCLUDED.numbers, orders = EXCLUDED.orders, labels = EXCLUDED.labels,
    state = EXCLUDED.state, valid_until = EXCLUDED.valid_until
"""
_MOVE = """
UPDATE submissions_tally SET cluster = %s, snapshot = %s, applied = %s::bigint[], read_at = statement_timestamp()
WHERE id = ANY(%s::bigint[])
"""


@dataclass(slots=True)
class Part:
    workloads: set[int] = field(default_factory=set)
    state: TallyState = field(default_factory=dict)
    valid_until: datetime | None = None

    def expire(self, at: datetime | None) -> None:
        """Not to be read from then on."""
        if at is not None:
            self.valid_until = min(self.valid_until or at, at)


class Stored(NamedTuple):
    """A row of the table, in the order of the statement."""

    tally: int
    scope: str
    workloads: list[int]
    numbers: list[int]
    orders: list[int]
    labels: str
    state: str
    valid_until: datetime | None


def read(tallies: Collection[int], scopes: Collection[str], using: str) -> dict[tuple[int, str], Part]:
    """By the number of the tally, and the scope. One query."""
    connection: Any = connections[using]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_READ, [list(tallies), list(scopes)])
        rows = cursor.fetchall()
    return {
        (tally, scope): Part(set(workloads), json.loads(state), valid_until)
        for tally, scope, workloads, state, valid_until in rows
    }


def save(rows: Iterable[Stored], using: str) -> None:
    """One query, none where there is nothing."""
    every = list(rows)
    connection: Any = connections[using]
    with connection.prepared_cursor() as cursor:
        if len(every) == 1:
            cursor.execute(_SAVE, every[0])
        elif every:
            cursor.executemany(_SAVE, every)


def move(tallies: Collection[int], moment: Moment, using: str) -> None:
    """Their parts hold what this moment shows."""
    connection: Any = connections[using]
    with connection.prepared_cursor() as cursor:
        cursor.execute(_MOVE, [moment.cluster, moment.snapshot, moment.applied, list(tallies)])
