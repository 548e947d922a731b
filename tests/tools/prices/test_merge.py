"""Lists of several sources become one history."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from submissions.pricing.book.quotes import DatedPrice
from tools.prices.merge import merged


def seen(usd, day, last_seen=date.min, source="one"):
    return DatedPrice("aws", "us-east-1", "m5.large", "hour", "on_demand", Decimal(usd), day, source, last_seen)


def days(prices):
    return [(str(price.usd), price.valid_from.isoformat(), price.last_seen.isoformat()) for price in prices]


def test_the_same_price_seen_again_is_one_price_that_was_seen_later():
    lists = [[seen("0.1", date(2020, 1, 1))], [seen("0.10", date(2024, 1, 1), source="two")]]

    assert days(merged(lists)) == [("0.1", "2020-01-01", "2024-01-01")]


def test_another_price_is_a_new_row_and_the_one_before_it_ends():
    lists = [[seen("0.1", date(2020, 1, 1), date(2023, 1, 1)), seen("0.2", date(2022, 1, 1))]]

    assert days(merged(lists)) == [("0.1", "2020-01-01", "2021-12-31"), ("0.2", "2022-01-01", "2022-01-01")]


def test_on_days_that_two_lists_cover_the_first_one_counts():
    first = [seen("0.1", date(2020, 1, 1), date(2022, 1, 1))]
    second = [seen("0.3", date(2021, 1, 1)), seen("0.2", date(2023, 1, 1))]

    assert days(merged([first, second])) == [("0.1", "2020-01-01", "2022-01-01"), ("0.2", "2023-01-01", "2023-01-01")]


def test_a_later_list_with_the_same_price_confirms_it_for_as_long_as_it_saw_it():
    written_by_hand = [seen("0.1", date(2020, 1, 1))]
    shipped = [seen("0.1", date(2020, 1, 1), date(2026, 10, 15), source="two"), seen("0.2", date(2026, 10, 20))]

    assert days(merged([written_by_hand, shipped])) == [
        ("0.1", "2020-01-01", "2026-10-15"),
        ("0.2", "2026-10-20", "2026-10-20"),
    ]


def test_other_regions_and_bases_have_a_history_of_their_own():
    price = seen("0.1", date(2020, 1, 1))
    others = [replace(price, region="eu-west-1"), replace(price, pricing_model="spot")]

    assert len(merged([[price], others])) == 3
