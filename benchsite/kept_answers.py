"""Answers for anybody as they were sent: in Redis for all processes, the last ones of each in its memory too."""

import hashlib
import threading
import time
from dataclasses import dataclass
from typing import Any, cast

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from benchsite.code_version import code_version
from benchsite.compression import encoding_of
from benchsite.problems import API_PREFIX

MEMORY_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with its headers; `marks` are what the content security policy reads from a response."""

    content: bytes
    headers: dict[str, str]
    marks: dict[str, Any]
    etag: str
    state: str | None
    made_at: float

    @property
    def age(self) -> float:
        return time.time() - self.made_at

    def response(self) -> HttpResponse:
        response = HttpResponse(self.content, headers=self.headers)
        vars(response).update(self.marks)
        return response


def key_of(request: HttpRequest) -> str:
    """Of all that an answer for anybody may depend on."""
    seen = [request.META.get(name, "") for name in ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_HX_REQUEST")]
    if not request.path.startswith(API_PREFIX):
        seen[1] = ""  # browsers differ in it, and pages do not
    parts = [code_version(), request.scheme or "", request.get_full_path(), encoding_of(request), *seen]
    return f"page:{hashlib.sha256(repr(parts).encode()).hexdigest()}"


def read(key: str) -> Kept | None:
    """What any process has kept."""
    kept = cast("Kept | None", cache.get(key))
    if kept is not None:
        _memory.set(key, kept)
    return kept


def remembered(key: str) -> Kept | None:
    """What this process read last; it may have been replaced since."""
    return _memory.get(key)


def keep(key: str, kept: Kept, seconds: float, *, lock: str = "", token: int = 0) -> None:
    """For so long. `lock`: of who made it, which is left where it still has this token."""
    if lock:
        cache.set_and_unlock(key, kept, seconds, lock, str(token))  # type: ignore[attr-defined] # benchsite/cache
    else:
        cache.set(key, kept, seconds)
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
            self._bytes += len(kept.content) - (len(before.content) if before else 0)
            if self._bytes > MEMORY_BYTES:
                self._answers, self._bytes = {}, len(kept.content)
            self._answers[key] = kept


_memory = _Memory()
