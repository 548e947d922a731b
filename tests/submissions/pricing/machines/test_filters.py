"""Which prices a search finds, on the page and in the API."""

from datetime import date
from decimal import Decimal

import pytest
from django.http import QueryDict

from submissions.models import Price
from submissions.pricing.machines.filters import PriceFilter
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db


def found(query):
    filterset = PriceFilter(QueryDict(query), Price.objects.order_by("sku", "valid_from"))
    assert filterset.is_valid(), filterset.errors
    return [(price.sku, str(price.usd)) for price in filterset.qs]


def test_on_a_day_the_newest_price_that_is_not_later_is_in_force():
    for day, usd in (
        (date(2014, 1, 1), "0.6"),
        (date(2015, 6, 1), "0.532"),
        (date(2017, 1, 1), "0.5"),
    ):
        PriceFactory(valid_from=day, usd=Decimal(usd))
    PriceFactory(sku="c3.4xlarge", valid_from=date(2016, 1, 1), usd=Decimal("0.84"))

    assert found("at=2015-09-01") == [("m3.2xlarge", "0.53200000")]
    assert found("at=2016-01-01") == [("c3.4xlarge", "0.84000000"), ("m3.2xlarge", "0.53200000")]
    assert found("at=2013-12-31") == []
    assert found("instance_type=m3.2xlarge&at=2020-01-01") == [("m3.2xlarge", "0.50000000")]
    assert len(found("instance_type=m3.2xlarge")) == 3


def test_each_pricing_model_and_unit_has_a_price_of_its_own():
    PriceFactory(valid_from=date(2015, 6, 1), usd=Decimal("0.532"))
    PriceFactory(valid_from=date(2016, 6, 1), usd=Decimal("0.07"), pricing_model="spot")

    assert found("at=2016-07-01&pricing_model=on_demand") == [("m3.2xlarge", "0.53200000")]
    assert len(found("at=2016-07-01")) == 2
    assert found("at=2017-01-01") == [("m3.2xlarge", "0.53200000")]  # a spot price counts for 31 days


def test_an_instance_type_is_exact_and_a_search_takes_the_start_of_a_name():
    for sku in ("m3.xlarge", "m3.2xlarge", "c3.large"):
        PriceFactory(sku=sku)

    assert [sku for sku, _ in found("instance_type=m3.xlarge&instance_type=c3.large")] == ["c3.large", "m3.xlarge"]
    assert found("instance_type=m3.") == []
    assert [sku for sku, _ in found("q=M3.")] == ["m3.2xlarge", "m3.xlarge"]
    assert found("q=%25") == []
