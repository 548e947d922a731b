"""Pages that did not change are not made again: the client has it, or Redis has what anybody sees.

The answers of registered addresses (`unchanged`) have an ETag, which is compared before the view is called. What is
asked for without a cookie or a token is kept compressed for as long as it is true, unless its query has a parameter
that the address does not read: else anybody could fill the cache with copies of one page. While uploads make it untrue
all the time, pages are at most PAGE_CACHE_SECONDS old, and one reader makes the next while the others get the last. An
answer of the API is never older than the data: a program reads what it has just written. Nothing else is kept: nothing
for a reader with a cookie or a token, nothing that sets a cookie or says no-store, no error.
PAGE_CACHE_SECONDS=0: each answer is made anew and has no ETag.
"""

import random
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_max_age, patch_cache_control, patch_vary_headers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from benchsite import kept_answers
from benchsite.body_size import announced_bytes
from benchsite.cache import evictable_cache
from benchsite.compression import is_from_anybody
from benchsite.databases import replicas_of
from benchsite.kept_answers import Kept
from benchsite.problems import API_PREFIX
from benchsite.unchanged import (
    answering,
    etag_of,
    is_known_to,
    is_registered,
    match_of,
    recent_state_of,
    remembered_state_of,
    request_memory,
    state_of,
    takes_query,
)

KEPT_SECONDS = 600  # nobody has asked for it since
MOST_BYTES = 1024 * 1024  # of a kept answer, as it is stored
REVALIDATED_SECONDS = 10  # how long a CDN may send what it has while it asks for the next
LOCKED_SECONDS = 15  # after this who makes a page is taken for dead
POLL_SECONDS = 0.02
SAFE_METHODS = ("GET", "HEAD")
AT_ONCE = "benchsite.at_once"  # in the environment of a request: the answer that `answer_at_once` gave
# What an answer may depend on: all of it is in the key of what is kept
_IN_KEY = {"accept", "accept-encoding", "authorization", "cookie", "hx-request"}


def answer_at_once(environ: Mapping[str, Any]) -> HttpResponse | None:
    """What this process can answer to a page's reader without reading anything: the event loop sends it by itself.

    None: a thread has to see to it. `environ` is that of WSGI, without its body.
    """
    is_page = environ["REQUEST_METHOD"] in SAFE_METHODS and not environ["PATH_INFO"].startswith(API_PREFIX)
    has_body = announced_bytes(environ) or "HTTP_TRANSFER_ENCODING" in environ
    if not is_page or has_body or not settings.PAGE_CACHE_SECONDS or replicas_of(settings.DATABASES):
        return None
    request = WSGIRequest({**environ, "wsgi.input": BytesIO()})
    match = match_of(request) if is_from_anybody(request) else None
    return _Page(request, match.view_name).known_at_once() if match else None


class PageCacheMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.PAGE_CACHE_SECONDS or request.method not in SAFE_METHODS:
            return self.get_response(request)
        match = match_of(request)
        if match is None:
            return self.get_response(request)
        known: HttpResponse | None = request.META.get(AT_ONCE)
        if known is not None:
            request.resolver_match = match
            return known
        with answering():
            page = _Page(request, match.view_name)
            response = page.known()
            if response is not None:
                request.resolver_match = match  # by its name the request is counted, though no view is called
                return response
            try:
                return page.finished(self.get_response(request))
            finally:
                page.unlock()


class _Page:
    """One request for one address, on its way in and out."""

    def __init__(self, request: HttpRequest, name: str):
        self.request = request
        self.name = name
        self.is_of_api = request.path.startswith(API_PREFIX)
        self.is_public = is_from_anybody(request)
        self.state: str | None = None
        self.etag = ""
        may_be_kept = self.is_public and takes_query(name, request.META.get("QUERY_STRING", ""))
        self.key = kept_answers.key_of(request) if may_be_kept else ""
        self.lock = ""
        self.token = random.getrandbits(62)  # of the lock: another reader's is left alone

    def known(self) -> HttpResponse | None:
        """The answer where no view is needed: 304, or what is kept. Else the answer is this request's to make."""
        if is_registered(self.name):
            may_be_old = self.is_public and not self.is_of_api
            self.state = recent_state_of(self.name) if may_be_old else state_of(self.name)
        if self.state is not None:
            self.etag = etag_of(self.request, self.state)
            if is_known_to(self.request, self.etag):
                return self._counted(_not_modified(self.etag, self.is_public, self.is_of_api))
        kept = self._kept()
        if kept and self._is_true(kept):
            return self._sent(kept)
        return self._of_another_reader(kept)

    def known_at_once(self) -> HttpResponse | None:
        """The same from memory alone, while the state of the data was looked at a moment ago."""
        self.state = remembered_state_of(self.name)
        if self.state is None:
            return None
        self.etag = etag_of(self.request, self.state)
        if is_known_to(self.request, self.etag):
            return _not_modified(self.etag, self.is_public, self.is_of_api)
        kept = kept_answers.remembered(self.key)
        is_ready = kept is not None and kept.is_sent_as_stored(self.request)  # the event loop unpacks nothing
        return self._sent(kept) if kept and is_ready and self._is_true(kept) else None

    def _is_true(self, kept: Kept) -> bool:
        """Or so young that nobody begins to make the next one."""
        is_young = not self.is_of_api and kept.age < settings.PAGE_CACHE_SECONDS / 2
        return is_young or (self.state is not None and kept.state == self.state)

    def _kept(self) -> Kept | None:
        return kept_answers.read(self.key) if self.key else None

    def _of_another_reader(self, kept: Kept | None) -> HttpResponse | None:
        """The last answer, or the next one, while another makes it; None: this reader makes it."""
        if not (self.key and self.etag) or self.is_of_api:
            return None
        given_up_at = time.monotonic() + LOCKED_SECONDS
        while not evictable_cache.add(f"{self.key}:lock", self.token, LOCKED_SECONDS):
            if kept and kept.age < settings.PAGE_CACHE_SECONDS:
                return self._sent(kept)
            if time.monotonic() > given_up_at:
                return None
            time.sleep(POLL_SECONDS)
            request_memory().clear()  # it is from before the wait
            kept = self._kept()
        self.lock = f"{self.key}:lock"
        return None

    def _sent(self, kept: Kept) -> HttpResponse | None:
        if kept.etag and is_known_to(self.request, kept.etag):
            return self._counted(_not_modified(kept.etag, self.is_public, self.is_of_api))
        return self._counted(kept.response(self.request))

    def _counted(self, response: HttpResponse) -> HttpResponse | None:
        """None where the API allows this caller no more, or knows who it is only in the view: that one answers."""
        if not self.is_of_api:
            return response
        return response if self.is_public and _is_allowed(self.request) else None

    def finished(self, response: HttpResponse) -> HttpResponse:
        """The answer of a view, with what caches have to know of it, and kept where it is anybody's."""
        if response.status_code != 200 or response.streaming or _is_private(response) or self._gets_cookie(response):
            return response
        if self.etag:
            response["ETag"] = self.etag
            if is_known_to(self.request, self.etag):  # of a caller whom only the view knows
                return _not_modified(self.etag, self.is_public, self.is_of_api)
        if not response.has_header("Cache-Control"):
            _allow_caches(response, is_public=self.is_public, is_of_api=self.is_of_api, has_etag=bool(self.etag))
        if self.key and self.request.method == "GET":
            self._keep(response)
        return response

    def _gets_cookie(self, response: HttpResponse) -> bool:
        """One that the client does not have: the token of a form is sent with each of them."""
        sent = self.request.COOKIES
        return any(sent.get(name) != morsel.value for name, morsel in response.cookies.items())

    def _keep(self, response: HttpResponse) -> None:
        varies = {name.strip().lower() for name in response.get("Vary", "").split(",")} - {""}
        if not (varies <= _IN_KEY and (self.etag or not self.is_of_api)):
            return
        max_age = get_max_age(response)
        seconds = KEPT_SECONDS if self.etag else min(settings.PAGE_CACHE_SECONDS, max_age or 0)
        if not seconds:
            return
        kept = Kept.of(response, self.etag, self.state)
        if len(kept.content) <= MOST_BYTES:
            kept_answers.keep(self.key, kept, seconds, lock=self.lock, token=self.token)
            self.lock = ""

    def unlock(self) -> None:
        if self.lock:
            evictable_cache.unlock(self.lock, str(self.token))


def _is_private(response: HttpResponse) -> bool:
    return not {"private", "no-store"}.isdisjoint(response.get("Cache-Control", "").replace(" ", "").split(","))


def _not_modified(etag: str, is_public: bool, is_of_api: bool) -> HttpResponse:
    response = HttpResponseNotModified()
    response["ETag"] = etag
    _allow_caches(response, is_public=is_public, is_of_api=is_of_api, has_etag=True)
    return response


def _allow_caches(response: HttpResponse, *, is_public: bool, is_of_api: bool, has_etag: bool) -> None:
    """A CDN may keep what anybody sees; a browser keeps the rest for its reader, and asks each time."""
    patch_vary_headers(response, ("Cookie", "Authorization") if is_of_api else ("Cookie",))
    if not is_public:
        if has_etag:
            patch_cache_control(response, private=True, no_cache=True)
    elif is_of_api:
        patch_cache_control(response, public=True, no_cache=True)
    else:
        seconds = settings.PAGE_CACHE_SECONDS
        patch_cache_control(response, public=True, max_age=seconds, stale_while_revalidate=REVALIDATED_SECONDS)


def _is_allowed(request: HttpRequest) -> bool:
    """Counts a caller whom nobody knows, by the throttles of the API."""
    caller = cast(
        Request, SimpleNamespace(META=request.META, headers=request.headers, user=None, method=request.method)
    )
    view: Any = SimpleNamespace()
    throttles: Any = api_settings.DEFAULT_THROTTLE_CLASSES
    return all(throttle().allow_request(caller, view) for throttle in throttles)
