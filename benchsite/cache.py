"""Two caches in two Redis servers, without which the site goes on: nothing is throttled then, and nothing cached.

Django's default cache counts: sign-in locks, throttles, marks. Its server never evicts a key. What can be made again is
in `evictable_cache`, whose server drops the least recently used keys when its memory is full.
"""

import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from typing import Any, ClassVar, cast

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.connection import ConnectionProxy
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, OutOfMemoryError, ResponseError
from redis.retry import Retry

EVICTABLE = "evictable"
KEY_BYTES = 500  # what Redis needs for a key of `set_within` beside its value
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
    """Makes one client for each server, not one for each command; clients share the connections of a pool."""

    def __init__(self, servers: Any, **options: Any):
        super().__init__(servers, **options)
        self._made: dict[bool, Any] = {}
        self._own: list[Any] = []  # connections that nobody uses now
        self._pickles: Any = vars(self)["_serializer"]

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        if write not in self._made:
            self._made[write] = super().get_client(key, write=write)
        return self._made[write]

    def ask(self, *command: Any) -> Any:
        """The answer to a command, on a connection that is kept for it. Raises RedisError.

        A client looks at its pool and at the connection before each command, and listens to events of both: that takes
        as long as the command.
        """
        own = None
        with suppress(IndexError):  # not looked at before: another thread may take the last one in between
            own = self._own.pop()
        if own is None or own.pid != os.getpid():  # of the process that has forked this one
            own = self.get_client(write=True).connection_pool.make_connection()
        try:
            own.send_command(*command)
            answer = own.read_response()
        except ResponseError:
            self._own.append(own)
            raise
        except BaseException:
            own.disconnect()
            raise
        self._own.append(own)
        return answer

    def get(self, key: Any, default: Any) -> Any:
        content = self._asked("GET", key)
        return default if content is None else self._pickles.loads(content)

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        if timeout == 0:
            return bool(super().add(key, value, timeout))
        return bool(self._asked("SET", key, self._pickles.dumps(value), *_expiry(timeout), "NX"))

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        if timeout == 0:
            self.delete(key)
        else:
            self._asked("SET", key, self._pickles.dumps(value), *_expiry(timeout))

    def delete(self, key: Any) -> bool:
        return bool(self._asked("DEL", key))

    def _asked(self, *command: Any) -> Any:
        """The same, of a server that has been started again, too."""
        try:
            return self.ask(*command)
        except RedisConnectionError:
            return self.get_client(write=True).execute_command(*command)


def _expiry(timeout: Any) -> tuple[Any, ...]:
    return () if timeout is None else ("EX", timeout)


class _OwnKeysCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]):
        super().__init__(server, params)
        self._class = _Clients

    @property
    def _serializer(self) -> Any:
        client: Any = self._cache
        return client._serializer

    def clear(self) -> None:
        """Empty this cache alone: Django's empties the database of Redis, where the messages to the workers are too."""
        client = self._cache.get_client(None, write=True)
        for key in client.scan_iter(self.make_key("*"), count=1000):
            client.unlink(key)

    def evaluate(self, script: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """The answer of a Lua script, which gets these keys of the cache. One round trip."""
        clients: Any = self._cache
        names = [self.make_key(key) for key in keys]
        try:
            return clients.ask("EVALSHA", _script(script).sha, len(names), *names, *arguments)
        except (NoScriptError, RedisConnectionError):  # Redis has been started again
            client = clients.get_client(None, write=True)
            return _script(script)(keys=names, args=arguments, client=client)

    def get_or_lock(self, key: str, lock: str, token: str, seconds: float) -> tuple[bool, Any]:
        """What is cached, and whether the lock is ours from now on, which was nobody's. One round trip."""
        answer = self.evaluate(_GET_OR_LOCK, [key, lock], [token, int(seconds * 1000)])
        if answer is None:  # no cache: who asks does the work
            return True, None
        is_ours, content = answer
        return bool(is_ours), None if content is None else self._serializer.loads(content)

    def set_and_unlock(self, key: str, value: Any, seconds: float, lock: str, token: str) -> None:
        """Caches the value, and leaves the lock where it is still ours. One round trip."""
        content = self._serializer.dumps(value)
        self.evaluate(_SET_AND_UNLOCK, [key, lock], [token, content, int(seconds * 1000)])

    def set_within(
        self, key: str, value: Any, seconds: float, *, group: str, most_bytes: int, lock: str = "", token: str = ""
    ) -> None:
        """The same for a value of a group, whose values take at most so many bytes together. One round trip.

        With more, those that expire first are dropped: a sorted set has when each expires, a hash its size.
        """
        keys = [key, lock, f"{group}:expiries", f"{group}:sizes"]
        content = self._serializer.dumps(value)
        self.evaluate(_SET_WITHIN, keys, [token, content, int(seconds * 1000), most_bytes, KEY_BYTES])

    def unlock(self, lock: str, token: str) -> None:
        self.evaluate(_UNLOCK, [lock], [token])


_GET_OR_LOCK = """
local is_ours = redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
return {is_ours, redis.call('GET', KEYS[1])}
"""
_UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
_SET_AND_UNLOCK = """
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
"""


_SET_WITHIN = """
local ours, lock, expiries, sizes = unpack(KEYS)
local milliseconds, most, size = tonumber(ARGV[3]), tonumber(ARGV[4]), #ARGV[2] + tonumber(ARGV[5])
local function drop(key)
  redis.call('HINCRBY', sizes, 'total', -(redis.call('HGET', sizes, key) or 0))
  redis.call('HDEL', sizes, key)
  redis.call('ZREM', expiries, key)
  redis.call('UNLINK', key)
end
local clock = redis.call('TIME')
local now = math.floor(clock[1] * 1000 + clock[2] / 1000)
for _, key in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 100)) do drop(key) end
drop(ours)
redis.call('SET', ours, ARGV[2], 'PX', milliseconds)
redis.call('HSET', sizes, ours, size)
redis.call('ZADD', expiries, now + milliseconds, ours)
local total = redis.call('HINCRBY', sizes, 'total', size)
while total > most do
  local first = redis.call('ZRANGE', expiries, 0, 0)[1]
  if not first then redis.call('DEL', sizes) break end  -- evicted: what is left expires by itself
  drop(first)
  total = tonumber(redis.call('HGET', sizes, 'total'))
end
if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end
"""


@cache
def _script(text: str) -> Script:
    return Redis().register_script(text)


class FailOpenCache(_OwnKeysCache):
    # of the process, not of the object: each thread has its own; by server
    _outages: ClassVar[dict[str, float]] = {}

    def __init__(self, server: str, params: dict[str, Any]):
        params = {**params, "OPTIONS": {"retry": Retry(NoBackoff(), 1), **params.get("OPTIONS", {})}}
        super().__init__(server, params)
        self._server = server

    @property
    def asked_again_at(self) -> float:
        return self._outages.get(self._server, 0.0)

    @asked_again_at.setter
    def asked_again_at(self, moment: float) -> None:
        self._outages[self._server] = moment

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
    clear = _fails_open(_OwnKeysCache.clear, None)
    evaluate = _fails_open(_OwnKeysCache.evaluate, None)


evictable_cache = cast(FailOpenCache, ConnectionProxy(caches, EVICTABLE))
