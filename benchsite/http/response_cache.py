"""The response cache: answers of views that say what they are made from (`from_data`) are made once.

An answer has an ETag of the data's version and of all of the request that a view may look at, its cookies too: nobody
gets what was another's. It is compared before the view is called. What is asked for without a cookie or a token is
stored compressed, in Redis for all processes and the last ones in the memory of each, for as long as it is true. While
uploads make it untrue all the time, pages are at most PAGE_CACHE_SECONDS old: one reader makes the next one, and the
others get the last. Nothing else is stored: nothing that sets a cookie or says no-store, no error.
PAGE_CACHE_SECONDS=0: each answer is made anew and has no ETag.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.core.cache import caches
from django.core.handlers.wsgi import WSGIRequest
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from benchsite.http.compression import encoding_of, is_from_anybody
from benchsite.http.freshness import making
from benchsite.http.from_data import FromData, Versions, from_data_of, is_known_to, match_of, read_versions
from benchsite.http.limits.body_size import announced_bytes
from benchsite.postgresql.databases import replicas_of
from benchsite.processes.code_version import code_version
from benchsite.redis.cache import PROCESS, evictable_cache
from benchsite.replicas.router import reading_from

VERSION_SECONDS = 0.5  # a process reads the version of the data for its anonymous readers that often, not for each
STORED_SECONDS = 600
MOST_BYTES = 1024 * 1024  # of a stored answer
MOST_BYTES_OF_PROCESS = 64 * 1024  # of one that is in the memory of a process, too
REVALIDATED_SECONDS = 10  # how long a CDN may send what it has while it asks for the next
LOCKED_SECONDS = 15  # after this who makes a page is taken for dead
POLL_SECONDS = 0.02
SAFE_METHODS = ("GET", "HEAD")
FROM_MEMORY = "benchsite.from_memory"  # in the environment of a request: the answer that `answer_from_memory` gave
# Headers by which a view chooses what it answers. The encoding is none of them: a weak ETag is of all encodings.
_SEEN = ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_HX_REQUEST", "HTTP_COOKIE", "HTTP_AUTHORIZATION")
_IN_KEY = {"", "accept", "accept-encoding", "authorization", "cookie", "hx-request"}  # an answer may vary by these


def answer_from_memory(environ: Mapping[str, Any]) -> HttpResponse | None:
    """What this process can answer to a page's reader without reading anything: the event loop sends it by itself.

    None: a thread has to see to it. `environ` is that of WSGI, without its body.
    """
    has_body = announced_bytes(environ) or "HTTP_TRANSFER_ENCODING" in environ
    if environ["REQUEST_METHOD"] not in SAFE_METHODS or has_body or replicas_of(settings.DATABASES):
        return None
    request = WSGIRequest({**environ, "wsgi.input": BytesIO()})
    declared = from_data_of(match_of(request)) if settings.PAGE_CACHE_SECONDS and is_from_anybody(request) else None
    return None if declared is None or declared.is_for_programs else _Exchange(request, declared).from_memory()


class ResponseCacheMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match = match_of(request) if request.method in SAFE_METHODS and settings.PAGE_CACHE_SECONDS else None
        declared = from_data_of(match)
        if declared is None:
            return self.get_response(request)
        answer: HttpResponse | None = request.META.get(FROM_MEMORY)
        exchange = _Exchange(request, declared)
        if answer is None:
            answer = exchange.without_view()
        if answer is not None:
            request.resolver_match = match  # by its name the request is counted, though no view is called
            return answer
        try:
            with making(may_be_old=not declared.is_for_programs) as made:
                response = self.get_response(request)
            return exchange.finished(response, is_old=made.is_old)
        finally:
            exchange.unlock()


class _Stored(NamedTuple):
    response: HttpResponse
    version: str
    made_at: float

    @property
    def age(self) -> float:
        return time.time() - self.made_at


class _Exchange:
    """One request for an answer from data, on its way in and out. `version` is "" where it cannot be known."""

    def __init__(self, request: HttpRequest, declared: FromData):
        self.request, self.declared = request, declared
        self.is_public = is_from_anybody(request)
        self.version = self.etag = self.key = self.lock = ""
        if self.is_public and declared.reads_all_of(request.META.get("QUERY_STRING", "")):
            accepts = request.META.get("HTTP_ACCEPT", "") if declared.is_for_programs else ""  # browsers differ in it
            is_by_htmx = request.META.get("HTTP_HX_REQUEST") == "true"
            host = request.META.get("HTTP_HOST", "")
            self.key = f"page:{_digest(request, host, encoding_of(request), accepts, str(is_by_htmx))}"

    def without_view(self) -> HttpResponse | None:
        """304, or what is stored. None: the answer is this request's to make."""
        self._read_version(_versions if self.declared.is_for_programs or not self.is_public else _recent_versions)
        if is_known_to(self.request, self.etag):
            return self._counted(self._not_modified())
        if not (self.etag and self.key):
            return None
        stored: _Stored | None = evictable_cache.get(self.key)
        while not (stored and self._is_true(stored)):
            if self.declared.is_for_programs or self._takes_lock():
                return None
            if stored and stored.age < settings.PAGE_CACHE_SECONDS:
                break
            time.sleep(POLL_SECONDS)
            stored = evictable_cache.get(self.key)
        _remember(self.key, stored)
        return self._counted(self._sent(stored))

    def from_memory(self) -> HttpResponse | None:
        """The same from the memory of this process alone."""
        self._read_version(lambda: caches[PROCESS].get(_versions_key(), {}))
        if is_known_to(self.request, self.etag):
            return self._not_modified()
        stored: _Stored | None = caches[PROCESS].get(self.key) if self.etag and self.key else None
        return self._sent(stored) if stored and self._is_true(stored) else None

    def _read_version(self, read: Callable[[], Versions]) -> None:
        """With the hour: some pages name a time until which something can be done, and prices grow old by the day."""
        versions = read() if self.declared.subjects else {}
        if all(subject in versions for subject in self.declared.subjects):
            subjects = [versions[subject] for subject in self.declared.subjects]
            self.version = repr((*subjects, f"{timezone.now():%Y-%m-%dT%H}"))
            self.etag = (
                f'W/"{_digest(self.request, self.version, *(self.request.META.get(name, "") for name in _SEEN))}"'
            )

    def _is_true(self, stored: _Stored) -> bool:
        """Or so young that nobody begins to make the next one."""
        is_young = not self.declared.is_for_programs and stored.age < settings.PAGE_CACHE_SECONDS / 2
        return is_young or stored.version == self.version

    def _takes_lock(self) -> bool:
        lock = f"{self.key}:lock"
        self.lock = lock if evictable_cache.add(lock, 1, LOCKED_SECONDS) else ""
        return bool(self.lock)

    def unlock(self) -> None:
        if self.lock:
            evictable_cache.delete(self.lock)

    def _sent(self, stored: _Stored) -> HttpResponse:
        etag = stored.response.get("ETag", "")
        if is_known_to(self.request, etag):
            self.etag = etag
            return self._not_modified()
        return stored.response

    def _counted(self, response: HttpResponse) -> HttpResponse | None:
        """None where the API allows this caller no more, or knows who it is only in the view: that one answers."""
        if not self.declared.is_for_programs:
            return response
        return response if self.is_public and _is_allowed(self.request) else None

    def finished(self, response: HttpResponse, *, is_old: bool) -> HttpResponse:
        """The answer of the view, with what caches have to know of it, and stored where it is anybody's.

        An old one has no ETag and no version: it is for those who would take the last one anyway.
        """
        is_whole = response.status_code == 200 and not response.streaming
        if not (self.etag and is_whole) or _is_private(response) or self._gets_cookie(response):
            return response
        if not is_old:
            if is_known_to(self.request, self.etag):  # of a caller whom only the view knows
                return self._not_modified()
            response["ETag"] = self.etag
        if not response.has_header("Cache-Control"):
            self._allow_caches(response)
        varies = {name.strip().lower() for name in response.get("Vary", "").split(",")}
        if self.key and self.request.method == "GET" and varies <= _IN_KEY and len(response.content) <= MOST_BYTES:
            stored = _Stored(_plain(response), "" if is_old else self.version, time.time())
            evictable_cache.set(self.key, stored, STORED_SECONDS)
            _remember(self.key, stored)
        return response

    def _gets_cookie(self, response: HttpResponse) -> bool:
        """One that the client does not have: the token of a form is sent with each of them."""
        sent = self.request.COOKIES
        return any(sent.get(name) != morsel.value for name, morsel in response.cookies.items())

    def _not_modified(self) -> HttpResponse:
        response = HttpResponseNotModified(headers={"ETag": self.etag})
        self._allow_caches(response)
        return response

    def _allow_caches(self, response: HttpResponse) -> None:
        """A CDN may keep what anybody sees; a browser keeps the rest for its reader, and asks each time."""
        is_for_programs = self.declared.is_for_programs
        patch_vary_headers(response, ("Cookie", "Authorization") if is_for_programs else ("Cookie",))
        if not self.is_public:
            patch_cache_control(response, private=True, no_cache=True)
        elif is_for_programs:
            patch_cache_control(response, public=True, no_cache=True)
        else:
            seconds = settings.PAGE_CACHE_SECONDS
            patch_cache_control(response, public=True, max_age=seconds, stale_while_revalidate=REVALIDATED_SECONDS)


def _digest(request: HttpRequest, *seen: str) -> str:
    text = "\n".join([code_version(), request.scheme or "", request.get_full_path(), *seen])
    return hmac.digest(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hex()[:32]


def _versions() -> Versions:
    try:
        return read_versions()
    except DatabaseError:
        return {}  # the view meets the error too, and says so


def _recent_versions() -> Versions:
    """Or those of VERSION_SECONDS ago: a crowd of readers is no crowd of queries."""
    return cast(Versions, caches[PROCESS].get_or_set(_versions_key(), _versions, VERSION_SECONDS))


def _versions_key() -> str:
    return f"versions:{reading_from()}"  # a replica has those that it has come to


def _remember(key: str, stored: _Stored) -> None:
    if len(stored.response.content) <= MOST_BYTES_OF_PROCESS:
        caches[PROCESS].set(key, stored, STORED_SECONDS)


def _plain(response: HttpResponse) -> HttpResponse:
    """What is sent, and what the content security policy reads from a response."""
    plain = HttpResponse(response.content, headers=dict(response.items()))
    vars(plain).update({name: value for name, value in vars(response).items() if name.startswith("_csp_")})
    return plain


def _is_private(response: HttpResponse) -> bool:
    return not {"private", "no-store"}.isdisjoint(response.get("Cache-Control", "").replace(" ", "").split(","))


def _is_allowed(request: HttpRequest) -> bool:
    """Counts a caller whom nobody knows, by the throttles of the API."""
    namespace = SimpleNamespace(META=request.META, headers=request.headers, user=None, method=request.method)
    view: Any = SimpleNamespace()
    throttles: Any = api_settings.DEFAULT_THROTTLE_CLASSES
    return all(throttle().allow_request(cast(Request, namespace), view) for throttle in throttles)
