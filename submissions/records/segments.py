"""Counts of all submissions by segments of their ids: after a change of a stored row only its segment is counted again.

Each segment is cached in Redis with the version that it had before it was counted: what changes meanwhile makes another
version, so that it may be counted once too often, but is never taken for what it is not any more.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, Generic, TypeVar

from django.db import connections

from benchsite.cache import evictable_cache
from submissions.models import DataState
from submissions.models.data_version import EVERY_SEGMENT, SEGMENT
from submissions.records.ids import Ids

CACHED_SECONDS = 24 * 3600  # nobody has needed it for so long
CHECKED_ANEW = timedelta(hours=1)  # what is still true is stored again, for as long

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Segment(Generic[T]):
    version: str
    checked_at: datetime  # when it had this version, by the clock of the database
    upto: int  # the last id that is counted
    # the last row then, and when it was created: after a restore another one may have the same id
    reached: int
    reached_at: datetime | None
    value: T


@dataclass(frozen=True, slots=True)
class _Now:
    """What is known of segments at a moment of the database."""

    moment: datetime
    tokens: Mapping[int, str]
    turned: Mapping[int, datetime]  # when time alone changed something in it, the last time
    rows: frozenset[tuple[int, datetime | None]]  # those among the rows looked for that are still there

    def version(self, number: int) -> str:
        return f"{self.tokens.get(EVERY_SEGMENT, '')}, {self.tokens.get(number, '')}"

    def is_true(self, number: int, known: _Segment[Any], end: int) -> bool:
        turned = self.turned.get(number)
        return (
            known.version == self.version(number)
            and (turned is None or turned <= known.checked_at)
            and known.upto <= end
            and (known.reached, known.reached_at) in self.rows
        )


def are_several(state: DataState) -> bool:
    return state.reached is not None and state.reached > SEGMENT


def count_all(name: str, state: DataState, count: Callable[[Ids], T], add: Callable[[T, T], T]) -> T:
    """`count` of the rows up to `state.reached`: of each segment that is not cached as it is now. Three queries more.

    `name`: of the value in Redis, in the database and the transaction of the state.
    """
    reached = state.reached or 0
    numbers = _filled(state)
    if not numbers:
        return count(Ids(upto=reached))
    keys = {number: f"{name}:{SEGMENT}:{number}" for number in numbers}
    stored: Mapping[str, _Segment[T]] = evictable_cache.get_many(keys.values())
    now = _now(state, stored.values())
    parts = []
    for number in numbers:
        first, end = number * SEGMENT, min((number + 1) * SEGMENT, reached)
        known = stored.get(keys[number])
        if known is None or not now.is_true(number, known, end):
            value, is_new = count(Ids(after=first, upto=end)), True
        elif known.upto < end:
            value, is_new = add(known.value, count(Ids(after=known.upto, upto=end))), True
        else:
            value, is_new = known.value, now.moment - known.checked_at > CHECKED_ANEW
        if is_new:
            segment = _Segment(now.version(number), now.moment, end, reached, state.reached_at, value)
            evictable_cache.set(keys[number], segment, CACHED_SECONDS)
        parts.append(value)
    return reduce(add, parts)


# From each to the next: ids may leave out millions, after a restore or where a sequence was set.
_FILLED = """
WITH RECURSIVE filled (segment) AS (
    (SELECT (id - 1) / %(size)s FROM submissions_submission WHERE id <= %(reached)s ORDER BY id LIMIT 1)
    UNION ALL
    SELECT (SELECT (id - 1) / %(size)s FROM submissions_submission
            WHERE id > (segment + 1) * %(size)s AND id <= %(reached)s ORDER BY id LIMIT 1)
    FROM filled WHERE segment IS NOT NULL
)
SELECT segment FROM filled WHERE segment IS NOT NULL
"""


def _filled(state: DataState) -> list[int]:
    """The segments that have rows up to `state.reached`, in order. One query."""
    with connections[state.source].cursor() as cursor:
        cursor.execute(_FILLED, {"size": SEGMENT, "reached": state.reached})
        return [number for (number,) in cursor.fetchall()]


# Of a successor the turn changes what it supersedes, too.
_NOW = """
WITH turned AS (
    SELECT id, supersedes_id, embargo_until AS at FROM submissions_submission
    WHERE embargo_until > %(since)s AND embargo_until <= statement_timestamp()
    UNION ALL SELECT id, supersedes_id, unranked_until FROM submissions_submission
    WHERE unranked_until > %(since)s AND unranked_until <= statement_timestamp()
    UNION ALL SELECT id, supersedes_id, published_at FROM submissions_submission
    WHERE published_at > created_at AND published_at > %(since)s AND published_at <= statement_timestamp()
)
SELECT NULL::bigint, NULL::text, statement_timestamp()
UNION ALL SELECT segment, string_agg(token::text, ' ' ORDER BY id), NULL
    FROM submissions_segmentversion GROUP BY segment
UNION ALL SELECT submissions_segment(changed.id), NULL, max(at)
    FROM turned CROSS JOIN LATERAL (VALUES (turned.id), (turned.supersedes_id)) AS changed(id)
    WHERE changed.id IS NOT NULL GROUP BY 1
"""
_ROWS = "SELECT id, created_at FROM submissions_submission WHERE id = ANY (%s)"


def _now(state: DataState, known: Collection[_Segment[Any]]) -> _Now:
    """Read before anything is counted, from the database of the state."""
    since = min((segment.checked_at for segment in known), default=None)
    with connections[state.source].cursor() as cursor:
        cursor.execute(_NOW, {"since": since})
        (_, _, moment), *rows = sorted(cursor.fetchall(), key=lambda row: row[0] is not None)
        cursor.execute(_ROWS, [sorted({segment.reached for segment in known})])
        last_rows = frozenset(cursor.fetchall())
    return _Now(
        moment,
        tokens={number: tokens for number, tokens, _ in rows if tokens is not None},
        turned={number: at for number, tokens, at in rows if tokens is None},
        rows=last_rows,
    )
