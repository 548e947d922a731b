"""Pages per address: what costs the server much counts more, and nobody else waits for it."""

import pytest
from django.core.cache import cache

from benchsite.http.limits import costs
from benchsite.http.limits.charging import PageThrottle
from tests.pages import faults, text

pytestmark = pytest.mark.django_db
PAGE = "/about/methodology/"


@pytest.fixture
def rate(monkeypatch, clear_cache):
    monkeypatch.setattr(costs, "last_costs", {})
    monkeypatch.setattr(costs.Stopwatch, "cost", lambda self: costs.Cost())  # a page takes no time

    def set_to(text):
        monkeypatch.setattr(PageThrottle, "THROTTLE_RATES", {"pages": text})

    return set_to


def test_an_address_that_asks_for_too_much_waits_and_others_do_not(client, rate):
    rate("3/min")

    answers = [client.get(PAGE) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[3]["Retry-After"]) <= 60
    assert "Too many requests" in text(answers[3])
    assert faults(answers[3]) == []
    assert client.get(PAGE, REMOTE_ADDR="203.0.113.9").status_code == 200
    assert client.get("/healthz").status_code == 200


def test_addresses_of_one_ipv6_network_count_as_one(client, rate):
    rate("3/min")

    answers = [client.get(PAGE, REMOTE_ADDR=f"2001:db8::{number}").status_code for number in range(1, 5)]

    assert answers == [200, 200, 200, 429]
    assert client.get(PAGE, REMOTE_ADDR="2001:db8:0:1::1").status_code == 200


def test_a_page_that_takes_long_counts_as_several(client, rate, monkeypatch):
    rate("10/min")
    monkeypatch.setattr(costs.Stopwatch, "cost", lambda self: costs.Cost(seconds=1.0))

    answers = [client.get(PAGE).status_code for _ in range(4)]

    assert answers == [200, 200, 429, 429]


def test_what_begins_together_is_not_free(client, rate, monkeypatch):
    rate("10/min")
    monkeypatch.setattr(costs.Stopwatch, "cost", lambda self: costs.Cost(seconds=1.5))
    client.get(PAGE, REMOTE_ADDR="203.0.113.9")  # somebody has asked for it before
    seen = []

    def during(self):
        seen.append(client.get(PAGE).status_code if len(seen) < 3 else None)
        return costs.Cost(seconds=1.5)

    monkeypatch.setattr(costs.Stopwatch, "cost", during)  # while the first is made, the others begin
    client.get(PAGE)

    assert 429 in seen


def test_an_address_in_a_header_counts_only_behind_a_proxy_of_ours(client, rate):
    rate("1/min")

    answers = [client.get(PAGE, HTTP_X_FORWARDED_FOR=f"198.51.100.{number}").status_code for number in (1, 2)]

    assert answers == [200, 429]


def test_reading_goes_on_where_no_count_can_be_kept(client, rate, monkeypatch):
    rate("1/min")
    monkeypatch.setattr(cache, "evaluate", lambda *args: None, raising=False)

    assert [client.get(PAGE).status_code for _ in range(2)] == [200, 200]
