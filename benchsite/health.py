"""The probes of a load balancer: /healthz says that the process is up, /readyz that it can do its work."""

from collections.abc import Callable

import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis.backoff import NoBackoff
from redis.retry import Retry


def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """503 while the database or the broker cannot be reached; the answer names which."""
    checks = {"database": _database_answers(), "broker": _broker_answers()}
    ready = all(checks.values())
    answers = {name: "ok" if ok else "unreachable" for name, ok in checks.items()}
    return JsonResponse({"status": "ok" if ready else "unavailable", **answers}, status=200 if ready else 503)


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {"/healthz": healthz, "/readyz": readyz}


class HealthMiddleware:
    """Answers the probes first: they come by address and plain HTTP, whatever ALLOWED_HOSTS and HTTPS say."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return PROBES.get(request.path_info, self.get_response)(request)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        connection.close()  # a broken connection must not fail the next probe
        return False
    return True


def _broker_answers() -> bool:
    try:
        broker = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2, retry=Retry(NoBackoff(), 0)
        )
        return bool(broker.ping())
    except redis.RedisError:
        return False
