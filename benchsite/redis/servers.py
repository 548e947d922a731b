"""The two Redis servers of a site: one that never evicts, for the queue and all counters, and one for the cache."""

import logging
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from redis import Redis, RedisError

from benchsite.redis.cache import EVICTABLE, PROCESS

NO_EVICTION = "noeviction"
MOST_IN_PROCESS = 64  # answers, each of at most 64 KiB
# Of what was cached beside the counters before the cache had a server of its own (until 0.2.0)
_FORMERLY_CACHED = ("page:", "cached:", "card:")

log = logging.getLogger(__name__)


def require_both(counters: str | None, cache: str | None) -> None:
    """Raises ImproperlyConfigured."""
    if counters and not cache:
        raise ImproperlyConfigured(
            "CACHE_REDIS_URL must be set when REDIS_URL is, to another server: cached pages must not push out sign-in "
            "locks, throttles and the queue, which the server of REDIS_URL holds. See .env.example"
        )


def configured(counters: str, cache: str, prefix: str) -> dict[str, dict[str, Any]]:
    """Django's CACHES: `default` counts, and what it counts is never evicted. The memory of a process has some MB."""
    usual = {
        "BACKEND": "benchsite.redis.cache.FailOpenCache",
        "KEY_PREFIX": prefix,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }
    memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": MOST_IN_PROCESS}}
    return {
        "default": {**usual, "LOCATION": counters},
        EVICTABLE: {**usual, "LOCATION": cache},
        PROCESS: memory,
    }


def refuse_eviction_of_counters() -> None:
    """Raises ImproperlyConfigured. A server that cannot be reached is no reason not to start."""
    try:
        counters, cache = _info(settings.REDIS_URL), _info(settings.CACHE_REDIS_URL)
    except RedisError as error:
        log.warning("Redis cannot be checked: %s", error)
        return
    if counters["run_id"] == cache["run_id"]:
        raise ImproperlyConfigured(
            "REDIS_URL and CACHE_REDIS_URL are one server: the cache would fill the memory of the queue, of sign-in "
            "locks and of throttles. Start another server for CACHE_REDIS_URL"
        )
    policy = counters.get("maxmemory_policy", NO_EVICTION)
    if counters.get("maxmemory") and policy != NO_EVICTION:
        raise ImproperlyConfigured(
            f"the server of REDIS_URL evicts keys (maxmemory-policy {policy}), and with them sign-in locks, throttles "
            f"and the queue: set its maxmemory-policy to {NO_EVICTION}"
        )


def _info(url: str) -> dict[str, Any]:
    with Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
        info: dict[str, Any] = client.info()
    return info


def remove_formerly_cached() -> None:
    """From the server that never evicts, whose memory it would fill until it expires."""
    cache: Any = caches["default"]
    prefixes = tuple(cache.make_key(start).encode() for start in _FORMERLY_CACHED)
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=10, socket_connect_timeout=2) as client:
            for key in client.scan_iter(cache.make_key("*"), count=1000):
                if key.startswith(prefixes):
                    client.delete(key)  # not unlink: its memory is free when this returns
    except RedisError as error:
        log.warning("Redis cannot be cleaned: %s", error)
