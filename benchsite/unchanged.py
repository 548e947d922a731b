"""What pages are made from, so that "unchanged" can be answered before a view is called.

An app registers the names of its addresses whose GET answers are made from what is stored alone, the parameters that
each of them reads, and a function that tells any two states of it apart. A page's ETag is a digest of that state, of
our code and of all of the request that a view may look at: its cookies too, so that nobody gets an answer that was
another's.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve

from benchsite.code_version import code_version
from benchsite.replicas.router import reading_from

# Headers by which a view chooses what it answers. The encoding is none of them: a weak ETag is of all encodings.
_SEEN = ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_HX_REQUEST", "HTTP_COOKIE", "HTTP_AUTHORIZATION")

RECENT_SECONDS = 0.5  # so long a process takes a state for true, for readers whose pages may be older than that

State = Callable[[], str | None]
_states: dict[str, State] = {}
_parameters: dict[str, frozenset[str]] = {}
_recent: dict[tuple[State, str], tuple[float, str | None]] = {}  # by the database that was read, too: replicas lag


_memory: ContextVar[dict[str, Any] | None] = ContextVar("memory of a request", default=None)


@contextmanager
def answering() -> Iterator[None]:
    """The time in which a view makes an answer."""
    outer = _memory.set({})
    try:
        yield
    finally:
        _memory.reset(outer)


def request_memory() -> dict[str, Any]:
    """What was read for the answer that is being made; outside of one it is forgotten at once."""
    known = _memory.get()
    return {} if known is None else known


def register(parameters: Mapping[str, Collection[str]], state: State) -> None:
    """By the name of an address: which parameters it reads. `state`: "" for nothing stored; None where unknown."""
    _states.update(dict.fromkeys(parameters, state))
    _parameters.update({name: frozenset(names) for name, names in parameters.items()})


def takes_query(name: str, query: str) -> bool:
    """Whether the address with this name reads each parameter of the query: only such an answer may be kept."""
    if not query:
        return True
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
    except ValueError:
        return False  # so many that Django refuses the request
    return _parameters.get(name, frozenset()).issuperset(parameter for parameter, _ in pairs)


def is_registered(name: str) -> bool:
    return name in _states


def match_of(request: HttpRequest) -> ResolverMatch | None:
    return match_of_path(request.path_info, getattr(request, "urlconf", None) or settings.ROOT_URLCONF)


@lru_cache(maxsize=4096)
def match_of_path(path: str, urlconf: str) -> ResolverMatch | None:
    try:
        return resolve(path, urlconf)
    except Resolver404:
        return None


def state_of(name: str) -> str | None:
    """Of what the address with this name is made from, now; None where it may change at any time."""
    state = _states.get(name)
    if state is None:
        return None
    try:
        return state()
    except DatabaseError:
        return None  # the view meets the error too, and says so


def recent_state_of(name: str) -> str | None:
    """The same, or what it was at most RECENT_SECONDS ago: a crowd of readers is no crowd of queries."""
    state = _states.get(name)
    if state is None:
        return None
    known = remembered_state_of(name)
    if known is None:
        known_at, known = time.time(), state_of(name)
        _recent[state, reading_from()] = known_at, known
    return known


def remembered_state_of(name: str) -> str | None:
    """The same where it needs no query; else None."""
    state = _states.get(name)
    known_at, known = _recent.get((state, reading_from()), (0.0, None)) if state else (0.0, None)
    return known if 0 <= time.time() - known_at <= RECENT_SECONDS else None


def etag_of(request: HttpRequest, state: str) -> str:
    seen = [request.META.get(name, "") for name in _SEEN]
    text = "\n".join([code_version(), state, request.scheme or "", request.get_full_path(), *seen])
    return f'W/"{hmac.digest(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hex()[:32]}"'


def is_known_to(request: HttpRequest, etag: str) -> bool:
    """Whether the client has the answer with this ETag."""
    given = request.META.get("HTTP_IF_NONE_MATCH", "")
    return etag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in given.split(","))
