"""What a disk is billed for: which SKUs of the price book, and how much of each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from submissions.formatting.names import provider_name
from submissions.pricing.book.quotes import Unit
from submissions.pricing.machines.local_disks import local_disks_of
from submissions.pricing.providers import Volume, billing_of


@dataclass(frozen=True, slots=True)
class DiskSpec:
    """`count` equal disks of one node; unknown facts are None."""

    kind: str
    count: int
    size_gib: Decimal | None  # of one disk
    iops: int | None  # provisioned for one disk
    throughput_mibps: int | None  # provisioned for one disk


@dataclass(frozen=True, slots=True)
class Need:
    """An amount of one SKU for one node."""

    label: str
    sku: str
    unit: Unit
    quantity: Decimal
    is_cheaper_on_spot: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """In place of a Need: why something cannot be priced, as the end of a sentence."""

    label: str
    reason: str


def disk_needs(provider: str, instance_type: str, disks: Iterable[DiskSpec]) -> Iterator[Need | Unknown]:
    """What the disks of one node are billed for; nothing for those in the price of the instance.

    Where local disks are billed, those that come with the type are not: only what is stated beyond them.
    """
    disks = tuple(disks)
    included = local_disks_of(provider, instance_type)
    lacking = dict(lacking_local_disks(provider, instance_type, disks))
    stated = Decimal(0)  # GiB of local disks that are billed, so far
    for position, disk in enumerate(disks):
        volumes = billing_of(provider).volumes
        label = f"{disk.count}× {disk.kind}"
        if disk.kind not in volumes:
            yield Unknown(label, f"how {provider_name(provider)} bills {disk.kind} disks is unknown")
            continue
        volume = volumes[disk.kind]
        if volume and not volume.is_local:
            yield from _volume_needs(disk, volume, label)
            continue
        if volume is None:
            if position in lacking:
                yield Unknown(label, lacking[position])
            continue
        of_disk = (disk.size_gib or Decimal(0)) * disk.count
        stated += of_disk
        if not (included and included.gib):
            yield from _volume_needs(disk, volume, label)
        elif not included.hold(stated):
            beyond = min(stated - included.gib, of_disk)
            sku = volume.sku or disk.kind
            yield Need(f"{label} beyond those included", sku, Unit.GIB_MONTH, beyond, volume.is_cheaper_on_spot)


def lacking_local_disks(provider: str, instance_type: str, disks: Sequence[DiskSpec]) -> Iterator[tuple[int, str]]:
    """The places of stated disks which the machine does not have, though its price would include them; and why.

    Nothing of a type that the catalogue does not know.
    """
    included = local_disks_of(provider, instance_type)
    if included is None:
        return
    volumes = billing_of(provider).volumes
    stated = Decimal(0)
    for position, disk in enumerate(disks):
        if disk.kind not in volumes or volumes[disk.kind] is not None:
            continue
        stated += (disk.size_gib or 0) * disk.count
        if not included.gib:
            yield position, f"{instance_type} has no local disk"
        elif not included.hold(stated):
            yield position, f"{instance_type} has {included.gib.normalize():f} GiB of local disks, not more"


def _volume_needs(disk: DiskSpec, volume: Volume, label: str) -> tuple[Need | Unknown, ...]:
    if disk.size_gib is None:
        return (Unknown(label, f"the size of the {disk.kind} disks is not stated"),)
    if volume.must_provision and disk.iops is None:
        return (Unknown(label, f"the provisioned IOPS of the {disk.kind} disks are not stated"),)
    if volume.classes:
        return (_of_class(disk, volume, label),)
    sku = volume.sku or disk.kind
    capacity = Need(f"{label} capacity", sku, Unit.GIB_MONTH, disk.size_gib * disk.count, volume.is_cheaper_on_spot)
    return (capacity, *_iops(sku, volume, disk, label), *_throughput(sku, volume, disk, label))


def _of_class(disk: DiskSpec, volume: Volume, label: str) -> Need | Unknown:
    """Each disk at the price of the smallest class that holds it."""
    for suffix, gib in volume.classes:
        if disk.size_gib is not None and disk.size_gib <= gib:
            return Need(f"{label} {suffix.upper()}", f"{disk.kind}-{suffix}", Unit.DISK_MONTH, Decimal(disk.count))
    return Unknown(label, f"no size class of {disk.kind} holds {disk.size_gib:f} GiB")


def _iops(sku: str, volume: Volume, disk: DiskSpec, label: str) -> list[Need]:
    if volume.free_iops is None or disk.iops is None:
        return []
    needs = []
    floor = volume.free_iops
    for suffix, limit in volume.iops_tiers:
        top = disk.iops if limit is None else min(disk.iops, limit)
        if top > floor:
            amount = Decimal((top - floor) * disk.count)
            needs.append(Need(f"{label} IOPS", f"{sku}-{suffix}", Unit.IOPS_MONTH, amount))
            floor = top
    return needs


def _throughput(sku: str, volume: Volume, disk: DiskSpec, label: str) -> list[Need]:
    if volume.free_mibps is None or disk.throughput_mibps is None:
        return []
    above = disk.throughput_mibps - volume.free_mibps
    if above <= 0:
        return []
    amount = Decimal(above * disk.count)
    return [Need(f"{label} throughput", f"{sku}-throughput", Unit.MIBPS_MONTH, amount)]
