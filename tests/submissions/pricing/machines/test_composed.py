"""Types that are priced by vCPU and GiB are found under their name."""

from datetime import date
from decimal import Decimal

import pytest

from tests.factories import PriceFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

URL = "/prices/"
DAY = date(2026, 7, 22)


@pytest.fixture
def rates():
    for region in ("us-central1", "europe-west3"):
        for sku, usd in (("n2-vcpu", "0.02"), ("n2-memory-gib", "0.003")):
            for model in ("on_demand", "reserved_1y"):
                PriceFactory(
                    provider="gce", region=region, sku=sku, usd=Decimal(usd), pricing_model=model, valid_from=DAY
                )
    PriceFactory(provider="gce", region="us-west1", sku="n2-vcpu", usd=Decimal("0.02"), valid_from=DAY)


def lines(client, **query):
    page = client.get(URL, {"at": "2026-08-01", **query})
    assert faults(page) == []
    return [(line.region, line.prices) for line in page.context["composed"]], text(page)


def test_a_type_is_found_under_its_name_with_the_sum_of_its_parts(client, rates):
    found, words = lines(client, q="n2-standard-8")

    # 8 x 0.02 + 32 x 0.003; half a machine (us-west1) has no price
    prices = (Decimal("0.256"), None, Decimal("0.256"), None)
    assert found == [("europe-west3", prices), ("us-central1", prices)]
    assert "n2-standard-8 is 8× n2-vcpu + 32× n2-memory-gib." in words


@pytest.mark.parametrize("query", [{"instance_type": "n2-standard-8"}, {"q": "N2-STANDARD-8", "provider": "gce"}])
def test_the_exact_name_finds_it_too_and_a_region_narrows(client, rates, query):
    found, _ = lines(client, region="us-central1", **query)

    assert [region for region, _ in found] == ["us-central1"]


@pytest.mark.parametrize("query", [{"q": "n2-"}, {"q": "m5.large"}, {}, {"q": "n2-standard-8", "at": "2026-07-21"}])
def test_other_searches_compose_nothing(client, rates, query):
    assert lines(client, **query)[0] == []
