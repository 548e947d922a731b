"""Limits are counted in one round trip, each as a sliding window; what an answer costs is counted with it."""

from types import SimpleNamespace

import pytest
from django.core.cache import cache

from benchsite.http.limits.throttles import PREPAID, Throttle, settle


class Some(Throttle):
    """By limits that a test sets."""

    limits = ()

    def callers(self, request, view):
        return iter(self.limits)


@pytest.fixture
def clock(clear_cache, monkeypatch):
    now = [1_700_000_000.25]
    monkeypatch.setattr(Some, "timer", staticmethod(lambda: now[0]))
    return now


@pytest.fixture
def limit(monkeypatch):
    def to(**rates):
        monkeypatch.setattr(Some, "THROTTLE_RATES", rates)
        monkeypatch.setattr(Some, "limits", [(scope, "192.0.2.1") for scope in rates])

    return to


def request(prepaid=0):
    return SimpleNamespace(META={PREPAID: prepaid})


def ask(prepaid=0, costs=0):
    """Whether a request is allowed, of which is thought that it costs `prepaid` units, and which costs `costs`."""
    one = request(prepaid)
    is_allowed = Some().allow_request(one, None)
    settle(one, costs)
    return is_allowed


def allowed():
    """How many cheap requests are still allowed."""
    return next(number for number in range(1000) if not ask())


def test_no_window_has_more_than_the_limit(clock, limit):
    limit(anon="3/min")
    began, counted = clock[0], []

    for step in (0, 1, 10, 20, 5, 25, 0.5, 31, 2, 59, 61, 0, 0, 0, 0):
        clock[0] += step
        is_free = sum(time > clock[0] - 60 for time in counted) < 3
        assert ask() == is_free, clock[0] - began
        if is_free:
            counted.append(clock[0])


def test_after_the_wait_the_request_is_allowed_and_not_before(clock, limit):
    limit(anon="4/min")
    for step in (0, 7, 11, 3):
        clock[0] += step
        assert ask(costs=0)
    refused = Some()
    assert not refused.allow_request(request(prepaid=2), None)  # three of four must expire

    wait = refused.wait()

    assert wait == 60 - 3
    clock[0] += wait - 0.5
    assert not ask(prepaid=2)
    clock[0] += 0.5
    assert ask(prepaid=2, costs=2)


def test_what_an_answer_cost_is_counted_after_it(clock, limit):
    limit(anon="10/min")

    assert ask(costs=6)

    assert allowed() == 3


def test_what_such_an_answer_cost_last_is_counted_before_it(clock, limit):
    limit(anon="10/min")

    begun = [request(prepaid=4) for _ in range(3)]

    assert [Some().allow_request(one, None) for one in begun] == [True, True, False]
    for one in begun:
        settle(one, 4)
    assert allowed() == 0


def test_what_was_counted_too_much_is_given_back(clock, limit):
    limit(anon="10/min")

    assert ask(prepaid=8, costs=1)

    assert allowed() == 8


def test_an_answer_that_costs_more_than_the_limit_is_given_to_who_has_asked_for_nothing_else(clock, limit):
    limit(anon="10/min")

    assert ask(prepaid=500, costs=500)

    assert allowed() == 0
    clock[0] += 60
    assert ask(prepaid=500, costs=500)


def test_a_request_refused_by_one_limit_counts_for_the_others(clock, limit):
    limit(anon="3/min", upload="1/min")

    answers = [ask() for _ in range(3)]

    assert answers == [True, False, False]
    limit(anon="3/min")
    assert not ask()  # the fourth of this address


def test_time_counts_for_the_caller_and_not_as_uploads(clock, limit):
    limit(anon="100/min", upload="5/min")

    assert ask(prepaid=20, costs=30)

    limit(upload="5/min")
    assert allowed() == 4
    limit(anon="100/min")
    assert allowed() == 100 - 31


def test_the_longest_wait_counts(clock, limit):
    limit(anon="1/min", upload="1/hour")
    assert ask()
    refused = Some()

    assert not refused.allow_request(request(), None)
    assert refused.wait() == 3600


def test_a_rate_of_zero_is_no_limit(clock, limit):
    limit(anon="0/min")

    assert all(ask(costs=100) for _ in range(5))


def test_without_redis_nothing_is_throttled(clock, limit, monkeypatch):
    limit(anon="1/min")
    monkeypatch.setattr(cache, "evaluate", lambda *args: None, raising=False)

    assert [ask(costs=3) for _ in range(3)] == [True] * 3
