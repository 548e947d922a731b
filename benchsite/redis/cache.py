"""Django's caches, in two Redis servers without which the site goes on: nothing is throttled then, and nothing cached.

The default cache counts: sign-in locks, throttles, marks. Its server never evicts a key. What can be made again is in
`evictable_cache`, whose server drops the least recently used keys when its memory is full. A third one, PROCESS, is the
memory of the process.
"""

import logging
import time
from collections.abc import Callable, Sequence
from functools import cache, cached_property, wraps
from typing import Any, ClassVar, cast

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.connection import ConnectionProxy
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.exceptions import OutOfMemoryError
from redis.retry import Retry

EVICTABLE, PROCESS = "evictable", "process"
RETRY_SECONDS = 2  # until then Redis is not asked again: each request would wait for it several times

log = logging.getLogger(__name__)


def _fails_open(method: Callable[..., Any], missing: Any) -> Callable[..., Any]:
    """`method`, or what it answers of an empty cache that keeps nothing."""

    @wraps(method)
    def guarded(self: "FailOpenCache", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= self.asked_again_at:
            try:
                return method(self, *args, **kwargs)
            except OutOfMemoryError:  # what is there is still read: a lock holds
                log.warning("Redis is full: nothing more is counted or cached")
            except RedisError as error:
                self.asked_again_at = time.monotonic() + RETRY_SECONDS
                log.warning("no cache: %s", error)
        return missing(*args, **kwargs) if callable(missing) else missing

    return guarded


def _default(key: str, default: Any = None, version: int | None = None) -> Any:
    return default


def _unknown(key: str, *args: Any, **kwargs: Any) -> Any:
    raise ValueError(f"Key {key!r} not found")  # as Django's caches answer for a missing key


class _Clients(RedisCacheClient):
    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """One for each server: Django makes one for each command, which takes four times as long as the command."""
        if write not in self._made:
            self._made[write] = super().get_client(key, write=write)
        return self._made[write]

    @cached_property
    def _made(self) -> dict[bool, Any]:
        return {}


class _PrefixedCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]):
        super().__init__(server, params)
        self._class = _Clients

    def clear(self) -> None:
        """Empty this cache alone: Django's empties the database of Redis, where the messages to the workers are too."""
        client = self._cache.get_client(None, write=True)
        for key in client.scan_iter(self.make_key("*"), count=1000):
            client.unlink(key)

    def evaluate(self, script: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """The answer of a Lua script, which gets these keys of the cache. One round trip."""
        client = self._cache.get_client(None, write=True)
        return _script(script)(keys=[self.make_key(key) for key in keys], args=arguments, client=client)


@cache
def _script(text: str) -> Script:
    return Redis().register_script(text)


class FailOpenCache(_PrefixedCache):
    # of the process, not of the object: each thread has its own; by server
    outages: ClassVar[dict[str, float]] = {}

    def __init__(self, server: str, params: dict[str, Any]):
        params = {**params, "OPTIONS": {"retry": Retry(NoBackoff(), 1), **params.get("OPTIONS", {})}}
        super().__init__(server, params)
        self._server = server

    @property
    def asked_again_at(self) -> float:
        return self.outages.get(self._server, 0.0)

    @asked_again_at.setter
    def asked_again_at(self, moment: float) -> None:
        self.outages[self._server] = moment

    add = _fails_open(RedisCache.add, True)
    get = _fails_open(RedisCache.get, _default)
    set = _fails_open(RedisCache.set, None)
    touch = _fails_open(RedisCache.touch, False)
    delete = _fails_open(RedisCache.delete, False)
    get_many = _fails_open(RedisCache.get_many, lambda *args, **kwargs: {})
    has_key = _fails_open(RedisCache.has_key, False)
    incr = _fails_open(RedisCache.incr, _unknown)
    set_many = _fails_open(RedisCache.set_many, lambda *args, **kwargs: [])
    delete_many = _fails_open(RedisCache.delete_many, None)
    clear = _fails_open(_PrefixedCache.clear, None)
    evaluate = _fails_open(_PrefixedCache.evaluate, None)

    def get_or_lock(self, key: str, lock: str, token: str, seconds: float) -> tuple[bool, Any]:
        """What is cached, and whether the lock is ours from now on, which was nobody's."""
        is_ours = self.add(lock, token, int(seconds))
        return is_ours, self.get(key)

    def set_and_unlock(self, key: str, value: Any, seconds: float, lock: str, token: str) -> None:
        """Caches the value, and leaves the lock where it is still ours."""
        self.set(key, value, int(seconds))
        self.unlock(lock, token)

    def unlock(self, lock: str, token: str) -> None:
        if self.get(lock) == token:
            self.delete(lock)


evictable_cache = cast(FailOpenCache, ConnectionProxy(caches, EVICTABLE))
