"""The one cache behind views: what was computed from the data, in Redis, until the data changes.

After a change one reader computes and the others get the last answer meanwhile, if it was made at most MOST_SECONDS
ago, else they wait for the new one. Without Redis everything is computed. Only what everybody may see is cached: an
answer to what a reader pays is not; an answer has amounts in one currency.
Whatever is computed is read from the database that `data_state` reads, and each database has answers of its own: those
of a replica lack the rows that have not come to it.
"""

import hashlib
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from benchsite.http.freshness import making_part, note_old_part
from benchsite.http.private_parameters import is_private
from benchsite.processes.code_version import code_version
from benchsite.redis.cache import evictable_cache
from submissions.aggregates.store import refresh
from submissions.formatting import currency
from submissions.models import CompiledQuery, DataState, WorkloadFigures, given_ids, known_state
from submissions.models.versions.data_version import Subject

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
    version: str  # of what it was made from; "" of older figures, which another was counting
    value: T
    made_at: float

    @property
    def seconds(self) -> float:
        return time.time() - self.made_at


@dataclass(frozen=True, slots=True)
class Aged(Generic[T]):
    value: T
    seconds: float | None = None  # how old it is, where the data has changed since


def cached(key: tuple[object, ...], compute: Callable[[], T], *, subjects: Collection[Subject] = ()) -> T:
    """The value of `compute`, computed again when the submissions, or one of `subjects`, have changed; it is not None.

    `key` names the value: ("spreads", workload_id, kind). Costs one query more than `compute`, and none
    of its own while the value is cached.
    """
    state = state_now()
    return _answer(key, state, _version(state.data, state, subjects), compute).value


def cached_for(seconds: float, key: tuple[object, ...], compute: Callable[[], T]) -> Aged[T]:
    """As `cached`, for what takes long: taken for so many seconds though the data has changed, then computed again.

    While one reader computes it the others take it until it is twice as old.
    """
    state = state_now()
    version = _version(state.data, state, ())
    answer = _answer(key, state, version, compute, keep_seconds=seconds, most_seconds=max(2 * seconds, MOST_SECONDS))
    return Aged(answer.value, None if answer.version == version else answer.seconds)


def cached_of_workload(
    workload_id: int,
    key: tuple[object, ...],
    compute: Callable[[], T],
    *,
    subjects: Collection[Subject] = (),
    may_be_old: bool = True,
) -> T:
    """As `cached`, for what only the published submissions of this workload decide: those of others leave it."""
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

    Without `may_be_old` nobody gets the last answer while another computes: a program reads what it has just written,
    and waits for the figures of a large workload. Costs two queries more than `compute`.
    """
    ids = sorted(workload_ids)
    refresh(ids, may_be_large=not may_be_old)
    # read before the rows: what is counted meanwhile makes another version
    of_workloads = " ".join(f"{pk}:{version}" for pk, version in _VERSIONS.rows(ids=ids))
    state = state_now()
    version = _version(of_workloads, state, subjects)
    most_seconds = MOST_SECONDS if may_be_old else 0.0
    return _answer(("of workloads", *ids, *key), state, version, compute, most_seconds=most_seconds).value


def prices_version() -> str:
    """Of the price book, for the keys of answers that depend on it. One query, none inside `of_one_state`."""
    return state_now().prices


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


def _version(text: str, state: DataState, subjects: Collection[Subject]) -> str:
    versions = (text, *(getattr(state, subject) for subject in subjects))
    return hashlib.sha256(repr(versions).encode()).hexdigest()


def _answer(
    key: tuple[object, ...],
    state: DataState,
    version: str,
    compute: Callable[[], T],
    *,
    keep_seconds: float = 0.0,
    most_seconds: float = MOST_SECONDS,
) -> Answer[T]:
    if is_private():
        return Answer(version, compute(), time.time())
    redis_key = _redis_key(key, state)
    last: Answer[T] | None = evictable_cache.get(redis_key)

    def make() -> Answer[T]:
        began, outer = time.time(), _outer.set(state)
        try:
            with making_part() as part:
                value = compute()
            return Answer("" if part.is_old else version, value, began)
        finally:
            _outer.reset(outer)

    if last is None or (last.version != version and last.seconds >= keep_seconds):
        last = _make_once(redis_key, version, make, most_seconds)
    if last.version != version:
        note_old_part()
    return last


def _make_once(redis_key: str, version: str, make: Callable[[], Answer[T]], most_seconds: float) -> Answer[T]:
    """By the one who has the lock; the others take what is recent enough, or wait for the lock."""
    lock, token = f"{redis_key}:lock", uuid.uuid4().hex
    last: Answer[T] | None
    while True:
        is_ours, last = _get_or_lock(redis_key, lock, token)
        if is_ours:
            break
        if last is not None and (last.version == version or last.seconds < most_seconds):
            return last
        time.sleep(POLL_SECONDS)
    is_locked = True
    try:
        if last is not None and last.version == version:  # made while we waited
            return last
        answer = make()
        evictable_cache.set_and_unlock(redis_key, answer, CACHED_SECONDS, lock, token)
        is_locked = False
        return answer
    finally:
        if is_locked:
            evictable_cache.unlock(lock, token)


def _get_or_lock(redis_key: str, lock: str, token: str) -> tuple[bool, Any]:
    return evictable_cache.get_or_lock(redis_key, lock, token, LOCKED_SECONDS)


def _redis_key(key: tuple[object, ...], state: DataState) -> str:
    text = repr((tuple(str(part) for part in key), state.transaction, state.source, currency.current().code))
    return f"cached:{code_version()}:{hashlib.sha256(text.encode()).hexdigest()}"
