"""The price of the same cluster today, beside that of the measurement."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.age.drift import STATED, Drift, drifts
from submissions.models import Submission
from tests.factories import PriceFactory, SubmissionFactory
from tests.queries import queries_of

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("today", "is_marked"),
    [("1.02", False), ("0.98", False), ("1.0200001", True), ("0.9799999", True), ("1", False)],
)
def test_a_difference_of_more_than_two_percent_is_marked(today, is_marked):
    assert Drift(Decimal(1), Decimal(today)).is_marked is is_marked


def test_an_unknown_price_is_no_drift():
    assert not Drift(Decimal(1), None).is_marked
    assert Drift(Decimal(1), None).change is None


def measured(**facts):
    """3 nodes at 0.532 USD."""
    return SubmissionFactory(measured_at=datetime(2026, 1, 1, tzinfo=UTC), hourly_usd=Decimal("1.596"), **facts)


def of(row):
    return drifts(Submission.objects.all(), TODAY).get(row.pk)


@pytest.mark.django_db
def test_the_whole_cluster_is_priced_again_as_it_was_bought():
    row = measured()
    PriceFactory(valid_from=date(2025, 12, 1), last_seen=date(2026, 5, 31))
    PriceFactory(usd=Decimal("0.5"), valid_from=date(2026, 6, 1), last_seen=TODAY)

    assert of(row) == Drift(Decimal("1.596"), Decimal("1.5"))


@pytest.mark.django_db
def test_a_price_of_tomorrow_is_not_that_of_today():
    row = measured()
    PriceFactory(valid_from=date(2025, 12, 1), last_seen=TODAY)
    PriceFactory(usd=Decimal("0.1"), valid_from=date(2026, 11, 24))

    assert not of(row).is_marked


@pytest.mark.django_db
def test_a_price_that_nobody_has_confirmed_for_a_year_is_not_known_today():
    row = measured()
    PriceFactory(usd=Decimal("0.1"), valid_from=date(2020, 1, 1), last_seen=date(2025, 11, 22))

    drift = of(row)

    assert (drift.today_usd, drift.is_marked) == (None, False)
    assert drift.why_unknown == "last confirmed 12 months ago"


@pytest.mark.django_db
def test_a_type_without_a_price_today_is_not_known_with_the_reason():
    drift = of(measured(instance_type="x9.huge"))

    assert drift.today_usd is None
    assert "x9.huge" in drift.why_unknown


@pytest.mark.django_db
def test_a_stated_price_follows_no_list():
    PriceFactory(usd=Decimal("0.1"), valid_from=date(2025, 12, 1), last_seen=TODAY)

    assert of(measured(is_price_stated=True)) == Drift(Decimal("1.596"), None, STATED)


@pytest.mark.django_db
def test_a_result_without_a_price_has_no_drift():
    assert of(SubmissionFactory(hourly_usd=None)) is None


@pytest.mark.django_db
def test_more_rows_are_priced_by_no_more_queries():
    def queries(rows):
        for number in range(rows):
            measured(instance_type=f"t{rows} {number}")
        return queries_of(lambda: drifts(Submission.objects.all(), TODAY))

    assert queries(1) == queries(5)
    assert len(drifts(Submission.objects.all(), TODAY)) == 6
