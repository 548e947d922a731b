"""Without Redis nothing is cached and nothing is throttled; the site reads on."""

import pytest
from django.conf import settings
from django.core.cache import cache as working
from django.core.cache import caches

from benchsite import cache as cache_module
from benchsite.cache import EVICTABLE, FailOpenCache, evictable_cache
from tests.factories import SubmissionFactory

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def outages(monkeypatch):
    """Those of this test alone."""
    monkeypatch.setattr(FailOpenCache, "_outages", {})


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
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0)
    dead, of_another_thread = FailOpenCache(NOWHERE, {}), FailOpenCache(NOWHERE, {})
    dead.get("a")

    monkeypatch.setattr(of_another_thread._cache, "get", lambda *args: asked.append(args))
    of_another_thread.get("a")
    monkeypatch.setattr(cache_module.time, "monotonic", lambda: 1000.0 + cache_module.RETRY_SECONDS)
    of_another_thread.get("a")

    assert len(asked) == 1


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


class TestAGroupWithACeiling:
    """Of three values of 1,000 bytes and what Redis needs for their keys."""

    MOST = 3 * (1000 + cache_module.KEY_BYTES) + 500

    @pytest.fixture(autouse=True)
    def empty(self, clear_cache):
        pass

    def add(self, key, seconds=60, size=980, **lock):  # with 20 bytes or so of pickle
        evictable_cache.set_within(key, b"x" * size, seconds, group="group", most_bytes=self.MOST, **lock)

    def left(self):
        return [key for key in "abcdef" if evictable_cache.get(key) is not None]

    def total(self):
        client = evictable_cache._cache.get_client(None)
        return int(client.hget(evictable_cache.make_key("group:sizes"), "total"))

    def test_what_expires_first_makes_place(self):
        for key, seconds in (("a", 60), ("b", 30), ("c", 90), ("d", 60)):
            self.add(key, seconds)
        assert self.left() == ["a", "c", "d"]
        assert self.total() <= self.MOST

        self.add("e", 120, size=2500)
        assert self.left() == ["c", "e"] or self.left() == ["d", "e"] or self.left() == ["e"]
        assert self.total() <= self.MOST

    def test_a_value_that_is_replaced_counts_once(self):
        for _ in range(20):
            self.add("a")
        self.add("b")

        assert self.left() == ["a", "b"]

    def test_what_has_expired_takes_no_place(self):
        self.add("a", 3600)
        client = evictable_cache._cache.get_client(None)
        for key in "bc":
            self.add(key, 0.001)
        while any(client.exists(evictable_cache.make_key(key)) for key in "bc"):
            pass
        self.add("d", 60)
        self.add("e", 60)

        assert self.left() == ["a", "d", "e"]

    def test_a_value_larger_than_all_may_be_is_not_there(self):
        self.add("a", 3600, size=self.MOST)

        assert self.left() == []
        assert self.total() == 0

    @pytest.mark.parametrize("lost", ["group:expiries", "group:sizes"])
    def test_without_its_lists_which_redis_may_evict_too_it_goes_on(self, lost):
        for key in "abc":
            self.add(key)
        evictable_cache.delete(lost)
        for key in "cdefabcdef":
            self.add(key)

        assert len(self.left()) <= 3

    def test_the_lock_of_who_made_it_is_left(self):
        for token, holder in (("mine", "mine"), ("mine", "another's")):
            evictable_cache.get_or_lock("a", "lock", holder, 30)
            self.add("a", lock="lock", token=token)

        assert evictable_cache.get_or_lock("a", "lock", "a third", 30)[0] is False
        evictable_cache.unlock("lock", "another's")
        assert evictable_cache.get_or_lock("a", "lock", "a third", 30)[0] is True
