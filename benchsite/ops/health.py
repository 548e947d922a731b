"""The probes of a load balancer: /healthz says that the process is up, /readyz that it can do its work."""

from collections.abc import Callable
from functools import cache

import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis.backoff import NoBackoff
from redis.retry import Retry

from benchsite.postgresql.databases import PRIMARY
from benchsite.storage import disk

HEALTHZ, READYZ = "/healthz", "/readyz"


def healthz() -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz() -> JsonResponse:
    """503 while the database or the broker cannot be reached; the answer names which.

    Three things are named and the answer stays 200: a disk that is low, which refuses nothing but uploads; a cache that
    is down, without which pages take longer; and a primary that is down while a replica answers, so that the site can
    be read.
    """
    checks = answers()
    broker = checks["broker"]
    can_read = any(answer for name, answer in checks.items() if name not in ("broker", "cache"))
    words = {name: "ok" if answer else "unreachable" for name, answer in checks.items()}
    # not how many bytes: anybody may ask, and the difference is the size of what others upload
    words["disk"] = "low" if disk.is_low() else "ok"
    status = "unavailable"
    if can_read and broker:
        status = "ok" if checks["database"] else "read-only"
    return JsonResponse({"status": status, **words}, status=503 if status == "unavailable" else 200)


def answers() -> dict[str, bool]:
    """Whether the database, each replica by its name, the broker and the cache answer."""
    databases = {"database" if name == PRIMARY else name: _database_answers(name) for name in settings.DATABASES}
    servers = {"broker": settings.REDIS_URL, "cache": settings.CACHE_REDIS_URL}
    return {**databases, **{name: _redis_answers(address) for name, address in servers.items()}}


def timed_out() -> JsonResponse:
    return JsonResponse({"status": "unavailable", "detail": "the checks are taking too long"}, status=503)


PROBES: dict[str, Callable[[], HttpResponse]] = {HEALTHZ: healthz, READYZ: readyz}


class HealthMiddleware:
    """Answers the probes first: they come by address and plain HTTP, whatever ALLOWED_HOSTS and HTTPS say."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path_info)
        return probe() if probe else self.get_response(request)


def _database_answers(alias: str) -> bool:
    connection = connections[alias]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        connection.close()  # a broken connection must not fail the next probe
        return False
    return True


def _redis_answers(address: str) -> bool:
    try:
        return bool(_redis(address).ping())
    except redis.RedisError:
        return False


@cache
def _redis(address: str) -> redis.Redis:
    """One connection for all probes of this process."""
    retry = Retry(NoBackoff(), 1)  # the connection of the last probe may be gone
    return redis.Redis.from_url(
        address,
        socket_timeout=2,
        socket_connect_timeout=2,
        retry=retry,
        max_connections=2,
        single_connection_client=False,
    )
