"""Figures of the servers that the site needs: whether they answer, how far replicas are behind, the memory of Redis."""

from collections.abc import Iterator, Mapping
from typing import Any

import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connections

from benchsite.ops import health
from benchsite.ops.figures import Figure, Kind
from benchsite.postgresql.databases import PRIMARY

NO_EVICTION = "noeviction"
NEARLY_FULL = 0.8
MOST_BEHIND_BYTES = 256 * 1024**2
_NAMES = {"database": "PostgreSQL", "broker": "Redis", "cache": "Redis of the cache"}
_WRITTEN = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
_REPLAYED = (
    "SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END"
    " - '0/0')::bigint"
)


def figures() -> Iterator[Figure]:
    """A server that is down is a figure, not an error: this is what operators look at then."""
    for server, answers in health.answers().items():
        name = _NAMES.get(server, server)
        alarm = "" if answers else "Start it, or see its log: docs/operations.md says what continues without it."
        yield Figure("server_up", f"{name} answers", int(answers), Kind.FLAG, alarm, {"server": server})
    replicas = [alias for alias in settings.DATABASES if alias != PRIMARY]
    written = _position(PRIMARY, _WRITTEN) if replicas else None
    for alias in replicas:
        yield behind(alias, written, _position(alias, _REPLAYED))
    for server, address in (("queue", settings.REDIS_URL), ("cache", settings.CACHE_REDIS_URL)):
        yield from redis_memory(server, _memory(address))


def behind(replica: str, written: int | None, replayed: int | None) -> Figure:
    """None where one of both is down."""
    value = None if written is None or replayed is None else max(0, written - replayed)
    is_far = value is not None and value > MOST_BEHIND_BYTES
    alarm = "It is not read from in the meantime: check its log, and the network to the primary." if is_far else ""
    return Figure("replica_behind_bytes", f"{replica} is behind by", value, Kind.BYTES, alarm, {"server": replica})


def redis_memory(server: str, memory: Mapping[str, Any]) -> Iterator[Figure]:
    """`memory` is of INFO, empty where it does not answer. A server that evicts is full by design."""
    used, limit, policy = memory.get("used_memory"), memory.get("maxmemory") or None, memory.get("maxmemory_policy", "")
    is_full = used and limit and policy == NO_EVICTION and used > NEARLY_FULL * limit
    alarm = "When it is full, no sign-in is counted and no task is queued: raise its maxmemory." if is_full else ""
    labels = {"server": server, "policy": policy}
    yield Figure("redis_used_bytes", f"Memory of Redis ({server})", used, Kind.BYTES, alarm, labels)
    yield Figure("redis_limit_bytes", f"Limit of Redis ({server})", limit, Kind.BYTES, labels=labels)


def _position(alias: str, query: str) -> int | None:
    try:
        with connections[alias].cursor() as cursor:
            cursor.execute(query)
            return int(cursor.fetchone()[0])
    except (DatabaseError, TypeError):  # unreachable, or a replica that has replayed nothing yet
        connections[alias].close()
        return None


def _memory(address: str) -> dict[str, Any]:
    try:
        with redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2) as client:
            memory: Any = client.info("memory")
            return dict(memory)
    except redis.RedisError:
        return {}
