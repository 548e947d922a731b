"""The machines of a plan with their prices: the only place where runs use the price book."""

from datetime import date
from decimal import Decimal

from runners.plan import NodesPlan, RunPlan
from runners.providers.base import DiskOrder
from runners.providers.registry import traits_of
from submissions.choices import PricingModel, Role
from submissions.ingest.document.submission import Disk
from submissions.pricing import book as price_book
from submissions.pricing.cost import Group, Part, Rate, exact
from submissions.pricing.groups import GroupSpec, Place, keys_of, price_group
from submissions.pricing.providers import CROSS_ZONE_SKU, billing_of
from submissions.pricing.quotes import PriceKey, Unit
from submissions.pricing.storage import DiskSpec

_NOT_BILLED = "runs on this machine are free"


def groups_of(plan: RunPlan, *, on: date) -> list[Group]:
    """The database and client groups at the prices of a day, with one query."""
    specs = _specs(plan)
    if not billing_of(plan.provider).sends_bill:
        free = Rate(Decimal(0), on, _NOT_BILLED)
        return [Group(spec.role, spec.count, Part(spec.instance_type, Decimal(1), Unit.HOUR, free)) for spec in specs]
    keys = {key for spec in specs for key in keys_of(spec, provider=plan.provider, region=plan.region)}
    book = price_book.load(keys)
    return [price_group(spec, place=Place(plan.provider, plan.region, on), book=book) for spec in specs]


def hourly_usd_by_role(plan: RunPlan, *, on: date) -> dict[str, Decimal | None]:
    """USD per node and hour on a day, storage included; None where a price is unknown."""
    return {group.role: _node_usd(group) for group in groups_of(plan, on=on)}


def _node_usd(group: Group) -> Decimal | None:
    node, storage = group.node.hourly_usd, group.storage_hourly_usd
    return None if node is None or storage is None else node + storage


def traffic_rate(plan: RunPlan, *, on: date) -> Rate:
    """USD per GB between zones; unknown without a region."""
    if not billing_of(plan.provider).sends_bill:
        return Rate(Decimal(0), on, _NOT_BILLED)
    if plan.region is None:
        return Rate(None, missing="no price of traffic between zones: the region is not stated")
    book = price_book.load({PriceKey(plan.provider, plan.region, CROSS_ZONE_SKU)})
    quote = book.quote(
        provider=plan.provider,
        region=plan.region,
        sku=CROSS_ZONE_SKU,
        unit="gb",
        pricing_model=PricingModel.ON_DEMAND,
        on=on,
    )
    if quote is None:
        return Rate(None, missing=f"the price of traffic between zones in {plan.region} is unknown")
    return Rate(quote.usd, quote.valid_from, quote.source)


def _specs(plan: RunPlan) -> list[GroupSpec]:
    groups: list[tuple[Role, NodesPlan]] = [(Role.DATABASE, plan.database)]
    if plan.client:
        groups.append((Role.CLIENT, plan.client))
    return [
        GroupSpec(
            role=role.value,
            count=nodes.count,
            instance_type=nodes.instance_type,
            disks=_disks(plan.provider, nodes),
            pricing_model=PricingModel(plan.pricing_model),
        )
        for role, nodes in groups
    ]


def _disks(provider: str, nodes: NodesPlan) -> tuple[DiskSpec, ...]:
    """The root disk, where the provider bills it separately, and the disks of the plan."""
    root = traits_of(provider).root_disk(nodes.instance_type)
    return (*([_disk(root)] if root else []), *(_disk(disk) for disk in nodes.disks))


def _disk(disk: Disk | DiskOrder) -> DiskSpec:
    size = None if disk.size_gib is None else exact(disk.size_gib)
    return DiskSpec(disk.kind, disk.count, size, disk.iops, disk.throughput_mibps)
