"""Which types a region's newest price list no longer has, and what is a list."""

from datetime import date, timedelta

import pytest

from submissions.age.retired import LastList, Sold, retired_of, retired_types
from submissions.records.cache import prices_version
from tests.factories import PriceFactory

NEWEST, OLD = date(2026, 10, 15), date(2022, 3, 24)


def region(*days):
    return [("aws", "us-east-1", f"t{place}", day) for place, day in enumerate(days)]


def test_a_type_that_the_newest_list_lacks_is_gone_with_both_days():
    assert retired_types(region(OLD, *[NEWEST] * 9)) == {Sold("aws", "us-east-1", "t0"): LastList(OLD, NEWEST)}


def test_a_few_newer_prices_are_no_list():
    yesterday = NEWEST - timedelta(days=1)

    assert retired_types(region(*[yesterday] * 9, NEWEST)) == {}


def test_a_list_that_lacks_more_than_a_fifth_of_all_types_is_not_believed():
    assert retired_types(region(*[OLD] * 3, *[NEWEST] * 7)) == {}
    assert len(retired_types(region(*[OLD] * 2, *[NEWEST] * 8))) == 2


@pytest.mark.parametrize("types", [1, 2, 3, 4])
def test_a_handful_of_types_is_no_list(types):
    assert retired_types(region(OLD, *[NEWEST] * (types - 1))) == {}


def test_each_region_has_a_list_of_its_own():
    elsewhere = [("aws", "eu-west-1", sku, OLD) for _, _, sku, _ in region(*[OLD] * 10)]

    assert retired_types([*elsewhere, *region(*[NEWEST] * 10)]) == {}


@pytest.mark.django_db
def test_the_book_is_read_again_after_a_new_price():
    for place in range(9):
        PriceFactory(sku=f"t{place}", valid_from=OLD, last_seen=NEWEST)
    PriceFactory(sku="gone", valid_from=OLD, last_seen=OLD)
    assert retired_of(prices_version()) == {Sold("aws", "us-east-1", "gone"): LastList(OLD, NEWEST)}

    PriceFactory(sku="gone", valid_from=NEWEST)

    assert retired_of(prices_version()) == {}


@pytest.mark.django_db
def test_only_machines_on_demand_make_a_list():
    for place in range(9):
        PriceFactory(sku=f"t{place}", valid_from=OLD, last_seen=NEWEST)
    PriceFactory(sku="gp2", unit="gib_month", valid_from=OLD, last_seen=OLD)
    PriceFactory(sku="t0", pricing_model="spot", valid_from=OLD, last_seen=OLD)

    assert retired_of(prices_version()) == {}
