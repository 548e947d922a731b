"""Counts of all submissions that new ones are added to: what can be counted in parts, such as totals.

The process has what was counted in its own memory too: it adds a few new rows itself, and Redis gets the sum once in
REFRESHED_SECONDS. After a change of a stored row the segments of ids without a change are as they were (`segments.py`).
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from django.db import connections, router

from submissions.models import DataState, Submission, VersionMemory
from submissions.records import segments
from submissions.records.cache import Answer, label, latest, redis_key_of, state_now
from submissions.records.ids import Ids

FEW = 200  # new ids: so many at most each process counts by itself
REFRESHED_SECONDS = 60  # who knows nothing yet begins with what Redis has: it is seldom much older
LONG_SECONDS = 0.2  # a count of all rows that takes longer is made by segments when it is needed again
_COUNTS = 16  # of a process; those of a list at a million results take some 0.6 MB

T = TypeVar("T")
Made = TypeVar("Made")

_counts: VersionMemory[str, Answer[Any]] = VersionMemory(_COUNTS)


def counted(
    key: tuple[object, ...], count: Callable[[Ids], T], add: Callable[[T, T], T], *, is_broad: bool = False
) -> T:
    """`count` of all submissions: after new ones, what was counted before, and `add` to it the count of these.

    For every range of ids and every later one, add(count(the one), count(the other)) must equal the count of both:
    sums, tallies and maxima can be counted so, but no medians and no numbers of distinct things (count sets of them).
    Whether and how `count` counts a submission is decided by itself, its successors, time and what starts a version of
    every segment (models/data_version.py). `add` changes neither of its arguments, and nobody changes the answer.

    After a change of a stored row the segments with a change are counted anew; all rows are, in one query, where this
    took less than LONG_SECONDS the last time, or was not counted lately. `is_broad` says beforehand that most rows are
    counted: then even the first count is made, and kept, by segments.
    """
    return made_of_count(key, count, add, lambda value: value, is_broad=is_broad)


def made_of_count(
    key: tuple[object, ...],
    count: Callable[[Ids], T],
    add: Callable[[T, T], T],
    make: Callable[[T], Made],
    *,
    is_broad: bool = False,
    counted_as: Callable[[], object] = str,
) -> Made:
    """What `make` makes of the value of `counted`, of which nothing else is read; it is made again after new rows.

    `counted_as` names what else than the key decides how `count` counts now: other segments are not added to these.
    """

    def answer(state: DataState, last: Answer[Made] | None) -> Answer[Made]:
        began = time.time()
        if state.reached is None:  # it cannot be known which rows are complete
            return Answer(*label(state), value=make(count(Ids())), complete=None, true_at=began, stored_at=began)
        complete: T
        complete, seconds = _complete(lambda: f"{redis_key}:{counted_as()}", state, last, count, add, is_broad=is_broad)
        value = add(complete, count(Ids(after=state.reached))) if state.above else complete
        return Answer(
            *label(state), value=make(value), complete=complete, true_at=began, stored_at=began, seconds=seconds
        )

    state = state_now()
    redis_key = redis_key_of(key, state)
    last: Answer[Made] | None = _counts.get(state.data, redis_key)
    if last is not None and _is_stored(last) and state.reached is not None and last.is_of(state):
        return last.value  # as Redis has it, however long ago: nothing is unpacked for the same again
    if last is None or not _is_near(last, state):
        made = latest(redis_key, answer, state)
    elif last.is_of(state):
        return last.value
    else:
        made = replace(answer(state, last), stored_at=last.stored_at)
    if made.reached is not None:
        _counts.set(made.data, redis_key, made)
    return made.value


def _is_stored(last: Answer[Any]) -> bool:
    """Whether it went to Redis when it was made; what a process has added to is newer than what it stored."""
    return last.true_at == last.stored_at


def _is_near(last: Answer[Any], state: DataState) -> bool:
    """Whether its process adds to it what is new."""
    if last.reached is None or state.reached is None:
        return False
    return state.reached - last.reached <= FEW and time.time() - last.stored_at <= REFRESHED_SECONDS


def _complete(
    name: Callable[[], str],
    state: DataState,
    last: Answer[Any] | None,
    count: Callable[[Ids], T],
    add: Callable[[T, T], T],
    *,
    is_broad: bool,
) -> tuple[T, float]:
    """The count of the rows up to the id that the state reaches, and the seconds that one of all of them took last."""
    seconds = last.seconds if last else 0.0
    if last is not None and last.complete is not None and _can_grow(last, state):
        complete: T = last.complete
        if last.reached == state.reached:
            return complete, seconds
        return add(complete, count(Ids(after=last.reached or 0, upto=state.reached))), seconds
    if segments.are_several(state) and (is_broad or seconds > LONG_SECONDS):
        return segments.count_all(name(), state, count, add), seconds
    began = time.monotonic()
    complete = count(Ids(upto=state.reached))
    return complete, time.monotonic() - began


def _can_grow(last: Answer[Any], state: DataState) -> bool:
    """Whether the rows that it counted are still what they were: of this version, and of this database."""
    if last.data != state.data or last.reached is None or state.reached is None or last.reached > state.reached:
        return False
    if last.reached == state.reached:
        return last.reached_at == state.reached_at
    return last.reached_at is None or _is_row(last.reached, last.reached_at)


def _is_row(pk: int, created_at: Any) -> bool:
    connection: Any = connections[router.db_for_read(Submission)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute("SELECT 1 FROM submissions_submission WHERE id = %s AND created_at = %s", [pk, created_at])
        return bool(cursor.fetchone() is not None)
