"""Block device mappings: the root volume, EBS volumes and instance-store disks of a machine."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from string import ascii_lowercase
from typing import Any

from runners.providers.base import DiskOrder, ProviderError

LOCAL = "local-"  # local-ssd, local-hdd
# The device names that EC2 recommends: instance store from b, EBS from f.
_FIRST_LOCAL = ascii_lowercase.index("b")
_FIRST_EBS = ascii_lowercase.index("f")


def root_disk(gib: float) -> DiskOrder:
    """The volume that every machine starts from."""
    return DiskOrder("gp3", 1, gib)


def mappings(
    disks: Iterable[DiskOrder], instance_type: Mapping[str, Any], *, root_device: str, root_gib: int
) -> list[dict[str, Any]]:
    """For RunInstances; every volume is deleted with its machine.

    `instance_type` is from DescribeInstanceTypes. NVMe instance store needs no mapping: it is always attached.
    Raises ProviderError for disks that the type does not have.
    """
    orders = tuple(disks)
    local = sum(disk.count for disk in orders if disk.kind.startswith(LOCAL))
    _check_local(local, instance_type)
    found = [_volume(root_device, root_disk(root_gib))]
    at = _FIRST_LOCAL
    if _needs_mapping(instance_type):
        found += [{"DeviceName": f"/dev/sd{_letter(at + n)}", "VirtualName": f"ephemeral{n}"} for n in range(local)]
        at += local
    at = max(at, _FIRST_EBS)
    for disk in orders:
        if not disk.kind.startswith(LOCAL):
            found += [_volume(f"/dev/sd{_letter(at + n)}", disk) for n in range(disk.count)]
            at += disk.count
    return found


def _volume(device: str, disk: DiskOrder) -> dict[str, Any]:
    if disk.size_gib is None:
        raise ProviderError(f"a disk of kind {disk.kind} needs a size")
    ebs: dict[str, Any] = {
        "VolumeType": disk.kind,
        "VolumeSize": ceil(disk.size_gib),
        "DeleteOnTermination": True,
    }
    if disk.iops is not None:
        ebs["Iops"] = disk.iops
    if disk.throughput_mibps is not None:
        ebs["Throughput"] = disk.throughput_mibps
    return {"DeviceName": device, "Ebs": ebs}


def _check_local(wanted: int, instance_type: Mapping[str, Any]) -> None:
    there = sum(disk["Count"] for disk in _store(instance_type).get("Disks", ()))
    if wanted > there:
        raise ProviderError(f"{instance_type['InstanceType']} has {there} local disks; the plan needs {wanted}")


def _needs_mapping(instance_type: Mapping[str, Any]) -> bool:
    return _store(instance_type).get("NvmeSupport") == "unsupported"


def _store(instance_type: Mapping[str, Any]) -> Mapping[str, Any]:
    store: Mapping[str, Any] = instance_type.get("InstanceStorageInfo") or {}
    return store


def _letter(index: int, letters: Sequence[str] = ascii_lowercase) -> str:
    if index >= len(letters):
        raise ProviderError("a machine cannot have so many disks")
    return letters[index]
