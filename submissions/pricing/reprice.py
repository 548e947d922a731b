"""Prices stored node groups: as frozen when they were stored, or again at any date and basis."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from submissions.choices import PricingModel
from submissions.pricing.cost import Group, Part, Rate, SystemCost, exact, system_cost
from submissions.pricing.groups import (
    WITHOUT_LIST_PRICES,
    GroupSpec,
    Place,
    keys_of,
    price_group,
)
from submissions.pricing.quotes import PriceBook, PriceKey, Unit
from submissions.pricing.storage import DiskSpec


class StoredGroup(Protocol):
    """The columns of a stored node group that prices depend on."""

    role: str
    count: int
    instance_type: str
    disks: list[dict[str, Any]]
    pricing_model: str
    node_hourly_usd: Decimal | None
    storage_hourly_usd: Decimal | None
    is_price_stated: bool
    price_source: str | None
    price_date: date | None


def reprice(
    groups: Iterable[StoredGroup],
    *,
    provider: str,
    region: str | None,
    on: date,
    basis: PricingModel | None,
    book: PriceBook,
) -> SystemCost:
    """What the system would cost at the prices of `on`; `basis` None keeps each group's own.

    A price that the submitter stated is not of the book and gives way to it; where the provider
    has no list price it stays, marked as stated.
    """
    place = Place(provider, region, on)
    return system_cost(price_group(_spec(group, provider, basis), place=place, book=book) for group in groups)


def frozen_cost(groups: Iterable[StoredGroup]) -> SystemCost:
    """The cost as it was when the submission was stored, line by line."""
    return system_cost(_frozen_group(group) for group in groups)


def stored_keys(groups: Iterable[StoredGroup], *, provider: str, region: str | None) -> set[PriceKey]:
    """What a book must hold to reprice the groups; unite them to reprice a page at once."""
    return {key for group in groups for key in keys_of(_spec(group, provider, None), provider=provider, region=region)}


def _spec(group: StoredGroup, provider: str, basis: PricingModel | None) -> GroupSpec:
    keeps_stated = group.is_price_stated and provider in WITHOUT_LIST_PRICES
    return GroupSpec(
        role=group.role,
        count=group.count,
        instance_type=group.instance_type,
        disks=tuple(_disk(disk) for disk in group.disks),
        pricing_model=basis or PricingModel(group.pricing_model),
        stated_hourly_usd=group.node_hourly_usd if keeps_stated else None,
    )


def _disk(disk: Mapping[str, Any]) -> DiskSpec:
    size = disk.get("size_gib")
    return DiskSpec(
        kind=disk["kind"],
        count=disk.get("count", 1),
        size_gib=None if size is None else exact(size),
        iops=disk.get("iops"),
        throughput_mibps=disk.get("throughput_mibps"),
    )


def _frozen_group(group: StoredGroup) -> Group:
    def rate(usd: Decimal | None, what: str) -> Rate:
        missing = "" if usd is not None else f"the price of {what} was unknown when it was stored"
        return Rate(usd, group.price_date, group.price_source, group.is_price_stated, missing)

    node = Part(
        group.instance_type,
        Decimal(1),
        Unit.HOUR,
        rate(group.node_hourly_usd, group.instance_type),
    )
    if group.storage_hourly_usd == 0:
        return Group(group.role, group.count, node)
    storage = Part(
        f"storage of {group.instance_type}",
        Decimal(1),
        Unit.HOUR,
        rate(group.storage_hourly_usd, f"the storage of {group.instance_type}"),
    )
    return Group(group.role, group.count, node, (storage,))
