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
from tests.queries import queries_of

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 23)


@pytest.fixture(autouse=True)
def _the_book_is_known():
    retired_of(prices_version())


def test_the_ages_of_thirty_rows_take_the_queries_of_one():
    for number in range(31):
        SubmissionFactory(instance_type=f"t{number}")
    one, *thirty = Submission.objects.all()

    for ages in (ages_of, ages_of_published):
        with of_one_state():
            of_one = queries_of(lambda: ages([one], TODAY))  # noqa: B023
            assert queries_of(lambda: ages(thirty, TODAY)) == of_one  # noqa: B023


def test_the_ages_of_rows_that_are_published_are_kept():
    rows = [SubmissionFactory(instance_type=f"t{number}") for number in range(2)]

    with of_one_state():
        first = ages_of_published(rows, TODAY)
        kept = []
        assert queries_of(lambda: kept.append(ages_of_published(rows, TODAY))) == 0
    assert kept == [first] == [ages_of(rows, TODAY)]


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
