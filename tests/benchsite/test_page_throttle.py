"""Pages per address: what costs the server much counts more, and nobody else waits for it."""

import pytest

from benchsite.page_throttle import PageThrottle
from tests.pages import faults, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def rate(monkeypatch, clear_cache):
    monkeypatch.setattr("benchsite.page_throttle.monotonic", lambda: 0.0)  # a page takes no time

    def set_to(text):
        monkeypatch.setattr(PageThrottle, "THROTTLE_RATES", {"pages": text})

    return set_to


def test_an_address_that_asks_for_too_much_waits_and_others_do_not(client, rate):
    rate("3/min")

    answers = [client.get("/about/methodology/") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[3]["Retry-After"]) <= 60
    assert "Too many requests" in text(answers[3])
    assert faults(answers[3]) == []
    assert client.get("/about/methodology/", REMOTE_ADDR="203.0.113.9").status_code == 200
    assert client.get("/api/v1/").status_code == 200  # counted by its own throttles
    assert client.get("/healthz").status_code == 200


def test_a_page_that_takes_long_counts_as_several(client, rate, monkeypatch):
    rate("10/min")
    clock = iter(range(1000))
    monkeypatch.setattr("benchsite.page_throttle.monotonic", lambda: next(clock))  # each page takes a second

    answers = [client.get("/about/methodology/").status_code for _ in range(4)]

    assert answers == [200, 200, 429, 429]


def test_an_address_in_a_header_counts_only_behind_a_proxy_of_ours(client, rate):
    rate("1/min")

    answers = [
        client.get("/about/methodology/", HTTP_X_FORWARDED_FOR=f"198.51.100.{number}").status_code for number in (1, 2)
    ]

    assert answers == [200, 429]


def test_reading_goes_on_where_no_count_can_be_kept(client, rate, monkeypatch):
    import redis

    def away(*_, **__):
        raise redis.ConnectionError

    rate("1/min")
    monkeypatch.setattr(PageThrottle.cache, "get", away, raising=False)

    assert [client.get("/about/methodology/").status_code for _ in range(2)] == [200, 200]
