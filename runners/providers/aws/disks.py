"""Block device mappings: the root volume, EBS volumes and instance-store disks of a machine."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from string import ascii_lowercase
from typing import Any

from runners.providers.base import DiskOrder, InvalidPlan

LOCAL_KINDS = frozenset({"local-ssd", "local-hdd", "nvme"})
_BY_ID = "/dev/disk/by-id/nvme-"
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
    Raises InvalidPlan for disks that the type does not have.
    """
    orders = tuple(disks)
    local = sum(disk.count for disk in orders if disk.kind in LOCAL_KINDS)
    _check_local(local, instance_type)
    found = [_volume(root_device, root_disk(root_gib))]
    at = _FIRST_LOCAL
    if _needs_mapping(instance_type):
        found += [{"DeviceName": f"/dev/sd{_letter(at + n)}", "VirtualName": f"ephemeral{n}"} for n in range(local)]
        at += local
    at = max(at, _FIRST_EBS)
    for disk in orders:
        if disk.kind not in LOCAL_KINDS:
            found += [_volume(f"/dev/sd{_letter(at + n)}", disk) for n in range(disk.count)]
            at += disk.count
    return found


def volume_links(instance: Mapping[str, Any]) -> tuple[str, ...]:
    """Where a machine's data volumes are on the host: by their ids, or on types without NVMe by their device."""
    attached = {
        mapping["DeviceName"]: mapping["Ebs"]["VolumeId"]
        for mapping in instance.get("BlockDeviceMappings", ())
        if "Ebs" in mapping and mapping["DeviceName"] != instance.get("RootDeviceName")
    }
    return tuple(
        f"{_BY_ID}Amazon_Elastic_Block_Store_{attached[device].replace('-', '')}:/dev/xvd{device[-1]}"
        for device in sorted(attached)
    )


def local_link(number: int) -> str:
    """Where a local disk is on the host: any NVMe one, for they are alike, or on older types the mapped one."""
    return f"{_BY_ID}Amazon_EC2_NVMe_Instance_Storage_*:/dev/xvd{_letter(_FIRST_LOCAL + number)}"


def _volume(device: str, disk: DiskOrder) -> dict[str, Any]:
    if disk.size_gib is None:
        raise InvalidPlan(f"a disk of kind {disk.kind} needs a size")
    ebs: dict[str, Any] = {
        "VolumeType": disk.kind,
        "VolumeSize": ceil(disk.size_gib),
        "DeleteOnTermination": True,
        "Encrypted": True,  # with the account's own key for EBS: some organizations refuse anything else
    }
    if disk.iops is not None:
        ebs["Iops"] = disk.iops
    if disk.throughput_mibps is not None:
        ebs["Throughput"] = disk.throughput_mibps
    return {"DeviceName": device, "Ebs": ebs}


def _check_local(wanted: int, instance_type: Mapping[str, Any]) -> None:
    there = sum(disk["Count"] for disk in _store(instance_type).get("Disks", ()))
    if wanted > there:
        raise InvalidPlan(f"{instance_type['InstanceType']} has {there} local disks; the plan needs {wanted}")


def _needs_mapping(instance_type: Mapping[str, Any]) -> bool:
    return _store(instance_type).get("NvmeSupport") == "unsupported"


def _store(instance_type: Mapping[str, Any]) -> Mapping[str, Any]:
    store: Mapping[str, Any] = instance_type.get("InstanceStorageInfo") or {}
    return store


def _letter(index: int, letters: Sequence[str] = ascii_lowercase) -> str:
    if index >= len(letters):
        raise InvalidPlan("a machine cannot have so many disks")
    return letters[index]
