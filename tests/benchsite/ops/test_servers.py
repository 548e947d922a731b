"""What operators and Prometheus see of PostgreSQL, its replicas and Redis."""

import pytest
from django.db import connections
from django.db.backends.base.base import NO_DB_ALIAS

from benchsite.ops import servers
from benchsite.ops.servers import behind, redis_memory

pytestmark = pytest.mark.django_db
GIB = 1024**3


@pytest.fixture
def replica(monkeypatch):
    """A second way to the same server, under the name of a replica."""
    monkeypatch.setitem(connections.databases, "replica1", dict(connections["default"].settings_dict))
    connections["replica1"].alias = NO_DB_ALIAS  # tests may use no other database than the first
    yield "replica1"
    connections["replica1"].close()
    del connections["replica1"]


def by_name(figures):
    return {(figure.name, *figure.labels.values()): figure for figure in figures}


def test_each_server_that_answers_is_a_one_and_the_replica_is_at_the_place_of_the_primary(redis_client, replica):
    found = by_name(servers.figures())

    all_servers = ("database", replica, "broker", "cache")
    assert {server: found["server_up", server].value for server in all_servers} == dict.fromkeys(all_servers, 1)
    assert found["replica_behind_bytes", replica].value < GIB
    assert not [figure.alarm for figure in found.values() if figure.alarm]


def test_a_server_that_is_down_is_a_zero_and_an_alarm_and_the_others_go_on(settings, replica):
    connections[replica].settings_dict |= {"HOST": "127.0.0.1", "PORT": "1"}
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    found = by_name(servers.figures())

    assert found["server_up", "database"].value == 1
    assert found["server_up", replica].value == found["server_up", "broker"].value == 0
    assert found["server_up", "broker"].alarm
    assert found["replica_behind_bytes", replica].value is None
    assert found["redis_used_bytes", "queue", ""].value is None


def test_a_replica_that_is_far_behind_needs_attention():
    assert behind("replica1", 5 * GIB, 4 * GIB).alarm
    assert not behind("replica1", 5 * GIB, 5 * GIB - 1).alarm
    assert behind("replica1", None, 1).value is behind("replica1", 1, None).value is None


@pytest.mark.parametrize(
    ("policy", "used", "is_alarming"),
    [("noeviction", 90, True), ("noeviction", 70, False), ("allkeys-lru", 100, False)],
)
def test_only_a_redis_that_evicts_nothing_may_not_be_full(policy, used, is_alarming):
    memory = {"used_memory": used, "maxmemory": 100, "maxmemory_policy": policy}

    used_figure, limit = redis_memory("queue", memory)

    assert (used_figure.value, limit.value, bool(used_figure.alarm)) == (used, 100, is_alarming)


def test_a_redis_without_a_limit_has_none():
    _, limit = redis_memory("queue", {"used_memory": 90, "maxmemory": 0, "maxmemory_policy": "noeviction"})

    assert limit.value is None
