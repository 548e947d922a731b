"""Without Redis nothing is cached and nothing is throttled; the site reads on."""

import pytest
from django.conf import settings
from django.core.cache import cache as working

from benchsite import cache as cache_module
from benchsite.cache import FailOpenCache
from tests.factories import SubmissionFactory

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def healthy_again():
    yield
    FailOpenCache._outage["asked_again_at"] = 0.0


@pytest.fixture
def without_redis(settings):
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": NOWHERE}}


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
    asked = []
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0)
    dead, alive = FailOpenCache(NOWHERE, {}), working
    dead.get("a")

    monkeypatch.setattr(alive._cache, "get", lambda *args: asked.append(args))
    alive.get("a")
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0 + cache_module.RETRY_SECONDS)
    alive.get("a")

    assert len(asked) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/submissions/", "/api/v1/submissions/"])
def test_pages_and_the_api_are_read_without_redis(client, without_redis, address):
    SubmissionFactory()

    assert client.get(address).status_code == 200


def test_who_finds_that_another_thread_took_the_last_connection_makes_one():
    class TakenMeanwhile(list):
        def __bool__(self):
            return True

    clients = working._class(working._servers, **working._options)
    clients._own = TakenMeanwhile()

    assert clients.ask("ECHO", "a") == b"a"
    assert len(clients._own) == 1


def test_values_are_read_and_written_after_redis_was_started_again():
    clients = working._class(working._servers, **working._options)
    clients.set("a", ["made"], 60)
    for own in clients._own:
        own._sock.shutdown(2)  # as the server's end does

    assert clients.get("a", None) == ["made"]
    for own in clients._own:
        own._sock.shutdown(2)
    assert clients.add("a", 1, 60) is False
    assert (clients.delete("a"), clients.delete("a"), clients.add("a", 1, None)) == (True, False, True)
    clients.set("a", 2, 0)  # for no time
    assert clients.get("a", "nothing") == "nothing"


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
