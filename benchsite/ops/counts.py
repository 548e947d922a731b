"""Requests and tasks, counted in Redis: every process adds, whoever answers /metrics reads.

A process collects its counts and sends them each second, so that a request never waits for Redis.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import redis
import structlog
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from django.http import HttpRequest, HttpResponse

log = structlog.get_logger(__name__)

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
SEND_EVERY_SECONDS = 1.0
SLOW_SECONDS = 5.0
SEPARATOR = "|"

_waiting: Counter[str] = Counter()
_lock = threading.Lock()
_timer: threading.Timer | None = None
_started: dict[str, float] = {}


class CountMiddleware:
    """Each request by the name of its address: paths would be endless."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        match = request.resolver_match
        view = (match.view_name if match else "") or "none"
        count("request", f"{request.method} {view}", f"{response.status_code // 100}xx", seconds)
        if seconds >= SLOW_SECONDS:
            log.warning("slow request", path=request.path, status=response.status_code, seconds=round(seconds, 2))
        return response


def count(kind: str, name: str, outcome: str, seconds: float) -> None:
    """One request or task that ended; sent within a second."""
    bucket = next((str(limit) for limit in BUCKETS if seconds <= limit), "+Inf")
    with _lock:
        _waiting[SEPARATOR.join((kind, "outcome", name, outcome))] += 1
        _waiting[SEPARATOR.join((kind, "bucket", name, bucket))] += 1
        _waiting[SEPARATOR.join((kind, "micros", name, ""))] += round(seconds * 1_000_000)
        _arm()


def send() -> None:
    """Add what waits to the counts in Redis; without Redis it waits on."""
    global _timer
    with _lock:
        _timer = None
        counts = dict(_waiting)
        _waiting.clear()
    try:
        with _redis() as client, client.pipeline(transaction=True) as pipeline:
            for field, amount in counts.items():
                pipeline.hincrby(_key(), field, amount)
            pipeline.execute()
    except redis.RedisError:
        with _lock:
            _waiting.update(counts)


def read() -> dict[str, int]:
    """Everything counted since Redis was emptied. Raises RedisError."""
    with _redis() as client:
        found: Any = client.hgetall(_key())
        return {field.decode(): int(amount) for field, amount in found.items()}


def _arm() -> None:
    """Holding the lock: one timer at a time. A fork has the variable of its parent, but not the thread."""
    global _timer
    if _timer is None or not _timer.is_alive():
        _timer = threading.Timer(SEND_EVERY_SECONDS, send)
        _timer.daemon = True
        _timer.start()


def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2)


def _key() -> str:
    return f"{settings.REDIS_PREFIX}:ops:counts"


@task_prerun.connect(dispatch_uid="count_tasks_began")
def _begin(task_id: str, **_: Any) -> None:
    _started[task_id] = time.perf_counter()


@task_postrun.connect(dispatch_uid="count_tasks")
def _count_task(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    began = _started.pop(task_id, None)
    if began is not None:
        count("task", task.name, (state or "unknown").lower(), time.perf_counter() - began)
