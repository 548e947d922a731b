"""What a machine type costs: as a result on it is priced, by region, and over time."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import PricingModel
from submissions.machines.catalogue import MachineKey
from submissions.machines.chart import price_figure
from submissions.machines.prices import prices_of, rates_in
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 27)
N2, M5 = MachineKey("gce", "n2-standard-8"), MachineKey("aws", "m5.large")
IOWA = {"provider": "gce", "region": "us-central1"}


def price(usd, since, **fields):
    return PriceFactory(usd=Decimal(usd), valid_from=date.fromisoformat(since), **fields)


def points(prices, model=PricingModel.ON_DEMAND):
    return [(str(point.day), point.usd and str(point.usd.normalize())) for point in prices.history.get(model, ())]


def test_a_type_that_is_billed_by_its_parts_costs_what_they_do_and_changes_with_each():
    price("0.03", "2026-01-01", **IOWA, sku="n2-vcpu")
    price("0.004", "2026-01-01", **IOWA, sku="n2-memory-gib")
    price("0.005", "2026-06-01", **IOWA, sku="n2-memory-gib")
    found = prices_of(N2, "", DAY)

    assert points(found) == [("2026-01-01", "0.368"), ("2026-06-01", "0.4")]  # 8 x 0.03 + 32 x 0.004, 32 x 0.005
    assert found.here.monthly_usd == Decimal("292.000")
    assert [sku for sku, _ in found.parts] == ["n2-vcpu", "n2-memory-gib"]


def test_half_a_machine_has_no_price():
    price("0.03", "2026-01-01", **IOWA, sku="n2-vcpu")

    assert prices_of(N2, "", DAY).regions == ()


def test_a_spot_price_ends_31_days_after_it_was_last_seen():
    spot = {"region": "us-east-1", "sku": "m5.large", "pricing_model": "spot"}
    price("0.02", "2026-01-01", **spot, last_seen=date(2026, 1, 10))
    price("0.03", "2026-11-20", **spot)
    found = prices_of(M5, "", DAY)

    assert points(found, PricingModel.SPOT) == [("2026-01-01", "0.02"), ("2026-02-11", None), ("2026-11-20", "0.03")]
    assert found.here.rates[PricingModel.SPOT].usd == Decimal("0.03")


def test_the_same_price_again_is_no_change_and_a_price_of_tomorrow_is_none():
    for since, usd in (("2025-01-01", "0.1"), ("2026-01-01", "0.1"), ("2027-01-01", "0.2")):
        price(usd, since, region="us-east-1", sku="m5.large")

    assert points(prices_of(M5, "", DAY)) == [("2025-01-01", "0.1")]


def test_without_a_region_it_is_the_reference_region_else_the_cheapest():
    price("0.1", "2025-01-01", region="eu-west-1", sku="m5.large")
    price("0.09", "2025-01-01", region="eu-north-1", sku="m5.large")
    assert prices_of(M5, "", DAY).region == "eu-north-1"

    price("0.12", "2025-01-01", region="us-east-1", sku="m5.large")
    assert prices_of(M5, "", DAY).region == "us-east-1"
    assert prices_of(M5, "eu-west-1", DAY).here.on_demand.usd == Decimal("0.1")


def test_the_prices_of_a_list_are_those_of_each_page():
    price("0.03", "2026-01-01", **IOWA, sku="n2-vcpu")
    price("0.004", "2026-01-01", **IOWA, sku="n2-memory-gib")
    price("0.1", "2025-01-01", region="us-east-1", sku="m5.large")
    regions = {"gce": "us-central1", "aws": "us-east-1"}

    rates = rates_in([N2, M5], regions, PricingModel.ON_DEMAND, DAY)

    assert {key: rate.usd for key, rate in rates.items()} == {N2: Decimal("0.368"), M5: Decimal("0.1")}


def test_the_chart_holds_each_price_until_the_next_one_and_the_last_until_today():
    price("0.1", "2025-01-01", region="us-east-1", sku="m5.large")
    price("0.09", "2026-01-01", region="us-east-1", sku="m5.large")
    [line] = price_figure(prices_of(M5, "", DAY), DAY)["data"]

    assert line["x"] == ["2025-01-01", "2026-01-01", "2026-11-27"]
    assert line["y"] == [0.1, 0.09, 0.09]
    assert line["line"]["shape"] == "hv"
