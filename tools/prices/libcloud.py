"""Reads the price tables of apache-libcloud's releases: the raw material of the shipped snapshot.

A table has 0.0 for an unknown price. `updated` is the day on which the file was scraped.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, PriceBook, Unit
from tools.prices.tenancy import shared_tenancy

MEMBER = "libcloud/data/pricing.json"
# Releases before 0.20.1 were edited by hand without a new date, or were read from an address that AWS
# no longer updated.
FIRST_RELIABLE = date(2015, 12, 2)
# Since then the scraper of EC2 confuses shared and dedicated tenancy: see tenancy.py.
LAST_WITH_ONE_TENANCY = date(2022, 3, 24)
# GCE's disks are listed per hour of a month of 30 days
GCE_DISK_HOURS = 720

# ec2_ap_northeast is excluded: Tokyo and Seoul were written into the same table
_EC2_TABLES = {
    "ec2_us_east": "us-east-1",
    "ec2_us_east_ohio": "us-east-2",
    "ec2_us_west": "us-west-1",
    "ec2_us_west_oregon": "us-west-2",
    "ec2_us_govwest": "us-gov-west-1",
    "ec2_ca_central_1": "ca-central-1",
    "ec2_eu_west": "eu-west-1",
    "ec2_eu_west_london": "eu-west-2",
    "ec2_eu_west_3": "eu-west-3",
    "ec2_eu_central": "eu-central-1",
    "ec2_ap_south_1": "ap-south-1",
    "ec2_ap_southeast": "ap-southeast-1",
    "ec2_ap_southeast_2": "ap-southeast-2",
    "ec2_sa_east": "sa-east-1",
}
# each continent had one price, and these were its first regions
_GOOGLE_TABLES = {
    "google_us": "us-central1",
    "google_europe": "europe-west1",
    "google_asia": "asia-east1",
}
_GCE_FAMILIES = {
    "n1": "n1",
    "n2": "n2",
    "n2_custom": "n2-custom",
    "n2d": "n2d",
    "e2": "e2",
    "c2": "c2",
    "m1": "m1",
}
# The scraper looks for parts of descriptions, so "custom instance core" of N1 also matched
# those of other families, and theirs in N1's: these tables are only read to find such SKUs.
_GCE_MIXED_UP = ("n1_custom", "n2d_custom")
_GCE_SHARED_CORE = {"f1": "f1-micro", "g1": "g1-small"}
_GCE_DISKS = {"Standard": "pd-standard", "SSD": "pd-ssd", "Local SSD": "local-ssd"}
_GCE_MODELS = {
    "on_demand": PricingModel.ON_DEMAND,
    "preemptible": PricingModel.SPOT,
    "1yr_commitment": PricingModel.RESERVED_1Y,
    "3yr_commitment": PricingModel.RESERVED_3Y,
}


@dataclass(frozen=True, slots=True)
class Release:
    """One pricing.json; `version` is the release that it came with."""

    version: str
    updated: date
    compute: Mapping[str, Any]

    @property
    def source(self) -> str:
        return f"apache-libcloud {self.version} pricing.json of {self.updated}"


def read_release(wheel: Path) -> Release:
    """The prices in a wheel of apache-libcloud."""
    with ZipFile(wheel) as members:
        return release_of(members.read(MEMBER), wheel.name.split("-")[1])


def release_of(text: bytes, version: str) -> Release:
    content = json.loads(text, parse_float=Decimal)
    updated = datetime.fromtimestamp(content["updated"], UTC).date()
    return Release(version, updated, content["compute"])


def history_of(releases: Iterable[Release], vcpus: Mapping[str, int]) -> list[DatedPrice]:
    """The changes of prices from release to release, oldest first; a release that repeats a price confirms it."""
    book = PriceBook()
    changes: dict[tuple[str, ...], list[DatedPrice]] = {}
    for release in sorted(releases, key=lambda release: (release.updated, release.version)):
        for price in list(prices_of(release, vcpus, book)):
            history = changes.setdefault(price.series, [])
            if history and history[-1].usd == price.usd:
                history[-1] = replace(history[-1], last_seen=price.valid_from)
            else:
                book.add(price)
                history.append(price)
    return sorted((price for history in changes.values() for price in history), key=lambda price: price.valid_from)


def prices_of(release: Release, vcpus: Mapping[str, int], earlier: PriceBook) -> Iterator[DatedPrice]:
    """Every usable price of a release.

    `vcpus` (by EC2 instance type) and the prices known from `earlier` releases distinguish
    the tenancies of EC2.
    """
    if release.updated < FIRST_RELIABLE:
        return
    # a later file still has the tables of the earlier format, as they were then
    if "ec2_linux" in release.compute:
        yield from _ec2_linux(release, vcpus, earlier)
    else:
        for table, region in _EC2_TABLES.items():
            yield from _by_type(release, table, "aws", region)
    if "gce_instances" in release.compute:
        yield from _gce_rates(release)
        yield from _gce_disks(release)
    else:
        for table, region in _GOOGLE_TABLES.items():
            yield from _by_type(release, table, "gce", region)


def _ec2_linux(release: Release, vcpus: Mapping[str, int], earlier: PriceBook) -> Iterator[DatedPrice]:
    tables = {
        name: {
            (instance_type, region): usd
            for instance_type, regions in release.compute.get(name, {}).items()
            for region, price in regions.items()
            if (usd := _usd(price)) is not None
        }
        for name in ("ec2_linux", "ec2_rhel", "ec2_rhel_ha")
    }
    linux = tables.pop("ec2_linux")
    if release.updated > LAST_WITH_ONE_TENANCY:
        linux = shared_tenancy(linux, list(tables.values()), earlier=_ec2_before(release, linux, earlier), vcpus=vcpus)
    for (instance_type, region), usd in sorted(linux.items()):
        yield _price(release, "aws", region, instance_type, usd)


def _ec2_before(release: Release, keys: Iterable[tuple[str, str]], book: PriceBook) -> dict[tuple[str, str], Decimal]:
    quotes = {
        (instance_type, region): book.quote(
            provider="aws",
            region=region,
            sku=instance_type,
            unit=Unit.HOUR,
            pricing_model=PricingModel.ON_DEMAND,
            on=release.updated,
        )
        for instance_type, region in keys
    }
    return {key: quote.usd for key, quote in quotes.items() if quote}


def _by_type(release: Release, table: str, provider: str, region: str) -> Iterator[DatedPrice]:
    for instance_type, price in sorted(release.compute.get(table, {}).items()):
        if (usd := _usd(price)) is not None:
            yield _price(release, provider, region, instance_type, usd)


def _gce_rates(release: Release) -> Iterator[DatedPrice]:
    instances = release.compute["gce_instances"]
    uses = _sku_uses(instances)
    for table, name in _GCE_SHARED_CORE.items():
        for model, region, entry in _entries(instances[table]["cpu"]):
            yield from _gce_price(release, region, name, entry, model)
    for table, family in _GCE_FAMILIES.items():
        for part, suffix in (("cpu", "vcpu"), ("ram", "memory-gib")):
            for model, region, entry in _entries(instances[table][part]):
                # an SKU under two families belongs to one of them, and the file does not say which
                if uses[entry["sku"]] == 1:
                    yield from _gce_price(release, region, f"{family}-{suffix}", entry, model)


def _sku_uses(instances: Mapping[str, Any]) -> Counter[str]:
    return Counter(
        sku
        for table in (*_GCE_FAMILIES, *_GCE_MIXED_UP)
        for part in ("cpu", "ram")
        for sku in {entry["sku"] for _, _, entry in _entries(instances[table][part])}
    )


def _gce_disks(release: Release) -> Iterator[DatedPrice]:
    for table, sku in _GCE_DISKS.items():
        for model, region, entry in _entries(release.compute["gce_disks"][table]):
            if usd := _usd(entry["price"]):
                monthly = round(usd * GCE_DISK_HOURS, 6)
                yield _price(release, "gce", region, sku, monthly, model, Unit.GIB_MONTH)


def _gce_price(
    release: Release, region: str, sku: str, entry: Mapping[str, Any], model: PricingModel
) -> Iterator[DatedPrice]:
    if usd := _usd(entry["price"]):
        yield _price(release, "gce", region, sku, usd, model)


def _entries(part: Mapping[str, Any]) -> Iterator[tuple[PricingModel, str, Mapping[str, Any]]]:
    for name, model in _GCE_MODELS.items():
        for region, entry in sorted(part.get(name, {}).items()):
            yield model, region, entry


def _usd(price: Any) -> Decimal | None:
    """The price as a Decimal; None for 0.0, "n/a" and the like, which all mean "missing"."""
    try:
        usd = Decimal(str(price))
    except InvalidOperation:
        return None
    return usd if usd.is_finite() and usd > 0 else None


def _price(
    release: Release,
    provider: str,
    region: str,
    sku: str,
    usd: Decimal,
    model: PricingModel = PricingModel.ON_DEMAND,
    unit: Unit = Unit.HOUR,
) -> DatedPrice:
    return DatedPrice(provider, region, sku, unit, model, usd, release.updated, release.source)
