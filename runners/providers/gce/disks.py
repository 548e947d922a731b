"""The boot disk, persistent disks and local SSDs of a machine, for a create call."""

from collections.abc import Iterable, Mapping
from math import ceil

from google.cloud.compute_v1 import AttachedDisk, AttachedDiskInitializeParams, Instance

from runners.providers.base import DiskOrder, InvalidPlan
from runners.providers.gce.shapes import Image, Shape
from runners.providers.gce.traits import BY_ID, LOCAL_KINDS, LOCAL_SSD_GIB

# https://cloud.google.com/compute/docs/disks/hyperdisks: what can be provisioned in addition to the size
_IOPS = frozenset({"pd-extreme", "hyperdisk-balanced", "hyperdisk-balanced-high-availability", "hyperdisk-extreme"})
_THROUGHPUT = frozenset(
    {"hyperdisk-balanced", "hyperdisk-balanced-high-availability", "hyperdisk-throughput", "hyperdisk-ml"}
)


def attached(
    orders: Iterable[DiskOrder], shape: Shape, image: Image, *, root_gib: int, labels: Mapping[str, str]
) -> list[AttachedDisk]:
    """For bulkInsert; every disk is deleted with its machine. Bundled local SSDs are always attached.

    Raises InvalidPlan for disks that the machine type or GCE does not have.
    """
    disks = tuple(orders)
    local = sum(disk.count for disk in disks if disk.kind in LOCAL_KINDS)
    _check_local(local, disks, shape)
    boot = _persistent(
        DiskOrder(shape.boot_disk_kind, 1, max(root_gib, image.size_gib)), labels=labels, source_image=image.link
    )
    boot.boot = True
    attached_disks = [boot]
    for disk in disks:
        if disk.kind not in LOCAL_KINDS:
            _check_persistent(disk)
            attached_disks += [_persistent(disk, labels=labels) for _ in range(disk.count)]
    for number, disk in enumerate(attached_disks[1:]):
        disk.device_name = f"data-{number}"
    return attached_disks + [_local_ssd() for _ in range(local if not shape.bundled_local_ssds else 0)]


def volume_links(instance: Instance) -> tuple[str, ...]:
    """Where a machine's persistent data disks are on the host: Google's images link them by their device names."""
    persistent = [disk for disk in instance.disks if not disk.boot and disk.type_ != "SCRATCH"]
    return tuple(f"{BY_ID}{disk.device_name}" for disk in sorted(persistent, key=lambda disk: disk.index))


def _persistent(disk: DiskOrder, *, labels: Mapping[str, str], source_image: str | None = None) -> AttachedDisk:
    parameters = AttachedDiskInitializeParams(
        disk_type=disk.kind, disk_size_gb=ceil(disk.size_gib or 0), labels=dict(labels)
    )
    if disk.iops is not None:
        parameters.provisioned_iops = disk.iops
    if disk.throughput_mibps is not None:
        parameters.provisioned_throughput = disk.throughput_mibps
    if source_image is not None:
        parameters.source_image = source_image
    return AttachedDisk(auto_delete=True, initialize_params=parameters)


def _local_ssd() -> AttachedDisk:
    parameters = AttachedDiskInitializeParams(disk_type="local-ssd")
    return AttachedDisk(type_="SCRATCH", interface="NVME", auto_delete=True, initialize_params=parameters)


def _check_persistent(disk: DiskOrder) -> None:
    if not disk.kind.startswith(("pd-", "hyperdisk-")):
        raise InvalidPlan(f"GCE has no disks of kind {disk.kind}")
    if disk.size_gib is None:
        raise InvalidPlan(f"a disk of kind {disk.kind} needs a size")
    if disk.iops is not None and disk.kind not in _IOPS:
        raise InvalidPlan(f"the IOPS of a disk of kind {disk.kind} depend on its size")
    if disk.throughput_mibps is not None and disk.kind not in _THROUGHPUT:
        raise InvalidPlan(f"the throughput of a disk of kind {disk.kind} depends on its size")


def _check_local(wanted: int, disks: Iterable[DiskOrder], shape: Shape) -> None:
    if not wanted:
        return
    if shape.bundled_local_ssds:
        if wanted > shape.bundled_local_ssds:
            raise InvalidPlan(f"{shape.name} has {shape.bundled_local_ssds} local SSDs; the plan needs {wanted}")
        return
    if not shape.takes_local_ssds:
        raise InvalidPlan(f"{shape.name} supports no local SSDs; the plan needs {wanted}")
    sizes = [disk.size_gib for disk in disks if disk.kind in LOCAL_KINDS and disk.size_gib is not None]
    if any(size > LOCAL_SSD_GIB for size in sizes):
        raise InvalidPlan(f"a local SSD of GCE has {LOCAL_SSD_GIB} GiB; the plan needs {max(sizes):g}")
