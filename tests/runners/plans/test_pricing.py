"""What the machines of a plan are billed for."""

from datetime import date
from decimal import Decimal

import pytest

from runners.plan_schema.run_plan import RunPlan
from runners.plans.pricing import groups_of, hourly_usd_by_role
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
