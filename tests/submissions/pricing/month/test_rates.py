"""What a GB between zones, a GB in the object store and an address cost."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.book.quotes import PriceBook
from submissions.pricing.groups import Place
from submissions.pricing.month.rates import address_rate, keys_of, object_storage_rate, zone_traffic_rate
from tests.submissions.pricing.month.bills import TODAY, price


def between(provider, region, *prices, **options):
    return zone_traffic_rate(Place(provider, region, TODAY), PriceBook(prices), **options)


@pytest.mark.parametrize(
    ("provider", "usd"),
    [("aws", "0.02"), ("gce", "0.01"), ("azure", "0"), ("fake", "0.01"), ("local", "0")],
)
def test_each_cloud_bills_one_side_both_or_none(provider, usd):
    assert between(provider, "somewhere", price(provider, "somewhere", "cross-zone", "0.01", "gb")).usd == Decimal(usd)


def test_the_day_on_which_the_price_was_last_seen_stays_with_it():
    known = price(
        "aws", "eu-west-1", "cross-zone", "0.01", "gb", valid_from=date(2011, 1, 1), last_seen=date(2024, 1, 1)
    )

    rate = between("aws", "eu-west-1", known)

    assert (rate.price_date, rate.last_seen, rate.used_on) == (date(2011, 1, 1), date(2024, 1, 1), TODAY)


def test_a_stated_rate_counts_where_the_book_has_none():
    known = price("aws", "eu-west-1", "cross-zone", "0.01", "gb")

    assert between("aws", "eu-west-1", known, stated_usd=Decimal(5)).usd == Decimal("0.02")
    stated = between("aws", "me-south-1", known, stated_usd=Decimal("0.03"))
    assert (stated.usd, stated.is_stated, stated.source) == (Decimal("0.03"), True, "stated in the plan")


@pytest.mark.parametrize(
    ("provider", "region", "reason"),
    [
        ("aws", None, "no price of traffic between zones: the region is not stated"),
        ("aws", "eu-west-1", "the price of traffic between zones in AWS eu-west-1 on 2026-11-27 is unknown"),
        (
            *("mongodb-atlas", "eu-west-1"),
            "no price of traffic between zones: MongoDB Atlas has no price list here",
        ),
    ],
)
def test_what_is_not_known_has_a_reason(provider, region, reason):
    rate = between(provider, region)

    assert (rate.usd, rate.missing) == (None, reason)


def test_an_undated_month_has_no_price():
    rate = object_storage_rate(Place("aws", "us-east-1", None), PriceBook())

    assert rate.missing == "no price of object storage: the measurement date is not stated"


def address(provider, on=TODAY, **options):
    return address_rate(Place(provider, None, on), **options)


def test_addresses_are_billed_since_a_day_and_not_by_every_cloud():
    assert address("aws", date(2024, 1, 31)) is None
    assert address("aws", date(2024, 2, 1)).usd == Decimal("0.005")
    assert address("gce", is_spot=True).usd == Decimal("0.0025")
    assert address("hcloud") is None


def test_no_price_is_looked_up_without_a_region():
    assert keys_of("aws", None) == set()
    assert {key.sku for key in keys_of("aws", "us-east-1")} == {"cross-zone", "object-storage"}
