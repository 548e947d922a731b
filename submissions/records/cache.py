"""What is computed from all submissions, cached in Redis for as long as it is true.

Computed again after each change: what can be counted in parts grows instead (`growing.py`). Either way one computes and
the others get the last answer meanwhile, if it was true at most MOST_SECONDS ago, else they wait for the new one.
Without Redis everything is computed. Only what everybody may see is cached. Whatever is computed is read from the
database that `data_state` reads, and each database has answers of its own: those of a replica lack the rows that have
not come to it.
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

from benchsite.cache import evictable_cache
from benchsite.code_version import code_version
from submissions.aggregates.store import refresh
from submissions.models import CompiledQuery, DataState, WorkloadFigures, given_ids, known_state
from submissions.models.data_version import Subject

MOST_SECONDS = 2.0  # how old an answer may be while another reader computes the next one
CACHED_SECONDS = 3600  # nobody has read it for so long
LOCKED_SECONDS = 30  # after this who computes is taken for dead
POLL_SECONDS = 0.02

_VERSIONS = CompiledQuery(
    lambda ids: WorkloadFigures.objects.filter(pk__in=given_ids(ids)).order_by("pk").values_list("pk", "version"),
    ids="ids",
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    data: str
    reached: int | None
    reached_at: datetime | None
    above: int
    value: T
    complete: Any  # of the rows up to `reached`: what later rows are added to
    true_at: float
    stored_at: float = 0.0  # when it went to Redis
    seconds: float = 0.0  # that a count of all of them took

    def is_of(self, state: DataState) -> bool:
        return (self.data, self.reached, self.reached_at, self.above) == label(state)

    def is_recent(self) -> bool:
        return time.time() - self.true_at <= MOST_SECONDS


Make = Callable[[DataState, Answer[T] | None], Answer[T]]


def cached(key: tuple[object, ...], compute: Callable[[], T], *, subjects: Collection[Subject] = ()) -> T:
    """The value of `compute`, computed again when the submissions, or one of `subjects`, have changed; it is not None.

    `key` names the value: ("spreads", workload_id, kind). Costs one query more than `compute`, and none
    of its own while the value is cached.
    """

    state = state_now()
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
    Costs three queries more than `compute`, and as many while the value is cached.
    """
    ids = sorted(workload_ids)
    refresh(ids, may_be_large=not may_be_old)
    # read before the rows: what is counted meanwhile makes another version
    of_figures = hashlib.sha256(repr(_VERSIONS.rows(ids=ids)).encode()).hexdigest()
    state = state_now()
    of_workloads = replace(state, data=f"{of_figures} {state.data}", reached=0, reached_at=None, above=0)
    versions = [getattr(state, subject) for subject in subjects]
    return _answer(("of workloads", *ids, *key, *versions), _anew(state, compute), of_workloads, may_be_old=may_be_old)


def prices_version() -> str:
    """Of the price book, for the keys of answers that depend on it. One query, none inside `of_one_state`."""
    return state_now().prices


def rows_version() -> tuple[str, str] | None:
    """Of all that stored rows and prices show; None where it cannot be known. Queries as for `prices_version`."""
    state = state_now()
    return None if state.reached is None else (state.data, state.prices)


_outer: ContextVar[DataState | None] = ContextVar("outer", default=None)


def state_now() -> DataState:
    """Parts of an answer are of its state, or newer: no query for each."""
    return _outer.get() or known_state()


@contextmanager
def of_one_state() -> Iterator[None]:
    """All answers in it are of the state at its begin, or newer: one query instead of one for each."""
    outer = _outer.set(state_now())
    try:
        yield
    finally:
        _outer.reset(outer)


def _anew(known: DataState, compute: Callable[[], T]) -> Make[T]:
    def make(state: DataState, last: Answer[T] | None) -> Answer[T]:
        began, outer = time.time(), _outer.set(known)
        try:
            return Answer(*label(state), value=compute(), complete=None, true_at=began)
        finally:
            _outer.reset(outer)

    return make


def label(state: DataState) -> tuple[str, int | None, datetime | None, int]:
    return state.data, state.reached, state.reached_at, state.above


def _answer(key: tuple[object, ...], make: Make[T], state: DataState, *, may_be_old: bool = True) -> T:
    return latest(redis_key_of(key, state), make, state, may_be_old=may_be_old).value


def latest(redis_key: str, make: Make[T], state: DataState, *, may_be_old: bool = True) -> Answer[T]:
    last: Answer[T] | None = evictable_cache.get(redis_key)
    if last is not None and state.reached is not None and last.is_of(state):
        return last
    return _make_once(redis_key, state, make, may_be_old=may_be_old)


def _make_once(redis_key: str, state: DataState, make: Make[T], *, may_be_old: bool) -> Answer[T]:
    """By the one who has the lock; the others take what is recent enough, or wait for the lock."""
    lock, token = f"{redis_key}:lock", uuid.uuid4().hex
    last: Answer[T] | None
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
        evictable_cache.set_and_unlock(redis_key, answer, CACHED_SECONDS, lock, token)
        is_locked = False
        return answer
    finally:
        if is_locked:
            evictable_cache.unlock(lock, token)


def _get_or_lock(redis_key: str, lock: str, token: str) -> tuple[bool, Any]:
    return evictable_cache.get_or_lock(redis_key, lock, token, LOCKED_SECONDS)


def redis_key_of(key: tuple[object, ...], state: DataState) -> str:
    text = repr((tuple(str(part) for part in key), state.transaction, state.source))
    return f"cached:{code_version()}:{hashlib.sha256(text.encode()).hexdigest()}"
