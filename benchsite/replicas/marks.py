"""Who just wrote, and how far a replica must be for them to see it: a signed cookie, for tokens an entry in Redis."""

import hashlib
import time

from django.conf import settings
from django.core.cache import cache
from django.db import Error as DatabaseError
from django.db import connections
from django.http import HttpRequest, HttpResponse

from benchsite.postgresql.databases import PRIMARY

COOKIE = "wrote"
SECONDS = 60  # more than a replica may be behind
EVERYTHING = 2**62  # further than any replica: the reader is sent to the primary


def reader_of(request: HttpRequest) -> str:
    """The same text for the same account, so that it never reads backwards in time; empty for who does not say."""
    return request.headers.get("Authorization") or request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")


def wrote_at(request: HttpRequest) -> int | None:
    """The position of the client's last write; None where it has none of late."""
    by_cookie = request.get_signed_cookie(COOKIE, default="", max_age=SECONDS)
    of_cookie = int(by_cookie) if by_cookie else None
    if not (credentials := request.headers.get("Authorization")):
        return of_cookie
    marked = cache.get(_key(credentials))
    if marked is None and getattr(cache, "asked_again_at", 0.0) > time.monotonic():
        return EVERYTHING  # without Redis nobody knows
    return marked if of_cookie is None else max(of_cookie, marked or 0)


def leave(request: HttpRequest, response: HttpResponse) -> None:
    """The client of `request` has written."""
    position = _position()
    if credentials := request.headers.get("Authorization"):
        cache.set(_key(credentials), position, SECONDS)
    else:
        is_secure = settings.SESSION_COOKIE_SECURE
        response.set_signed_cookie(
            COOKIE, str(position), max_age=SECONDS, secure=is_secure, httponly=True, samesite="Lax"
        )


def _position() -> int:
    try:
        with connections[PRIMARY].cursor() as cursor:
            cursor.execute("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
            return int(cursor.fetchone()[0])
    except DatabaseError:
        return EVERYTHING


def _key(credentials: str) -> str:
    return f"wrote:{hashlib.sha256(credentials.encode()).hexdigest()}"
