"""What a disk is billed for: which SKUs of the price book, and how much of each."""

from dataclasses import dataclass
from decimal import Decimal

from submissions.pricing.quotes import Unit


@dataclass(frozen=True, slots=True)
class DiskSpec:
    """`count` equal disks of one node; what is not known is None."""

    kind: str
    count: int
    size_gib: Decimal | None  # of one disk
    iops: int | None  # provisioned for one disk
    throughput_mibps: int | None  # provisioned for one disk


@dataclass(frozen=True, slots=True)
class Need:
    """So much of one SKU for a node. An Unknown stands where the amount cannot be said."""

    label: str
    sku: str
    unit: Unit
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why something cannot be priced; the end of a sentence."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Volume:
    """How a kind of volume is billed; an allowance of None means that this is never billed."""

    free_iops: int | None = None
    free_mibps: int | None = None
    must_provision: bool = False  # the volume cannot exist without provisioned IOPS
    iops_tiers: tuple[tuple[str, int | None], ...] = (("iops", None),)  # (SKU suffix, up to)


_INCLUDED = None  # in the price of the instance

# aws.amazon.com/ebs/pricing; the requests of `standard` (USD 0.05 a million) are left out: no
# submission counts them
_EBS = {
    "gp2": _Volume(),
    "gp3": _Volume(free_iops=3000, free_mibps=125),
    "io1": _Volume(free_iops=0, must_provision=True),
    "io2": _Volume(
        free_iops=0,
        must_provision=True,
        iops_tiers=(("iops", 32_000), ("iops-tier2", 64_000), ("iops-tier3", None)),
    ),
    "st1": _Volume(),
    "sc1": _Volume(),
    "standard": _Volume(),
}
# cloud.google.com/compute/disks-image-pricing
_GCE_DISKS = {
    "local-ssd": _Volume(),
    "pd-standard": _Volume(),
    "pd-balanced": _Volume(),
    "pd-ssd": _Volume(),
    "pd-extreme": _Volume(free_iops=0, must_provision=True),
    "hyperdisk-balanced": _Volume(free_iops=3000, free_mibps=140),
    "hyperdisk-extreme": _Volume(free_iops=0, must_provision=True),
}
_VOLUMES: dict[str, dict[str, _Volume | None]] = {
    "aws": {
        **_EBS,
        "local-ssd": _INCLUDED,
        "local-hdd": _INCLUDED,
        "nvme": _INCLUDED,
    },
    "gce": {**_GCE_DISKS, "nvme": _GCE_DISKS["local-ssd"]},
}


def disk_needs(provider: str, disk: DiskSpec) -> tuple[Need | Unknown, ...]:
    """What the disks of one node are billed for; nothing when the instance includes them."""
    volumes = _VOLUMES.get(provider, {})
    label = f"{disk.count} x {disk.kind}"
    if disk.kind not in volumes:
        return (Unknown(label, f"how {provider} bills {disk.kind} disks is unknown"),)
    volume = volumes[disk.kind]
    if volume is None:
        return ()
    if disk.size_gib is None:
        return (Unknown(label, f"the size of {disk.kind} disks is unknown"),)
    if volume.must_provision and disk.iops is None:
        return (Unknown(label, f"the provisioned IOPS of {disk.kind} disks are unknown"),)
    sku = sku_of(provider, disk.kind)
    capacity = Need(f"{label} capacity", sku, Unit.GIB_MONTH, disk.size_gib * disk.count)
    return (capacity, *_iops(sku, volume, disk, label), *_throughput(sku, volume, disk, label))


def sku_of(provider: str, kind: str) -> str:
    """The price book's SKU of a kind of disk: on GCE an NVMe disk is a local SSD."""
    return "local-ssd" if (provider, kind) == ("gce", "nvme") else kind


def _iops(sku: str, volume: _Volume, disk: DiskSpec, label: str) -> list[Need]:
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


def _throughput(sku: str, volume: _Volume, disk: DiskSpec, label: str) -> list[Need]:
    if volume.free_mibps is None or disk.throughput_mibps is None:
        return []
    above = disk.throughput_mibps - volume.free_mibps
    if above <= 0:
        return []
    amount = Decimal(above * disk.count)
    return [Need(f"{label} throughput", f"{sku}-throughput", Unit.MIBPS_MONTH, amount)]
