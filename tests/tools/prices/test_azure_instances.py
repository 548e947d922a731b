"""Azure's types in the archive of a Go module."""

import json
from datetime import date
from decimal import Decimal
from zipfile import ZipFile

import pytest

from tools.prices.azure_instances import read_hardware, read_prices, region_of

VERSION = "v0.0.0-20250528091325-32acf84f42eb"
# as the module has them
D2DS_V5 = {
    "pretty_name_azure": "Standard D2ds v5",
    "vcpu": 2,
    "memory": 8.0,
    "arch": ["x64"],
    "size": 75,
    "storage": {"nvme_ssd": False},
    "pricing": {
        "us-east": {
            "linux": {
                "ondemand": 0.113,
                "reserved": {"yrTerm1Standard.allUpfront": 0.06664, "yrTerm3Savings.allUpfront": 0.05198},
            }
        }
    },
}
L8S_V3 = {
    **D2DS_V5,
    "pretty_name_azure": "Standard L8s v3",
    "size": 80,
    "storage": {"nvme_ssd": "1831054"},
    "pricing": {},
}
D16PS_V6 = {"pretty_name_azure": "D16ps v6", "vcpu": 16, "memory": 64.0, "pricing": {}}
PART_OF_A_SIZE = {"pretty_name_azure": "D2s", "vcpu": 2, "memory": 7.0, "pricing": {}}


@pytest.fixture
def module(tmp_path):
    path = tmp_path / f"{VERSION}.zip"
    with ZipFile(path, "w") as members:
        types = json.dumps([D2DS_V5, L8S_V3, D16PS_V6, PART_OF_A_SIZE])
        members.writestr(f"github.com/cristim/ec2-instances-info@{VERSION}/data/azure-instances.json", types)
    return path


def test_reserved_and_savings_prices_have_the_day_of_the_module(module):
    prices = list(read_prices(module))

    assert [(price.region, price.sku, price.pricing_model, price.usd) for price in prices] == [
        ("eastus", "Standard_D2ds_v5", "reserved_1y", Decimal("0.06664")),
        ("eastus", "Standard_D2ds_v5", "savings_3y", Decimal("0.05198")),
    ]
    assert {price.valid_from for price in prices} == {date(2025, 5, 28)}


def test_the_temporary_disk_and_local_nvme_are_the_local_disks_of_a_type(module):
    types = {item.name: item for item in read_hardware(module)}

    assert set(types) == {"Standard_D2ds_v5", "Standard_L8s_v3", "Standard_D16ps_v6"}
    assert types["Standard_D2ds_v5"].local_disk_gib == 75
    assert types["Standard_L8s_v3"].local_disk_gib == 1868.1
    newer = types["Standard_D16ps_v6"]
    assert (newer.vcpus, newer.memory_gib, newer.arch, newer.local_disk_gib) == (16, 64.0, "arm64", None)


@pytest.mark.parametrize(
    ("words", "region"),
    [("us-east-2", "eastus2"), ("europe-west", "westeurope"), ("germany-west-central", "germanywestcentral")],
)
def test_regions_have_the_names_of_the_api(words, region):
    assert region_of(words) == region
