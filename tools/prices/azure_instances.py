"""Reads Azure's types in the Go module ec2-instances-info: hardware, and reserved and savings-plan prices by region.

`go mod download -json github.com/cristim/ec2-instances-info@VERSION` says where the module's archive is.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.sources.snapshot import Hardware

_MEMBER = "/data/azure-instances.json"
_DAY = re.compile(r"v0\.0\.0-(\d{4})(\d{2})(\d{2})\d{6}-[0-9a-f]{12}")
# hourly, the payment of the whole term included: other ways to pay cost the same
_MODELS = {
    PricingModel.RESERVED_1Y: "yrTerm1Standard.allUpfront",
    PricingModel.RESERVED_3Y: "yrTerm3Standard.allUpfront",
    PricingModel.SAVINGS_1Y: "yrTerm1Savings.allUpfront",
    PricingModel.SAVINGS_3Y: "yrTerm3Savings.allUpfront",
}
# The module has the words in another order; where they are not just joined:
_REGIONS = {
    "asia-pacific-east": "eastasia",
    "asia-pacific-southeast": "southeastasia",
    "central-india": "centralindia",
    "europe-north": "northeurope",
    "europe-west": "westeurope",
    "united-kingdom-south": "uksouth",
    "united-kingdom-west": "ukwest",
    "us-central": "centralus",
    "us-east": "eastus",
    "us-east-2": "eastus2",
    "us-north-central": "northcentralus",
    "us-south-central": "southcentralus",
    "us-west": "westus",
    "us-west-2": "westus2",
    "us-west-3": "westus3",
    "us-west-central": "westcentralus",
}
_MIB_OF_GIB = 1024
_ARM = re.compile(r"[A-Z]+\d+[a-oq-z]*p")
_SIZE = re.compile(r"[A-Z]+\d+[a-z]* v\d")


def is_module(path: Path) -> bool:
    return path.suffix == ".zip"


def read_prices(module: Path) -> Iterator[DatedPrice]:
    """Linux; on demand and spot prices come from other sources."""
    day = day_of(module)
    source = f"ec2-instances-info of {day}, Azure"
    for item in _types(module):
        for region, prices in item["pricing"].items():
            reserved = prices.get("linux", {}).get("reserved") or {}
            for model, term in _MODELS.items():
                usd = Decimal(str(reserved.get(term) or 0))
                if usd > 0:
                    yield DatedPrice("azure", region_of(region), _name(item), Unit.HOUR, model, usd, day, source)


def read_hardware(module: Path) -> Iterator[Hardware]:
    """The temporary disk and the local NVMe disks are both in the price; of newer types the module knows no disks."""
    source = f"ec2-instances-info of {day_of(module)}, Azure"
    for item in _types(module):
        local, nvme = _local_gib(item)
        yield Hardware(
            provider="azure",
            name=_name(item),
            vcpus=int(item["vcpu"]),
            memory_gib=float(item["memory"]),
            local_disk_gib=local,
            source=source,
            local_disk_count=0 if local == 0 else None,  # of others the sizes are known, not how many
            local_disk_kind="nvme" if nvme else "temporary-disk" if local else None,
            arch=_arch(item),
        )


def region_of(words: str) -> str:
    return _REGIONS.get(words) or words.replace("-", "")


def day_of(module: Path) -> date:
    """The day in the version of the module, which names its archive."""
    if not (version := _DAY.match(module.name)):
        raise ValueError(f"{module.name} is not named by a version of the module")
    return date(*map(int, version.groups()))


def _arch(item: Mapping[str, Any]) -> str:
    if "arch" in item:
        return "arm64" if item["arch"] == ["Arm64"] else "x86_64"
    # learn.microsoft.com/azure/virtual-machines/vm-naming-conventions: p for ARM
    return "arm64" if _ARM.match(item["pretty_name_azure"]) else "x86_64"


def _local_gib(item: Mapping[str, Any]) -> tuple[float | None, float]:
    """All local disks together, and those of NVMe."""
    if "storage" not in item:
        return None, 0
    nvme = float(item["storage"]["nvme_ssd"] or 0) / _MIB_OF_GIB
    return round(float(item["size"]) + nvme, 1), nvme


def _name(item: Mapping[str, Any]) -> str:
    """ "Standard D2s v5" and "D2s v6" as the API calls them."""
    name: str = item["pretty_name_azure"].removeprefix("Standard ").replace(" ", "_")
    return f"Standard_{name}"


@lru_cache(1)
def _types(module: Path) -> list[dict[str, Any]]:
    """Those with the full name of a size. Without "Standard" also names of offers and of parts of sizes are there."""
    with ZipFile(module) as members:
        [member] = [name for name in members.namelist() if name.endswith(_MEMBER)]
        items: list[dict[str, Any]] = json.loads(members.read(member), parse_float=Decimal)
    return [item for item in items if _is_size(item["pretty_name_azure"], has_disks="storage" in item)]


def _is_size(name: str, *, has_disks: bool) -> bool:
    return name.startswith("Standard ") if has_disks else _SIZE.fullmatch(name) is not None
