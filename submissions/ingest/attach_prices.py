"""Freezes the prices in force on the day a submission was measured."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from submissions.ingest.document.submission import ClusterDocument, Disk, NodeGroup
from submissions.pricing.book import book as price_book
from submissions.pricing.book.quotes import PriceBook, PriceKey
from submissions.pricing.cost import Group, SystemCost, exact, system_cost
from submissions.pricing.groups import GroupSpec, Place, keys_of, price_group
from submissions.pricing.storage import DiskSpec


@dataclass(frozen=True, slots=True)
class GroupPrice:
    """What is stored with a node group: USD per node and hour, null where unknown.

    A stated price covers the node and its storage: `storage_hourly_usd` is then 0, as it is
    where no storage is billed apart. `price_date` is the oldest of the prices used,
    `price_last_seen` of the days on which they were confirmed.
    """

    node_hourly_usd: Decimal | None
    storage_hourly_usd: Decimal | None
    is_price_stated: bool
    price_source: str | None
    price_date: date | None
    price_last_seen: date | None


@dataclass(frozen=True, slots=True)
class PricedSystem:
    """One GroupPrice for each of the document's groups, in their order, and the system's cost."""

    groups: tuple[GroupPrice, ...]
    cost: SystemCost


def attach_prices(document: ClusterDocument, book: PriceBook | None = None, *, on: date | None = None) -> PricedSystem:
    """Price a document on a day, else at its `measured_at`; without a `book` it takes one query."""
    if book is None:
        book = price_book.load(price_keys(document))
    if on is None and document.measured_at is not None:
        on = document.measured_at.date()
    place = Place(document.provider, document.region, on)
    groups = [price_group(group_spec(group), place=place, book=book) for group in document.nodes]
    return PricedSystem(tuple(_frozen(group) for group in groups), system_cost(groups))


def price_keys(document: ClusterDocument) -> set[PriceKey]:
    """What a price book must hold to price the document; unite them to price a batch at once."""
    return {
        key
        for group in document.nodes
        for key in keys_of(group_spec(group), provider=document.provider, region=document.region)
    }


def load_book(documents: Iterable[ClusterDocument]) -> PriceBook:
    """One book for a batch of documents, in one query."""
    return price_book.load({key for document in documents for key in price_keys(document)})


def group_spec(group: NodeGroup) -> GroupSpec:
    return GroupSpec(
        role=group.role,
        count=group.count,
        instance_type=group.instance_type,
        disks=tuple(_disk(disk) for disk in group.disks),
        pricing_model=group.pricing_model,
        stated_hourly_usd=group.hourly_usd,
        stated_source=group.price_source,
    )


def _disk(disk: Disk) -> DiskSpec:
    size = None if disk.size_gib is None else exact(disk.size_gib)
    return DiskSpec(disk.kind, disk.count, size, disk.iops, disk.throughput_mibps)


def _frozen(group: Group) -> GroupPrice:
    rates = [part.rate for part in group.parts]
    return GroupPrice(
        node_hourly_usd=group.node.hourly_usd,
        storage_hourly_usd=group.storage_hourly_usd,
        is_price_stated=group.node.rate.is_stated,
        price_source=group.node.rate.source,
        price_date=min((rate.price_date for rate in rates if rate.price_date), default=None),
        price_last_seen=min((rate.last_seen for rate in rates if rate.last_seen), default=None),
    )
