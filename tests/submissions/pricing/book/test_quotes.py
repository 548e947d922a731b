"""The price in force at a date."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.models import Price
from submissions.pricing.book.quotes import DatedPrice, PriceBook, Quote, Unit

M1_XLARGE = {"provider": "aws", "region": "us-east-1", "sku": "m1.xlarge", "unit": "hour", "pricing_model": "on_demand"}


def dated(usd, valid_from, **other):
    return DatedPrice(**{**M1_XLARGE, **other}, usd=Decimal(usd), valid_from=valid_from, source="a list")


# given newest first: a book sorts by itself
BOOK = PriceBook([dated("0.35", date(2014, 2, 1)), dated("0.68", date(2011, 11, 2))])


@pytest.mark.parametrize(
    ("on", "usd", "since"),
    [
        (date(2011, 11, 2), "0.68", date(2011, 11, 2)),
        (date(2014, 1, 31), "0.68", date(2011, 11, 2)),
        (date(2014, 2, 1), "0.35", date(2014, 2, 1)),
        (date(2026, 1, 1), "0.35", date(2014, 2, 1)),
    ],
)
def test_the_latest_price_that_is_not_later_is_in_force(on, usd, since):
    assert BOOK.quote(**M1_XLARGE, on=on) == Quote(Decimal(usd), "hour", since, "a list", last_seen=since)


def test_before_the_first_known_price_there_is_none():
    assert BOOK.quote(**M1_XLARGE, on=date(2011, 11, 1)) is None
    assert BOOK.first_known(tuple(M1_XLARGE.values())) == date(2011, 11, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"region": "us-west-2"},
        {"provider": "gce"},
        {"sku": "m1.large"},
        {"pricing_model": "spot"},
        {"unit": "gib_month"},
    ],
)
def test_the_price_of_another_series_is_never_used(other):
    assert BOOK.quote(**{**M1_XLARGE, **other}, on=date(2015, 1, 1)) is None


def test_a_price_can_be_added_between_two_others():
    book = PriceBook([dated("0.35", date(2014, 2, 1)), dated("0.68", date(2011, 11, 2))])

    book.add(dated("0.52", date(2012, 10, 8)))

    assert [book.quote(**M1_XLARGE, on=date(year, 12, 31)).usd for year in (2011, 2012, 2014)] == [
        Decimal("0.68"),
        Decimal("0.52"),
        Decimal("0.35"),
    ]


def test_units_match_those_of_the_database():
    assert [unit.value for unit in Unit] == list(Price.Unit.values)
