"""Limits of the API: counted in one round trip, each as REST framework's own throttle would."""

from types import SimpleNamespace

import pytest
from django.core.cache import cache
from redis import Connection
from rest_framework.throttling import SimpleRateThrottle

from submissions.api.throttles import CallerThrottle
from tests.documents import document
from tests.factories import UserFactory
from tests.submissions.caller import Caller

WRITE = SimpleNamespace(write_scope="upload")
READ = SimpleNamespace()


class One(SimpleRateThrottle):
    """REST framework's."""

    rate = "3/min"
    timer = None

    def get_cache_key(self, request, view):
        return "rest-framework"


@pytest.fixture
def clock(clear_cache, monkeypatch):
    now = [1_700_000_000.25]
    for throttle in (One, CallerThrottle):
        monkeypatch.setattr(throttle, "timer", staticmethod(lambda: now[0]))
    return now


def caller(name="192.0.2.1", method="POST"):
    anonymous = SimpleNamespace(is_authenticated=False)
    return SimpleNamespace(user=anonymous, auth=None, method=method, META={"REMOTE_ADDR": name}, headers={})


def limit(monkeypatch, **rates):
    monkeypatch.setattr(CallerThrottle, "THROTTLE_RATES", {"anon": "1000/min", "upload": "1000/min", **rates})


def test_the_sliding_window_is_rest_frameworks(clock, monkeypatch):
    limit(monkeypatch, anon="3/min")

    for step in (0, 1, 10, 20, 5, 25, 0.5, 31, 2, 59, 61, 0, 0, 0, 0):
        clock[0] += step
        ours, theirs = CallerThrottle(), One()
        assert ours.allow_request(caller(), READ) == theirs.allow_request(caller(), READ)
        if ours.waits:
            assert ours.wait() == pytest.approx(theirs.wait())


def test_a_request_refused_by_one_limit_counts_for_the_others(clock, monkeypatch):
    limit(monkeypatch, anon="3/min", upload="1/min")

    answers = [CallerThrottle().allow_request(caller(), WRITE) for _ in range(3)]

    assert answers == [True, False, False]
    assert not CallerThrottle().allow_request(caller(method="GET"), WRITE)  # the fourth of this address


def test_the_longest_wait_counts(clock, monkeypatch):
    limit(monkeypatch, anon="1/min", upload="1/hour")
    CallerThrottle().allow_request(caller(), WRITE)
    refused = CallerThrottle()

    assert not refused.allow_request(caller(), WRITE)
    assert refused.wait() == 3600


@pytest.mark.django_db
def test_all_limits_of_an_upload_are_one_round_trip(client, clear_cache, monkeypatch):
    owner = Caller(client, UserFactory())
    owner.submit(document())  # Redis has the script
    sent = []
    send = Connection.send_packed_command
    monkeypatch.setattr(
        "redis.connection.AbstractConnection.send_packed_command",
        lambda self, command, *args, **kwargs: (sent.append(command), send(self, command, *args, **kwargs))[1],
    )

    assert owner.submit(document({"settings": {"n": "1"}})).status_code == 201
    assert len(sent) == 1


def test_without_redis_nothing_is_throttled(clock, monkeypatch):
    limit(monkeypatch, anon="1/min")
    monkeypatch.setattr(cache, "evaluate", lambda *args: None, raising=False)

    assert [CallerThrottle().allow_request(caller(), READ) for _ in range(3)] == [True] * 3
