"""The ages of the rows of a page."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.age.retired import retired_of
from submissions.choices import AgeMark
from submissions.models import Submission
from submissions.records.ages import ages_of, ages_of_published
from submissions.records.cache import of_one_state, prices_version
from tests.factories import PriceFactory, SubmissionFactory

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 23)


@pytest.fixture(autouse=True)
def _the_book_is_known():
    retired_of(prices_version())


@pytest.mark.parametrize("rows", [1, 30])
def test_ages_cost_the_same_for_one_row_and_for_thirty(rows, django_assert_num_queries):
    for number in range(rows):
        SubmissionFactory(instance_type=f"t{number}")
    listed = list(Submission.objects.all())

    with of_one_state():
        with django_assert_num_queries(3):
            assert len(ages_of(listed, TODAY)) == rows
        with django_assert_num_queries(3):
            first = ages_of_published(listed, TODAY)
        with django_assert_num_queries(0):
            assert ages_of_published(listed, TODAY) == first == ages_of(listed[:0], TODAY) | first


def test_a_new_price_is_seen_at_once():
    row = SubmissionFactory(measured_at=datetime(2026, 1, 1, tzinfo=UTC), hourly_usd=Decimal("1.596"))
    PriceFactory(valid_from=date(2025, 12, 1), last_seen=TODAY)
    assert AgeMark.PRICE_DRIFT not in ages_of_published([row], TODAY)[row.pk].marks

    PriceFactory(usd=Decimal("0.6"), valid_from=date(2026, 11, 20), last_seen=TODAY)

    assert AgeMark.PRICE_DRIFT in ages_of_published([row], TODAY)[row.pk].marks


def test_the_stored_price_counts_even_where_a_board_shows_another():
    row = SubmissionFactory(measured_at=datetime(2026, 1, 1, tzinfo=UTC), hourly_usd=Decimal("1.596"))
    PriceFactory(valid_from=date(2025, 12, 1), last_seen=TODAY)
    row.hourly_usd = Decimal(99)

    assert ages_of([row], TODAY)[row.pk].drift.then_usd == Decimal("1.596")


def test_a_day_later_it_is_another_age():
    row = SubmissionFactory(measured_at=datetime(2025, 11, 23, tzinfo=UTC), service_version="5.0.2")

    assert AgeMark.OLD_RESULT not in ages_of_published([row], TODAY)[row.pk].marks
    assert AgeMark.OLD_RESULT in ages_of_published([row], date(2026, 11, 24))[row.pk].marks
