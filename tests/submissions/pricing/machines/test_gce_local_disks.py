"""The local SSD in the price of a GCE machine type."""

from collections import defaultdict
from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.book.quotes import PriceBook
from submissions.pricing.cost import system_cost
from submissions.pricing.groups import GroupSpec, Place, price_group
from submissions.pricing.machines.gce_local_disks import NO_DISKS, included_disks
from submissions.pricing.sources import snapshot
from submissions.pricing.storage import DiskSpec

REGION = "us-central1"
DAY = date(2026, 7, 25)


@pytest.fixture(scope="module")
def shipped():
    """The prices of a region in the files of the release."""
    return [price for price in snapshot.read_prices() if (price.provider, price.region) == ("gce", REGION)]


@pytest.mark.parametrize(
    ("instance_type", "count", "size_gib", "usd_h"),
    [
        ("c3-standard-8-lssd", 2, 375, "0.4854"),
        ("c4-standard-8-lssd", 1, 375, "0.4775"),
        ("z3-highmem-8-highlssd", 1, 3000, "1.1519"),
    ],
)
@pytest.mark.parametrize("kind", ["nvme", "local-ssd"])
def test_a_machine_with_local_ssd_costs_what_the_list_says(shipped, instance_type, count, size_gib, usd_h, kind):
    disk = DiskSpec(kind, count, Decimal(size_gib), None, None)
    spec = GroupSpec("database", 1, instance_type, (disk,), "on_demand")

    cost = system_cost([price_group(spec, place=Place("gce", REGION, DAY), book=PriceBook(shipped))])

    assert round(cost.hourly_usd, 4) == Decimal(usd_h)


def test_on_each_type_of_a_family_the_price_list_adds_as_much_for_a_gibibyte(shipped):
    """So the sizes here, which are the documentation's, are what the list charges for."""
    by_day = sorted(shipped, key=lambda price: price.valid_from)
    usd = {price.sku: price.usd for price in by_day if price.pricing_model == "on_demand" and price.unit == "hour"}
    added = defaultdict(set)
    for name in usd:
        plain = name.removesuffix("-lssd")
        if plain != name and plain in usd:
            added[name.split("-")[0]].add(round((usd[name] - usd[plain]) / included_disks(name).gib * 730, 3))

    assert added == {
        "c3": {Decimal("0.080")},
        "c3d": {Decimal("0.080")},
        "c4": {Decimal("0.160")},
        "c4a": {Decimal("0.120")},
        "c4d": {Decimal("0.160")},
    }


@pytest.mark.parametrize("name", ["n1-standard-8", "e2-medium", "c3-standard-8", "c4n-standard-8", "n2-custom-4-8192"])
def test_other_types_come_without(name):
    assert included_disks(name) == NO_DISKS


@pytest.mark.parametrize("name", ["c9-standard-8-lssd", "z3-highmem-12-highlssd", "a3-highgpu-8g", "a2-ultragpu-1g"])
def test_what_nobody_has_looked_up_is_unknown(name):
    assert included_disks(name) is None
