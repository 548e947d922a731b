"""Without Redis nothing is cached and nothing is throttled; the site reads on."""

import pytest
from django.conf import settings
from django.core.cache import cache as working
from django.core.cache import caches
from redis.connection import Connection

from benchsite.redis import cache as cache_module
from benchsite.redis.cache import EVICTABLE, FailOpenCache
from tests.factories import SubmissionFactory

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def outages(monkeypatch):
    """Those of this test alone."""
    monkeypatch.setattr(FailOpenCache, "outages", {})


@pytest.fixture
def without_redis(settings):
    settings.CACHES = {alias: {**each, "LOCATION": NOWHERE} for alias, each in settings.CACHES.items()}


def test_it_is_an_empty_cache():
    cache = FailOpenCache(NOWHERE, {})

    assert cache.get("a") is None
    assert cache.get("a", "default") == "default"
    assert cache.get_or_set("a", "made") == "made"
    assert cache.set("a", 1) is None
    assert cache.add("a", 1) is True
    assert (cache.touch("a"), cache.delete("a"), "a" in cache) == (False, False, False)
    assert (cache.get_many(["a"]), cache.set_many({"a": 1}), cache.delete_many(["a"])) == ({}, [], None)
    with pytest.raises(ValueError, match="not found"):
        cache.incr("a")


def test_to_clear_it_deletes_nothing_of_others(redis_client):
    """The broker's queues, and what another site keeps, are in the same database of Redis."""
    other = f"{settings.REDIS_PREFIX}:celery"
    redis_client.set(other, "a message")
    working.set("a", 1)

    working.clear()

    assert working.get("a") is None
    assert redis_client.get(other) == b"a message"


def test_redis_is_left_alone_for_a_while_after_it_failed(monkeypatch):
    """By all threads of a process, each of which has an object of its own."""
    asked = []
    connect = Connection.connect
    monkeypatch.setattr(Connection, "connect", lambda self: (asked.append(self), connect(self)))
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0)
    dead, of_another_thread = FailOpenCache(NOWHERE, {}), FailOpenCache(NOWHERE, {})
    dead.get("a")
    assert asked
    asked.clear()

    of_another_thread.get("a")
    assert not asked
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0 + cache_module.RETRY_SECONDS)
    of_another_thread.get("a")
    assert asked


@pytest.mark.parametrize(("dead", "alive"), [(EVICTABLE, "default"), ("default", EVICTABLE)])
def test_while_one_of_the_two_servers_is_down_the_other_is_used(settings, clear_cache, dead, alive):
    """Throttles count on without the cache, and pages are cached without the throttles."""
    settings.CACHES = {**settings.CACHES, dead: {**settings.CACHES[dead], "LOCATION": NOWHERE}}
    for alias in (dead, alive):
        caches[alias].set("a", 1)

    assert (caches[dead].get("a"), caches[alive].get("a")) == (None, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/submissions/", "/api/v1/submissions/"])
def test_pages_and_the_api_are_read_without_redis(client, without_redis, address):
    SubmissionFactory()

    assert client.get(address).status_code == 200


def test_values_are_read_and_written_after_redis_was_started_again(redis_client):
    working.set("a", ["made"], 60)

    redis_client.client_kill_filter(_type="normal", skipme=True)  # as a new server, which knows no connection
    assert working.get("a") == ["made"]
    redis_client.client_kill_filter(_type="normal", skipme=True)
    assert working.add("a", 1, 60) is False
    redis_client.client_kill_filter(_type="normal", skipme=True)
    assert working.evaluate("return ARGV[1]", [], ["answer"]) == b"answer"


def test_values_last_as_long_as_they_should(redis_client):
    for name, seconds in (("a", 60), ("b", None)):
        working.set(name, "of a test", seconds)
        working.add(f"{name}-added", "of a test", seconds)

    left = {name: redis_client.ttl(working.make_key(name)) for name in ("a", "a-added", "b", "b-added")}
    assert all(55 <= left[name] <= 60 for name in ("a", "a-added"))
    assert left["b"] == left["b-added"] == -1  # until somebody deletes it


def test_a_lock_is_of_whoever_asks_first_until_the_value_is_there():
    assert working.get_or_lock("value", "lock", "one", 30) == (True, None)
    assert working.get_or_lock("value", "lock", "two", 30) == (False, None)

    working.set_and_unlock("value", ["made"], 60, "lock", "one")

    assert working.get("value") == ["made"]
    assert working.get_or_lock("value", "lock", "two", 30) == (True, ["made"])
    working.unlock("lock", "one")  # whose it is no more
    assert working.get_or_lock("value", "lock", "three", 30) == (False, ["made"])
    working.unlock("lock", "two")
    assert working.get_or_lock("value", "lock", "three", 30) == (True, ["made"])


def test_without_redis_everybody_has_the_lock():
    cache = FailOpenCache(NOWHERE, {})

    assert [cache.get_or_lock("value", "lock", str(number), 30) for number in range(2)] == [(True, None)] * 2
    cache.set_and_unlock("value", "made", 60, "lock", "0")
    cache.unlock("lock", "0")
