"""A group of nodes, priced from the book."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, PriceBook
from submissions.pricing.cost import billed_seconds, system_cost
from submissions.pricing.groups import GroupSpec, Place, price_group
from submissions.pricing.storage import DiskSpec

DAY = date(2026, 8, 1)


def cost(provider, region, sku, *disks):
    book = PriceBook(
        [DatedPrice(provider, region, sku, "hour", "on_demand", Decimal("0.1"), date(2026, 6, 18), "a list")]
    )
    spec = GroupSpec("database", 3, sku, disks, PricingModel.ON_DEMAND)
    return system_cost([price_group(spec, place=Place(provider, region, DAY), book=book)])


@pytest.mark.parametrize(
    ("kind", "sku"),
    [
        ("premium-ssd", "premium-ssd-p10"),
        ("premium-ssd-v2", "premium-ssd-v2"),
        ("standard-ssd", "standard-ssd-e10"),
        ("standard-hdd", "standard-hdd-s10"),
        ("ultra-disk", "ultra-disk"),
    ],
)
def test_a_managed_disk_of_azure_without_a_price_is_named(kind, sku):
    priced = cost("azure", "eastus", "Standard_D2s_v5", DiskSpec(kind, 1, Decimal(128), None, None))

    assert priced.hourly_usd is None
    assert priced.missing == f"No price of {sku} (on demand) in Azure eastus is known."


def test_a_machine_of_azure_with_its_temporary_disk_costs_what_the_machine_costs():
    priced = cost("azure", "eastus", "Standard_D2ds_v5", DiskSpec("temporary-disk", 1, Decimal(75), None, None))

    assert priced.hourly_usd == Decimal("0.3")


def test_a_hyperdisk_balanced_without_a_price_is_named():
    disk = DiskSpec("hyperdisk-balanced", 1, Decimal(64), 1000, 50)

    assert cost("gce", "us-central1", "c4-standard-4", disk).missing == (
        "No price of hyperdisk-balanced (on demand) in Google Cloud us-central1 is known."
    )


def test_azure_bills_by_the_second_without_a_minimum():
    assert billed_seconds(Decimal("12.3"), provider="azure", launched_on=DAY) == 13
