"""The machines of a plan with their prices: the only place where runs use the price book."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from django.conf import settings

from runners.plan_schema.run_plan import NodesPlan, RunPlan
from runners.providers.base import DiskOrder
from runners.providers.registry import traits_of
from submissions.choices import PricingModel, Role
from submissions.ingest.document.submission import Disk
from submissions.models import InstanceType
from submissions.pricing.book import book as price_book
from submissions.pricing.book.quotes import PriceBook, PriceKey, Unit
from submissions.pricing.cost import BilledItem, Group, Rate, exact
from submissions.pricing.groups import GroupSpec, Place, keys_of, price_group
from submissions.pricing.month import rates as month_rates
from submissions.pricing.providers import billing_of
from submissions.pricing.storage import DiskSpec


def groups_of(plan: RunPlan, *, on: date, book: PriceBook | None = None) -> list[Group]:
    """The database and client groups at the prices of a day, public addresses included, with one query.

    None where `book` has the prices of the plan's `price_keys`.
    """
    specs = _specs(plan)
    if not billing_of(plan.provider).sends_bill:
        free = Rate(Decimal(0), on, month_rates.NOT_BILLED)
        return [
            Group(spec.role, spec.count, BilledItem(spec.instance_type, Decimal(1), Unit.HOUR, free)) for spec in specs
        ]
    book = price_book.load(price_keys(plan)) if book is None else book
    addresses = _addresses(plan, on=on)
    groups = [price_group(spec, place=Place(plan.provider, plan.region, on), book=book) for spec in specs]
    return [replace(group, storage=(*group.storage, *addresses)) for group in groups]


def price_keys(plan: RunPlan) -> set[PriceKey]:
    """What `groups_of` needs of the price book."""
    return {key for spec in _specs(plan) for key in keys_of(spec, provider=plan.provider, region=plan.region)}


def _addresses(plan: RunPlan, *, on: date) -> list[BilledItem]:
    """The public IPv4 address of each machine: the hosts download software, and workers reach them from outside."""
    rate = month_rates.address_rate(Place(plan.provider, plan.region, on), is_spot=plan.is_spot)
    if rate is None:
        return []
    # without its day, which is that of the newest rule, not of a price list
    return [BilledItem("public IPv4 address", Decimal(1), Unit.HOUR, Rate(rate.usd, source=rate.source))]


def ceilings(plan: RunPlan, groups: Sequence[Group]) -> dict[str, Rate]:
    """What a machine without a known price costs at most, by instance type: the setting for each of its vCPUs."""
    unpriced = [group.node.label for group in groups if group.node.rate.usd is None]
    if not unpriced or not settings.RUN_UNPRICED_VCPU_USD:
        return {}
    types = InstanceType.objects.filter(provider=plan.provider, name__in=unpriced, vcpus__isnull=False)
    return {
        name: Rate(settings.RUN_UNPRICED_VCPU_USD * vcpus, source="assumed: RUN_UNPRICED_VCPU_USD")
        for name, vcpus in types.values_list("name", "vcpus")
        if vcpus
    }


def hourly_usd_by_role(plan: RunPlan, *, on: date) -> dict[str, Decimal | None]:
    """USD per node and hour on a day, storage and address included; None where a price is unknown."""
    return {group.role: _node_usd(group) for group in groups_of(plan, on=on)}


def _node_usd(group: Group) -> Decimal | None:
    node, storage = group.node.hourly_usd, group.storage_hourly_usd
    return None if node is None or storage is None else node + storage


def traffic_rate(plan: RunPlan, *, on: date) -> Rate:
    """USD per GB between zones, of all who pay for it; the plan's own where the book has none."""
    book = price_book.load(month_rates.keys_of(plan.provider, plan.region))
    place = Place(plan.provider, plan.region, on)
    rate = month_rates.zone_traffic_rate(place, book, stated_usd=plan.traffic_usd_per_gb)
    return rate if not rate.missing else replace(rate, missing=f"{rate.missing}: state traffic_usd_per_gb")


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
