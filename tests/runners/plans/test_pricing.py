"""What the machines of a plan are billed for."""

from datetime import date
from decimal import Decimal

import pytest

from runners.creation import estimate_of
from runners.plan_schema.run_plan import RunPlan
from runners.plans.pricing import groups_of, hourly_usd_by_role, traffic_rate
from tests.factories import PriceFactory
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 22)


def plan(provider, instance_type, **changes):
    nodes = {"instance_type": instance_type, "count": 2}
    return RunPlan.model_validate({**PLAN, "provider": provider, "zones": [], "database": nodes, **changes})


def addresses(made):
    return [
        (group.role, part.quantity, part.unit, part.rate.usd)
        for group in groups_of(made, on=TODAY)
        for part in group.storage
        if part.label == "public IPv4 address"
    ]


@pytest.mark.parametrize(
    ("provider", "pricing_model", "usd"),
    [("aws", "on_demand", "0.005"), ("aws", "spot", "0.005"), ("gce", "on_demand", "0.005"), ("gce", "spot", "0.0025")],
)
def test_each_machine_in_a_cloud_has_a_public_address_that_is_billed(provider, pricing_model, usd):
    made = plan(
        provider, "m5.large", pricing_model=pricing_model, workload={**PLAN["workload"], "replication_factor": 1}
    )

    assert addresses(made) == [("database", 1, "hour", Decimal(usd)), ("client", 1, "hour", Decimal(usd))]


def test_the_price_of_a_node_is_that_of_machine_disk_and_address(settings):
    for sku, unit, usd in (("m5.large", "hour", "0.096"), ("gp3", "gib_month", "0.08")):
        PriceFactory(sku=sku, unit=unit, usd=Decimal(usd), valid_from=date(2026, 1, 1))
    settings.AWS_ROOT_GIB = 73
    made = plan("aws", "m5.large", workload={**PLAN["workload"], "replication_factor": 1})

    assert hourly_usd_by_role(made, on=TODAY)["database"] == Decimal("0.096") + Decimal("0.008") + Decimal("0.005")


def in_three_zones(provider="aws", region="us-east-1", **changes):
    nodes = {"instance_type": "m5.large", "count": 3}
    zones = [f"{region}{letter}" for letter in "abc"]
    return plan(provider, "m5.large", **{"region": region, "database": nodes, "zones": zones, **changes})


def between_zones(provider="aws", region="us-east-1", **fields):
    usual = {"sku": "cross-zone", "unit": "gb", "usd": Decimal("0.01"), "valid_from": date(2026, 1, 1)}
    PriceFactory(provider=provider, region=region, **{**usual, **fields})


@pytest.mark.parametrize(
    ("provider", "region", "usd"),
    [("aws", "eu-west-1", "0.02"), ("aws", "ap-southeast-2", "0.02"), ("gce", "us-central1", "0.01")],
)
def test_three_zones_have_a_price_in_every_region_that_the_book_covers(provider, region, usd):
    between_zones(provider, region)

    assert traffic_rate(in_three_zones(provider, region), on=TODAY).usd == Decimal(usd)


def test_elsewhere_the_plan_may_state_the_rate(settings):
    settings.AWS_ROOT_GIB = 0
    PriceFactory(region="me-south-1", sku="m5.large", usd=Decimal("0.1"), valid_from=date(2026, 1, 1))
    PriceFactory(region="me-south-1", sku="gp3", unit="gib_month", usd=Decimal("0.1"), valid_from=date(2026, 1, 1))

    unknown = estimate_of(in_three_zones(region="me-south-1"), TODAY)
    stated = estimate_of(in_three_zones(region="me-south-1", traffic_usd_per_gb="0.03"), TODAY)

    assert unknown.worst.usd is None
    assert unknown.worst.missing == (
        "The price of traffic between zones in AWS me-south-1 on 2026-11-22 is unknown: state traffic_usd_per_gb."
    )
    [traffic] = [item for item in stated.worst.items if item.unit == "gb"]
    assert (traffic.unit_usd, traffic.is_stated) == (Decimal("0.03"), True)
    assert stated.worst.usd is not None


def test_a_price_of_traffic_that_was_last_seen_in_2011_says_so():
    for sku, unit in (("m5.large", "hour"), ("gp3", "gib_month")):
        PriceFactory(sku=sku, unit=unit, usd=Decimal("0.1"), valid_from=date(2026, 10, 1))
    between_zones(valid_from=date(2011, 11, 2))

    estimate = estimate_of(in_three_zones(), TODAY)

    assert (estimate.price_last_seen, estimate.price_confirmed) == (date(2011, 11, 2), "last confirmed 15 years ago")
