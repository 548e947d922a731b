"""Which types a region's newest price list no longer has, and what is a list."""

from datetime import date, timedelta

import pytest

from submissions.age.retired import LastList, Sold, retired_of
from submissions.records.cache import prices_version
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db

NEWEST, OLD = date(2026, 10, 15), date(2022, 3, 24)


def list_types(*days, region="us-east-1"):
    for place, day in enumerate(days):
        PriceFactory(sku=f"t{place}", region=region, valid_from=OLD, last_seen=day)


def retired():
    return retired_of(prices_version())


def test_a_type_that_the_newest_list_lacks_is_gone_with_both_days():
    list_types(OLD, *[NEWEST] * 9)

    assert retired() == {Sold("aws", "us-east-1", "t0"): LastList(OLD, NEWEST)}


def test_a_few_newer_prices_are_no_list():
    list_types(*[NEWEST - timedelta(days=1)] * 9, NEWEST)

    assert retired() == {}


def test_a_list_that_lacks_more_than_a_fifth_of_all_types_is_not_believed():
    list_types(*[OLD] * 3, *[NEWEST] * 7)
    assert retired() == {}

    PriceFactory(sku="t2", valid_from=NEWEST, last_seen=NEWEST)
    assert len(retired()) == 2


def test_a_handful_of_types_is_no_list():
    for types in (1, 2, 3, 4):
        list_types(OLD, *[NEWEST] * (types - 1), region=f"us-east-{types}")

    assert retired() == {}


def test_each_region_has_a_list_of_its_own():
    list_types(*[OLD] * 10, region="eu-west-1")
    list_types(*[NEWEST] * 10)

    assert retired() == {}


def test_the_book_is_read_again_after_a_new_price():
    for place in range(9):
        PriceFactory(sku=f"t{place}", valid_from=OLD, last_seen=NEWEST)
    PriceFactory(sku="gone", valid_from=OLD, last_seen=OLD)
    assert retired() == {Sold("aws", "us-east-1", "gone"): LastList(OLD, NEWEST)}

    PriceFactory(sku="gone", valid_from=NEWEST)

    assert retired() == {}


def test_only_machines_on_demand_make_a_list():
    for place in range(9):
        PriceFactory(sku=f"t{place}", valid_from=OLD, last_seen=NEWEST)
    PriceFactory(sku="gp2", unit="gib_month", valid_from=OLD, last_seen=OLD)
    PriceFactory(sku="t0", pricing_model="spot", valid_from=OLD, last_seen=OLD)

    assert retired() == {}
