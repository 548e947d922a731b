"""The age of a submission in the API."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.utils import timezone

from tests.factories import PriceFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


def test_a_submission_has_its_marks_with_words_and_what_is_not_known(client):
    row = SubmissionFactory(measured_at=datetime(2015, 9, 1, tzinfo=UTC), hourly_usd=Decimal("1.596"), jdk_vendor=None)

    age = client.get(f"/api/v1/submissions/{row.pk}/age/").json()

    assert age["today"] == timezone.now().date().isoformat()
    assert [mark["mark"] for mark in age["marks"]] == ["old_result", "version_eol"]
    assert age["marks"][0]["words"] == "measured on 2015-09-01, more than 12 months ago"
    assert (age["hourly_usd_then"], age["hourly_usd_today"]) == ("1.596", None)
    assert age["not_known"][0] == "until when JDK 8u51 is supported"
    assert "the price today" in age["not_known"][1]


def test_both_prices_are_in_the_answer(client):
    today = timezone.now().date()
    row = SubmissionFactory(measured_at=timezone.now(), hourly_usd=Decimal("1.596"))
    PriceFactory(usd=Decimal("0.6"), valid_from=today, last_seen=today)

    age = client.get(f"/api/v1/submissions/{row.pk}/age/").json()

    assert (age["hourly_usd_then"], age["hourly_usd_today"]) == ("1.596", "1.8")
    assert age["marks"][0] == {"mark": "price_drift", "words": "$1.60/h when measured, $1.80/h today: +12.8 %"}


def test_a_result_without_a_price_has_none_today(client):
    row = SubmissionFactory(hourly_usd=None)

    age = client.get(f"/api/v1/submissions/{row.pk}/age/").json()

    assert (age["hourly_usd_then"], age["hourly_usd_today"]) == (None, None)
