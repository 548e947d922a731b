"""The price book in the database: dated, appended to, never changed."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from submissions.models import Price
from submissions.pricing.book import book
from submissions.pricing.book.book import Recorded
from submissions.pricing.book.quotes import DatedPrice, PriceKey, Quote
from submissions.pricing.sources import snapshot
from tests.queries import queries_of

pytestmark = pytest.mark.django_db

DAY = date(2020, 1, 1)
PRICE = DatedPrice("aws", "us-east-1", "m5.large", "hour", "on_demand", Decimal("0.096"), DAY, "a list")


def stored():
    return list(Price.objects.order_by("sku", "valid_from").values_list("sku", "usd", "valid_from"))


def keys_of(prices):
    return {PriceKey(price.provider, price.region, price.sku) for price in prices}


def test_a_new_price_is_added_and_found():
    assert book.record([PRICE]) == Recorded(inserted=1)

    found = book.load([PriceKey("aws", "us-east-1", "m5.large")]).quote(
        provider="aws", region="us-east-1", sku="m5.large", unit="hour", pricing_model="on_demand", on=DAY
    )
    assert found == Quote(Decimal("0.096"), "hour", DAY, "a list", last_seen=DAY)


def test_the_same_prices_twice_add_nothing():
    book.record([PRICE])

    assert book.record([PRICE]) == Recorded(unchanged=1)
    assert stored() == [("m5.large", Decimal("0.096"), DAY)]


def test_a_price_that_did_not_change_is_not_repeated():
    later = replace(PRICE, valid_from=date(2021, 1, 1))

    assert book.record([PRICE, later]) == Recorded(inserted=1, unchanged=1)


def test_a_changed_price_becomes_a_new_row():
    cheaper = replace(PRICE, usd=Decimal("0.09"), valid_from=date(2021, 1, 1))

    # given newest first: they are recorded in the order of their dates
    assert book.record([cheaper, PRICE]) == Recorded(inserted=2)
    assert stored() == [
        ("m5.large", Decimal("0.096"), DAY),
        ("m5.large", Decimal("0.09"), date(2021, 1, 1)),
    ]


def test_a_price_that_is_seen_again_moves_the_day_on_which_it_was_last_seen():
    book.record([PRICE])

    book.record([replace(PRICE, valid_from=date(2026, 11, 20)), replace(PRICE, valid_from=date(2026, 1, 1))])

    assert list(Price.objects.values_list("valid_from", "last_seen")) == [(DAY, date(2026, 11, 20))]


def test_a_file_is_copied_into_an_empty_book_and_confirms_what_a_full_one_has():
    columns = snapshot.PRICE_COLUMNS
    line = "aws,us-east-1,m5.large,hour,on_demand,{},2020-08-30,{},a list\n"
    head = ",".join(columns) + "\n"

    first = book.copy((head + line.format("0.096", "2020-08-30")).encode(), columns)
    again = book.copy((head + line.format("0.096", "2026-10-15")).encode(), columns)
    other = book.copy((head + line.format("0.2", "2026-10-15")).encode(), columns)

    assert (first, again, other) == (Recorded(inserted=1), Recorded(unchanged=1), Recorded(conflicting=1))
    assert list(Price.objects.values_list("usd", "last_seen")) == [(Decimal("0.096"), date(2026, 10, 15))]


def test_an_older_price_may_be_recorded_later():
    book.record([PRICE])
    older = replace(PRICE, usd=Decimal("0.1"), valid_from=date(2019, 1, 1))

    assert book.record([older]) == Recorded(inserted=1)
    assert stored() == [("m5.large", Decimal("0.1"), date(2019, 1, 1)), ("m5.large", Decimal("0.096"), DAY)]


def test_another_price_of_the_same_day_is_counted_and_changes_nothing():
    book.record([PRICE])

    assert book.record([replace(PRICE, usd=Decimal("0.2"))]) == Recorded(conflicting=1)
    assert stored() == [("m5.large", Decimal("0.096"), DAY)]


@pytest.mark.parametrize("usd", ["0", "0.0", "-1", "NaN", "Infinity", "1E8", "0.000000001"])
def test_an_unusable_price_is_counted_as_missing(usd):
    assert book.record([replace(PRICE, usd=Decimal(usd)), PRICE]) == Recorded(inserted=1, missing=1)


def test_a_rate_of_many_digits_is_rounded_to_the_last_place_of_the_column():
    long = replace(PRICE, usd=Decimal("0.00011111111111111112"))

    assert book.record([long]) == Recorded(inserted=1)
    assert book.record([long]) == Recorded(unchanged=1)
    assert stored() == [("m5.large", Decimal("0.00011111"), DAY)]


def test_a_batch_of_300_takes_the_queries_of_one_to_write_and_to_read():
    first, *others = [replace(PRICE, sku=f"t{n}", region=f"r{n % 5}") for n in range(301)]

    assert queries_of(lambda: book.record([first])) == queries_of(lambda: book.record(others))
    assert queries_of(lambda: book.load(keys_of([first]))) == queries_of(lambda: book.load(keys_of(others)))
    loaded = book.load(keys_of([first, *others]))
    assert all(loaded.in_force(price.series, DAY) == price for price in (first, *others))


def test_of_no_keys_no_price_is_loaded():
    book.record([PRICE])

    assert book.load([]).in_force(PRICE.series, DAY) is None


def test_a_key_loads_no_price_of_another_region():
    book.record([PRICE, replace(PRICE, region="us-west-2", sku="m5.xlarge")])

    loaded = book.load([PriceKey("aws", "us-east-1", "m5.xlarge"), PriceKey("aws", "us-west-2", "m5.large")])

    assert loaded.in_force(PRICE.series, DAY) is None
