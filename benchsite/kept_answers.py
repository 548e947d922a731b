"""Answers for anybody, compressed: in Redis for all processes, the last ones of each in its memory too.

Who takes no encoding gets what is stored as gzip, unpacked. All of them together take at most PAGE_CACHE_BYTES of
Redis, whatever is asked for: those that expire first are dropped.
"""

import hashlib
import threading
import time
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from benchsite.cache import evictable_cache
from benchsite.code_version import code_version
from benchsite.compression import encoding_of, gunzipped, gzipped
from benchsite.problems import API_PREFIX

MEMORY_BYTES = 2 * 1024 * 1024
HEADERS_BYTES = 2 * 1024  # of an answer in memory, with all that is none of its content
GZIP = "gzip"  # also of answers for who takes no encoding
GROUP = "pages"  # of the cache, with a ceiling of its own


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it is stored; `marks` are what the content security policy reads from a response."""

    content: bytes
    headers: dict[str, str]
    marks: dict[str, Any]
    etag: str
    state: str | None
    made_at: float

    @property
    def age(self) -> float:
        return time.time() - self.made_at

    @classmethod
    def of(cls, response: HttpResponse, etag: str, state: str | None) -> "Kept":
        """Compressed where the client might have taken it compressed (`compression` says so by Vary)."""
        content, headers = response.content, dict(response.items())
        if "Accept-Encoding" in headers.get("Vary", "") and "Content-Encoding" not in headers:
            content = gzipped(content)
            headers |= {"Content-Encoding": GZIP, "Content-Length": str(len(content))}
        marks = {name: value for name, value in vars(response).items() if name.startswith("_csp_")}
        return cls(content, headers, marks, etag, state, time.time())

    def is_sent_as_stored(self, request: HttpRequest) -> bool:
        return "Content-Encoding" not in self.headers or bool(encoding_of(request))

    def response(self, request: HttpRequest) -> HttpResponse:
        response = HttpResponse(self.content, headers=self.headers)
        vars(response).update(self.marks)
        if not self.is_sent_as_stored(request):
            response.content = gunzipped(self.content)
            response["Content-Length"] = str(len(response.content))
            del response["Content-Encoding"]
        return response


def key_of(request: HttpRequest) -> str:
    """Of all that an answer for anybody may depend on."""
    is_of_api = request.path.startswith(API_PREFIX)
    accepts = request.META.get("HTTP_ACCEPT", "") if is_of_api else ""  # browsers differ in it, and pages do not
    is_by_htmx = request.META.get("HTTP_HX_REQUEST") == "true"
    encoding = encoding_of(request) or GZIP
    host, scheme = request.META.get("HTTP_HOST", ""), request.scheme or ""
    parts = [code_version(), scheme, host, request.get_full_path(), encoding, accepts, is_by_htmx]
    return f"page:{hashlib.sha256(repr(parts).encode()).hexdigest()}"


def read(key: str) -> Kept | None:
    """What any process has kept."""
    kept = cast("Kept | None", evictable_cache.get(key))
    if kept is not None:
        _memory.set(key, kept)
    return kept


def remembered(key: str) -> Kept | None:
    """What this process read last; it may have been replaced since."""
    return _memory.get(key)


def keep(key: str, kept: Kept, seconds: float, *, lock: str = "", token: int = 0) -> None:
    """For so long. `lock`: of who made it, which is left where it still has this token."""
    most = settings.PAGE_CACHE_BYTES
    evictable_cache.set_within(key, kept, seconds, group=GROUP, most_bytes=most, lock=lock, token=str(token))
    _memory.set(key, kept)


class _Memory:
    """At most MEMORY_BYTES of answers; with more it begins anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[str, Kept] = {}
        self._bytes = 0

    def get(self, key: str) -> Kept | None:
        return self._answers.get(key)

    def set(self, key: str, kept: Kept) -> None:
        with self._lock:
            before = self._answers.get(key)
            self._bytes += _bytes_of(kept) - (_bytes_of(before) if before else 0)
            if self._bytes > MEMORY_BYTES:
                self._answers, self._bytes = {}, _bytes_of(kept)
            self._answers[key] = kept


def _bytes_of(kept: Kept) -> int:
    return len(kept.content) + HEADERS_BYTES


_memory = _Memory()
