"""What a cluster costs: as frozen when it was stored, or at the prices of another day and pricing model."""

import json
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from submissions.choices import PricingModel
from submissions.models import NodeGroup, Submission
from submissions.pricing.book import book as price_book
from submissions.pricing.book.quotes import PriceBook, PriceKey, Unit
from submissions.pricing.cost import BilledItem, Group, Rate, SystemCost, exact, system_cost
from submissions.pricing.discounts import Discount
from submissions.pricing.groups import (
    NO_MEASUREMENT_DATE,
    GroupSpec,
    Place,
    keys_of,
    price_group,
)
from submissions.pricing.providers import billing_of
from submissions.pricing.storage import DiskSpec, Need, disk_needs
from submissions.pricing.terms import PriceTerms

UNDATED = f"No price: {NO_MEASUREMENT_DATE}."
_AS_BOUGHT = PriceTerms()
_STATED_ONLY = "no price of {} ({}): its only price was stated by the uploader"


class StoredGroup(Protocol):
    """The columns of a node group that its frozen price consists of."""

    role: str
    count: int
    instance_type: str
    pricing_model: str
    node_hourly_usd: Decimal | None
    storage_hourly_usd: Decimal | None
    is_price_stated: bool
    price_source: str | None
    price_date: date | None
    price_last_seen: date | None
    disks: list[dict[str, Any]]


class BoughtGroup(NamedTuple):
    """What a node group's price depends on; equal groups are equal keys, and priced once."""

    role: str
    count: int  # type: ignore[assignment]  # hides the method of tuples, which nobody needs here
    instance_type: str
    disks: str  # JSON, as text: rows of a workload share few of them, each of which is read once
    pricing_model: str
    node_hourly_usd: Decimal | None = None  # only where it counts: as stated, without a list price
    is_price_stated: bool = False


class Cluster(NamedTuple):
    """Node groups in one place; `measured_on` None: the measurement date is unknown."""

    provider: str
    region: str | None
    measured_on: date | None
    groups: tuple[BoughtGroup, ...]


def costs_at(clusters: Sequence[Cluster], terms: PriceTerms) -> list[SystemCost]:
    """What each cluster would cost at `terms`; one query for all prices."""
    places = {cluster._replace(measured_on=None) for cluster in clusters}
    book = price_book.load({key for place in places for key in price_keys(place)})
    return [cost_at(cluster, terms, book) for cluster in clusters]


def cost_at(cluster: Cluster, terms: PriceTerms, book: PriceBook) -> SystemCost:
    """What the cluster would cost at `terms`, by a book that holds its `price_keys`.

    A price that the submitter stated is not in the book and gives way to it; where the provider has no list
    price it stays, marked as stated, but only as the price on demand of what was bought on demand.
    """
    on = terms.day or cluster.measured_on
    if on is None:
        return SystemCost((), None, UNDATED)
    place = Place(cluster.provider, cluster.region, on, terms.discount_of(cluster.provider))
    specs = (_spec(group, cluster.provider, terms) for group in cluster.groups)
    return system_cost(price_group(spec, place=place, book=book) for spec in specs)


def price_keys(cluster: Cluster) -> set[PriceKey]:
    """What a book must hold to price the cluster at any terms."""
    return {
        key
        for group in cluster.groups
        for key in keys_of(_spec(group, cluster.provider, _AS_BOUGHT), provider=cluster.provider, region=cluster.region)
    }


def frozen_cost(
    groups: Iterable[StoredGroup], measured_on: date | None, discount: Discount | None = None
) -> SystemCost:
    """The cost as it was when the submission was stored, line by line; less the discount of its cloud."""
    return system_cost(_frozen_group(group, measured_on, discount) for group in groups)


def measured_on(submission: Submission) -> date | None:
    return submission.measured_at.date() if submission.measured_at else None


def cluster_of(submission: Submission, groups: Iterable[NodeGroup]) -> Cluster:
    bought = tuple(
        BoughtGroup(
            role=group.role,
            count=group.count,
            instance_type=group.instance_type,
            disks=json.dumps(group.disks),
            pricing_model=group.pricing_model,
            node_hourly_usd=group.node_hourly_usd,
            is_price_stated=group.is_price_stated,
        )
        for group in groups
    )
    return Cluster(submission.provider, submission.region, measured_on(submission), bought)


def _spec(group: BoughtGroup, provider: str, terms: PriceTerms) -> GroupSpec:
    has_stated_price = group.is_price_stated and not billing_of(provider).has_list_prices
    return GroupSpec(
        role=group.role,
        count=group.count,
        instance_type=group.instance_type,
        disks=_disks(group.disks),
        pricing_model=terms.basis or PricingModel(group.pricing_model),
        stated_hourly_usd=group.node_hourly_usd if has_stated_price else None,
        why_unpriced=_STATED_ONLY.format(group.instance_type, terms.basis_label)
        if has_stated_price and not terms.takes_stated(group.pricing_model)
        else "",
    )


@lru_cache(maxsize=1000)
def _disks(text: str) -> tuple[DiskSpec, ...]:
    return tuple(
        DiskSpec(
            kind=disk["kind"],
            count=disk.get("count", 1),
            size_gib=None if disk.get("size_gib") is None else exact(disk["size_gib"]),
            iops=disk.get("iops"),
            throughput_mibps=disk.get("throughput_mibps"),
        )
        for disk in json.loads(text)
    )


def list_part(group: StoredGroup, provider: str) -> Decimal:
    """USD an hour that the group pays at list prices: neither spot nor stated, and as far as they are known."""
    node = group.node_hourly_usd if _is_node_at_list(group) else None
    storage = group.storage_hourly_usd if _is_storage_at_list(group, provider) else None
    return group.count * ((node or Decimal(0)) + (storage or Decimal(0)))


def _is_node_at_list(group: StoredGroup) -> bool:
    return not group.is_price_stated and group.pricing_model != PricingModel.SPOT


def _is_storage_at_list(group: StoredGroup, provider: str) -> bool:
    """The disks of a group are stored as one sum, which has no discount where one of them has a spot price."""
    if group.is_price_stated or group.pricing_model != PricingModel.SPOT:
        return not group.is_price_stated
    needs = disk_needs(provider, group.instance_type, _disks(json.dumps(group.disks)))
    return not any(isinstance(need, Need) and need.is_cheaper_on_spot for need in needs)


def _frozen_group(group: StoredGroup, measured_on: date | None, discount: Discount | None) -> Group:
    def rate(usd: Decimal | None, what: str, *, is_at_list: bool) -> Rate:
        missing = "" if usd is not None else f"the price of {what} was unknown when the submission was stored"
        return Rate(
            discount.of(usd) if discount and usd is not None and is_at_list else usd,
            group.price_date,
            group.price_source,
            group.is_price_stated,
            missing,
            last_seen=group.price_last_seen,
            used_on=measured_on,
        )

    of_node = rate(group.node_hourly_usd, group.instance_type, is_at_list=_is_node_at_list(group))
    node = BilledItem(group.instance_type, Decimal(1), Unit.HOUR, of_node)
    if group.storage_hourly_usd == 0:
        return Group(group.role, group.count, node)
    storage_name = f"storage of {group.instance_type}"
    is_at_list = discount is not None and _is_storage_at_list(group, discount.provider)
    of_storage = rate(group.storage_hourly_usd, f"the {storage_name}", is_at_list=is_at_list)
    return Group(group.role, group.count, node, (BilledItem(storage_name, Decimal(1), Unit.HOUR, of_storage),))
