"""Prices of the clouds every night, where they can be reached."""

import pytest

from submissions.models import Price, PriceLoad
from submissions.pricing.book import refresh
from tests.factories import PriceFactory, SubmissionFactory
from tests.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def unreachable(monkeypatch):
    """AWS with credentials, at an address where nobody listens."""
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "a-key"),
        ("AWS_SECRET_ACCESS_KEY", "a-secret"),
        ("AWS_ENDPOINT_URL_PRICING", "http://127.0.0.1:9"),
        ("AWS_MAX_ATTEMPTS", "1"),
    ):
        monkeypatch.setenv(name, value)


def test_a_cloud_that_cannot_be_reached_is_noted_and_stops_nothing(client, unreachable):
    SubmissionFactory(provider="aws", region="us-east-1")
    PriceFactory()

    refresh.load_nightly()

    load = PriceLoad.objects.get()
    assert (load.source, load.succeeded_at) == ("aws", None)
    assert load.problem.startswith("AWS cannot be reached")
    assert "AWS: never loaded; the attempt of" in text(client.get("/prices/"))
    assert Price.objects.count() == 1


def test_the_page_keeps_the_day_of_the_last_load_when_a_later_one_fails(client, unreachable):
    SubmissionFactory(provider="aws", region="us-east-1")
    PriceLoad.objects.create(
        source="aws", attempted_at="2026-11-01T01:30:00Z", succeeded_at="2026-11-01T01:30:00Z", digest=""
    )

    refresh.load_nightly()

    assert "AWS: last loaded on 2026-11-01" in text(client.get("/prices/"))


def test_a_cloud_without_results_is_not_asked(unreachable):
    refresh.load_nightly()

    assert not PriceLoad.objects.exists()
