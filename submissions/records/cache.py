"""What is computed from all submissions, cached in Redis for as long as it is true.

`cached` computes an answer again after each change. `counted` adds the new rows to what it has: for what can be
counted in parts, such as totals. Either way one computes and the others get the last answer meanwhile, if it was true
at most MOST_SECONDS ago, else they wait for the new one. Without Redis everything is computed. The process has what was
counted in its own memory too: it adds a few new rows itself, and Redis gets the sum once in REFRESHED_SECONDS.
Only what everybody may see is cached. `compute` and `count` read the database that `data_state` reads, and each
database has answers of its own: what a replica has counted lacks the rows that have not come to it.
"""

import hashlib
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.cache import cache
from django.db import connections, router
from django.db.models import Q

from benchsite.code_version import code_version
from benchsite.unchanged import request_memory
from submissions.models import (
    CompiledQuery,
    DataState,
    DataVersion,
    Submission,
    VersionMemory,
    WorkloadTotals,
    data_state,
    given_ids,
)
from submissions.models.data_version import Subject

MOST_SECONDS = 2.0  # how old an answer may be while another reader computes the next one
CACHED_SECONDS = 3600  # nobody has read it for so long
LOCKED_SECONDS = 30  # after this who computes is taken for dead
POLL_SECONDS = 0.02
FEW = 200  # new ids: so many at most each process counts by itself
REFRESHED_SECONDS = 60  # who knows nothing yet begins with what Redis has: it is seldom much older
_COUNTS = 16  # of a process; those of a list at a million results take some 0.6 MB

_TOTALS = CompiledQuery(
    lambda ids: WorkloadTotals.objects.current().filter(pk__in=given_ids(ids)).values_list("published", "recounts"),
    ids="ids",
)

T = TypeVar("T")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Ids:
    """Submissions with after < id <= upto; None: no limit."""

    after: int = 0
    upto: int | None = None

    def q(self, prefix: str = "") -> Q:
        """`prefix`: "submission__" from a related table."""
        limits = Q(**{f"{prefix}pk__gt": self.after}) if self.after else Q()
        return limits if self.upto is None else limits & Q(**{f"{prefix}pk__lte": self.upto})


@dataclass(frozen=True, slots=True)
class _Answer(Generic[T]):
    data: str
    reached: int | None
    reached_at: datetime | None
    above: int
    value: T
    complete: Any  # of the rows up to `reached`: what later rows are added to
    true_at: float
    stored_at: float = 0.0  # when it went to Redis

    def is_of(self, state: DataState) -> bool:
        return (self.data, self.reached, self.reached_at, self.above) == _label(state)

    def is_recent(self) -> bool:
        return time.time() - self.true_at <= MOST_SECONDS


_Make = Callable[[DataState, _Answer[T] | None], _Answer[T]]
_counts: VersionMemory[str, _Answer[Any]] = VersionMemory(_COUNTS)


def cached(key: tuple[object, ...], compute: Callable[[], T], *, subjects: Collection[Subject] = ()) -> T:
    """The value of `compute`, computed again when the submissions, or one of `subjects`, have changed; it is not None.

    `key` names the value: ("spreads", workload_id, kind). Costs one query more than `compute`, and none
    of its own while the value is cached.
    """

    state = _state_now()
    versions = [getattr(state, subject) for subject in subjects]
    return _answer((*key, *versions), _anew(state, compute), state)


def cached_of_workload(
    workload_id: int,
    key: tuple[object, ...],
    compute: Callable[[], T],
    *,
    subjects: Collection[Subject] = (),
    may_be_old: bool = True,
) -> T:
    """As `cached`, for what only the published submissions of this workload decide: new ones of others leave it."""
    return cached_of_workloads([workload_id], key, compute, subjects=subjects, may_be_old=may_be_old)


def cached_of_workloads(
    workload_ids: Collection[int],
    key: tuple[object, ...],
    compute: Callable[[], T],
    *,
    subjects: Collection[Subject] = (),
    may_be_old: bool = True,
) -> T:
    """As `cached_of_workload`, of several. `subjects` decide too: the price book, what pages show beside submissions.

    Without `may_be_old` nobody gets the last answer while another computes: a program reads what it has just written.
    Costs two queries more than `compute`, three where the totals of a workload are not true now.
    """
    ids = sorted(workload_ids)
    known = _TOTALS.rows(ids=ids)
    state = of_workloads = _state_now()
    if len(known) == len(ids):
        # both only grow while no stored row changes: states of one version have other sums
        published, recounts = (sum(numbers) for numbers in zip(*known, strict=True)) if known else (0, 0)
        of_workloads = replace(state, reached=published, reached_at=None, above=recounts)
    versions = [getattr(state, subject) for subject in subjects]
    return _answer(("of workloads", *ids, *key, *versions), _anew(state, compute), of_workloads, may_be_old=may_be_old)


def counted(key: tuple[object, ...], count: Callable[[Ids], T], add: Callable[[T, T], T]) -> T:
    """`count` of all submissions: after new ones, what was counted before, and `add` to it the count of these.

    For every range of ids and every later one, add(count(the one), count(the other)) must equal the count of both:
    sums, tallies and maxima can be counted so, but no medians and no numbers of distinct things (count sets of them).
    `add` changes neither of its arguments, and nobody changes the answer. A change of a stored row counts everything
    anew.
    """
    return made_of_count(key, count, add, lambda value: value)


def made_of_count(
    key: tuple[object, ...], count: Callable[[Ids], T], add: Callable[[T, T], T], make: Callable[[T], Made]
) -> Made:
    """What `make` makes of the value of `counted`, of which nothing else is read; it is made again after new rows."""

    def answer(state: DataState, last: _Answer[Made] | None) -> _Answer[Made]:
        began = time.time()
        if state.reached is None:  # it cannot be known which rows are complete
            return _Answer(*_label(state), value=make(count(Ids())), complete=None, true_at=began, stored_at=began)
        complete: T = _complete(state, last, count, add)
        value = add(complete, count(Ids(after=state.reached))) if state.above else complete
        return _Answer(*_label(state), value=make(value), complete=complete, true_at=began, stored_at=began)

    state = _state_now()
    redis_key = _redis_key(key, state)
    last: _Answer[Made] | None = _counts.get(state.data, redis_key)
    if last is None or not _is_near(last, state):
        made = _latest(redis_key, answer, state)
    elif last.is_of(state):
        return last.value
    else:
        made = replace(answer(state, last), stored_at=last.stored_at)
    if made.reached is not None:
        _counts.set(made.data, redis_key, made)
    return made.value


def _is_near(last: _Answer[Any], state: DataState) -> bool:
    """Whether its process adds to it what is new."""
    if last.reached is None or state.reached is None:
        return False
    return state.reached - last.reached <= FEW and time.time() - last.stored_at <= REFRESHED_SECONDS


def prices_version() -> str:
    """Of the price book, for the keys of answers that depend on it. One query, none inside `of_one_state`."""
    return _state_now().prices


def rows_version() -> tuple[str, str] | None:
    """Of all that stored rows and prices show; None where it cannot be known. Queries as for `prices_version`."""
    state = _state_now()
    return None if state.reached is None else (state.data, state.prices)


_outer: ContextVar[DataState | None] = ContextVar("outer", default=None)
_STATE = "state of submissions"  # in the memory of a request


def state_of_request() -> DataState:
    """`data_state()`, of which the answer to this request is then, or newer: nothing asks a second time."""
    state = data_state()
    request_memory()[_STATE] = state
    return state


def _state_now() -> DataState:
    """Parts of an answer are of its state, or newer: no query for each."""
    if outer := _outer.get():
        return outer
    # who has written since reads the primary from then on
    known: DataState | None = request_memory().get(_STATE)
    return known if known and known.source == router.db_for_read(DataVersion) else data_state()


@contextmanager
def of_one_state() -> Iterator[None]:
    """All answers in it are of the state at its begin, or newer: one query instead of one for each."""
    outer = _outer.set(_state_now())
    try:
        yield
    finally:
        _outer.reset(outer)


def _anew(known: DataState, compute: Callable[[], T]) -> _Make[T]:
    def make(state: DataState, last: _Answer[T] | None) -> _Answer[T]:
        began, outer = time.time(), _outer.set(known)
        try:
            return _Answer(*_label(state), value=compute(), complete=None, true_at=began)
        finally:
            _outer.reset(outer)

    return make


def _complete(state: DataState, last: _Answer[Any] | None, count: Callable[[Ids], T], add: Callable[[T, T], T]) -> T:
    """The count of the rows up to the id that the state reaches."""
    if last is None or not _can_grow(last, state) or last.complete is None or last.reached is None:
        return count(Ids(upto=state.reached))
    complete: T = last.complete
    if last.reached == state.reached:
        return complete
    return add(complete, count(Ids(after=last.reached, upto=state.reached)))


def _can_grow(last: _Answer[T], state: DataState) -> bool:
    """Whether the rows that it counted are still what they were: of this version, and of this database."""
    if last.data != state.data or last.reached is None or state.reached is None or last.reached > state.reached:
        return False
    if last.reached == state.reached:
        return last.reached_at == state.reached_at
    return last.reached_at is None or _is_row(last.reached, last.reached_at)


def _is_row(pk: int, created_at: datetime) -> bool:
    connection: Any = connections[router.db_for_read(Submission)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute("SELECT 1 FROM submissions_submission WHERE id = %s AND created_at = %s", [pk, created_at])
        return bool(cursor.fetchone() is not None)


def _label(state: DataState) -> tuple[str, int | None, datetime | None, int]:
    return state.data, state.reached, state.reached_at, state.above


def _answer(key: tuple[object, ...], make: _Make[T], state: DataState, *, may_be_old: bool = True) -> T:
    return _latest(_redis_key(key, state), make, state, may_be_old=may_be_old).value


def _latest(redis_key: str, make: _Make[T], state: DataState, *, may_be_old: bool = True) -> _Answer[T]:
    last: _Answer[T] | None = cache.get(redis_key)
    if last is not None and state.reached is not None and last.is_of(state):
        return last
    return _make_once(redis_key, state, make, may_be_old=may_be_old)


def _make_once(redis_key: str, state: DataState, make: _Make[T], *, may_be_old: bool) -> _Answer[T]:
    """By the one who has the lock; the others take what is recent enough, or wait for the lock."""
    lock, token = f"{redis_key}:lock", uuid.uuid4().hex
    last: _Answer[T] | None
    while True:
        is_ours, last = _get_or_lock(redis_key, lock, token)
        if is_ours:
            break
        if last is not None and (last.is_of(state) or (may_be_old and last.is_recent())):
            return last
        time.sleep(POLL_SECONDS)
    is_locked = True
    try:
        if last is not None and state.reached is not None and last.is_of(state):  # made while we waited
            return last
        answer = make(state, last)
        cache.set_and_unlock(redis_key, answer, CACHED_SECONDS, lock, token)  # type: ignore[attr-defined]
        is_locked = False
        return answer
    finally:
        if is_locked:
            cache.unlock(lock, token)  # type: ignore[attr-defined]


def _get_or_lock(redis_key: str, lock: str, token: str) -> tuple[bool, Any]:
    answer: tuple[bool, Any]
    answer = cache.get_or_lock(redis_key, lock, token, LOCKED_SECONDS)  # type: ignore[attr-defined] # benchsite/cache
    return answer


def _redis_key(key: tuple[object, ...], state: DataState) -> str:
    text = repr((tuple(str(part) for part in key), state.transaction, state.source))
    return f"cached:{code_version()}:{hashlib.sha256(text.encode()).hexdigest()}"
