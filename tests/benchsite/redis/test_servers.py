"""Sign-in locks, throttles and the queue are in a server that evicts nothing, whatever the cache holds."""

import logging
import random
import secrets

import pytest
import redis
from django.core.cache import cache as counters
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.crypto import get_random_string

from benchsite.processes import embedded, embedded_servers
from benchsite.redis.cache import FailOpenCache, evictable_cache
from benchsite.redis.servers import configured, refuse_eviction_of_counters, remove_formerly_cached
from tests.benchsite.data_folders import new_folder
from tests.factories import SubmissionFactory, UserFactory

MIB = 1024 * 1024
PAGES = 5000
CONTENT = secrets.token_bytes(16 * 1024)  # of a page, compressed
RIGHT = "the right password of a test"


@pytest.fixture(scope="module")
def place():
    """Both servers as a site has them, which no other test uses: they are filled."""
    with new_folder() as folder:
        made = embedded.Place(folder)
        made.sockets.mkdir(parents=True)
        embedded_servers.start_redis(made.redis_data, made.redis_socket)
        embedded_servers.start_cache(made.cache_data, made.cache_socket)
        yield made
        embedded_servers.stop_redis(made.redis_socket)
        embedded_servers.stop_redis(made.cache_socket)


@pytest.fixture
def of_counters(place):
    with redis.Redis(unix_socket_path=str(place.redis_socket)) as client:
        yield client
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 128 * MIB)
        client.flushall()


@pytest.fixture
def of_cache(place):
    with redis.Redis(unix_socket_path=str(place.cache_socket)) as client:
        yield client
        client.flushall()


@pytest.fixture
def filled(place, of_counters, of_cache, settings, monkeypatch):
    """The site on these servers."""
    monkeypatch.setattr(FailOpenCache, "outages", {})
    settings.REDIS_URL, settings.CACHE_REDIS_URL = (
        embedded.redis_url(place.data_dir),
        embedded.cache_url(place.data_dir),
    )
    settings.CACHES = configured(settings.REDIS_URL, settings.CACHE_REDIS_URL, "filled")


class TestWhatAStartRefuses:
    def test_the_embedded_servers_are_as_they_should_be(self, filled):
        refuse_eviction_of_counters()

    @pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-lru"])
    def test_counters_that_are_evicted(self, filled, of_counters, policy):
        of_counters.config_set("maxmemory-policy", policy)

        with pytest.raises(ImproperlyConfigured, match=f"evicts keys .maxmemory-policy {policy}"):
            refuse_eviction_of_counters()
        with pytest.raises(CommandError, match="set its maxmemory-policy to noeviction"):
            call_command("prepare", no_static=True)

    def test_a_policy_without_a_limit_evicts_nothing(self, filled, of_counters):
        of_counters.config_set("maxmemory", 0)
        of_counters.config_set("maxmemory-policy", "allkeys-lru")

        refuse_eviction_of_counters()

    @pytest.mark.parametrize("database", ["", "?db=1"])
    def test_one_server_for_both(self, filled, settings, database):
        settings.CACHE_REDIS_URL = settings.REDIS_URL + database

        with pytest.raises(ImproperlyConfigured, match="are one server"):
            refuse_eviction_of_counters()

    @pytest.mark.parametrize("name", ["REDIS_URL", "CACHE_REDIS_URL"])
    def test_a_server_that_is_down_is_no_reason(self, filled, settings, name, caplog):
        setattr(settings, name, "redis://127.0.0.1:1/0")

        with caplog.at_level(logging.WARNING):
            refuse_eviction_of_counters()
        assert "Redis cannot be checked" in caplog.text

    def test_an_earlier_versions_server_that_still_runs_evicts_no_more(self, filled, place, of_counters):
        of_counters.config_set("maxmemory-policy", "volatile-lru")

        embedded_servers.start_redis(place.redis_data, place.redis_socket)

        assert of_counters.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_pages_that_an_earlier_version_cached_beside_the_counters_make_place(filled, of_counters):
    """A memory that is full of them would count nothing until they expire."""
    limit = of_counters.info("memory")["used_memory"] + MIB
    counters.set("a-lock", 1, 300)
    of_counters.set("another-site:1:page:1", "x")
    for start in ("page", "cached:code", "card"):
        for _ in range(100):
            counters.set(f"{start}:{get_random_string(64)}", CONTENT, 600)
    of_counters.config_set("maxmemory", limit)
    counters.set("refused", 1)
    assert counters.get("refused") is None

    remove_formerly_cached()

    assert of_counters.keys("filled:*") == [b"filled:1:a-lock"]
    assert of_counters.keys("another-site:*") == [b"another-site:1:page:1"]
    counters.set("counted-again", 1)
    assert (counters.get("a-lock"), counters.get("counted-again")) == (1, 1)


def test_a_server_that_is_full_is_still_read(filled, of_counters, caplog):
    """What counts fails open where Redis is down; one that only takes nothing more has the locks that are there."""
    counters.set("a-lock", 1, 300)
    of_counters.config_set("maxmemory", of_counters.info("memory")["used_memory"] + MIB)
    for number in range(4):
        counters.set(f"{number}", secrets.token_bytes(MIB), 300)

    assert counters.add("another", 1) is True
    assert counters.evaluate("redis.call('SET', KEYS[1], 1)", ["another"], []) is None
    assert counters.get("a-lock") == 1
    assert "Redis is full" in caplog.text


@pytest.mark.django_db
def test_a_lock_of_the_sign_in_survives_five_thousand_pages(filled, of_counters, of_cache, settings):
    """With random queries, in each encoding, until the cache is full, and with a full one; and full of locks."""
    settings.PAGE_CACHE_SECONDS = 2
    user, row = UserFactory(), SubmissionFactory()
    user.set_password(RIGHT)
    user.save()
    assert signs_in(user)
    for _ in range(6):
        assert not signs_in(user, "a wrong password")
    assert not signs_in(user)

    read_pages(row)
    assert not signs_in(user)
    for number in range(PAGES):
        evictable_cache.set(f"page:{number}", CONTENT, 600)
    for number in range(150):
        evictable_cache.set(f"cached:{number}", CONTENT * 64, 3600)
    assert not signs_in(user)

    read_pages(row)
    assert of_cache.info("stats")["evicted_keys"] > 0
    assert not signs_in(user)
    assert of_counters.keys("*login_failed*")

    of_counters.config_set("maxmemory", of_counters.info("memory")["used_memory"])
    read_pages(row)
    assert not signs_in(user)


def signs_in(user, password=RIGHT):
    answer = Client().post("/account/login/", {"login": user.username, "password": password})
    return answer.status_code == 302


def read_pages(row):
    """Some that the address does not know the parameter of, and some with a value of their own."""
    for number in range(10):
        for query in (f"x={random.random()}", f"max_ms={number + 1}.{random.randrange(10**9)}"):
            for encoding in ("identity", "gzip"):
                address = f"/submissions/{row.pk}/?{query}"
                assert Client().get(address, headers={"Accept-Encoding": encoding}).status_code == 200
