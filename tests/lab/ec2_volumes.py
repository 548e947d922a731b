"""EBS volumes of a launch as they are paid for: IOPS, throughput, the image's root volume."""

from typing import Any

from tests.lab.ec2_wire import Refused

GP3_IOPS, GP3_MIBPS = 3000, 125  # included in a gp3 volume's price
GP3_IOPS_PER_GIB, GP3_MIBPS_PER_IOPS = 500, 0.25
ROOT_GIB = 8


def refuse_impossible_volumes(given: dict[str, Any]) -> None:
    """EC2's limits of gp3: 500 IOPS a GiB, 0.25 MiB/s an IOPS, neither below what is included."""
    for mapping in given.get("BlockDeviceMappings", []):
        ebs = mapping.get("Ebs", {})
        if ebs.get("VolumeType") != "gp3":
            if "Throughput" in ebs:
                text = f"The parameter Throughput is not supported for {ebs.get('VolumeType', 'gp2')} volumes."
                raise Refused("InvalidParameterCombination", text)
            continue
        iops, mibps = ebs.get("Iops", GP3_IOPS), ebs.get("Throughput", GP3_MIBPS)
        if iops < GP3_IOPS:
            raise Refused("InvalidParameterValue", f"Volume iops of {iops} is too low; minimum is {GP3_IOPS}.")
        if iops > max(GP3_IOPS, GP3_IOPS_PER_GIB * ebs.get("VolumeSize", ROOT_GIB)):
            text = (
                f"Iops to volume size ratio of {iops / ebs.get('VolumeSize', ROOT_GIB):.6f} is too high; maximum is 500"
            )
            raise Refused("InvalidParameterValue", text)
        if mibps < GP3_MIBPS:
            text = f"Volume throughput of {mibps} is too low; minimum is {GP3_MIBPS}."
            raise Refused("InvalidParameterValue", text)
        if mibps > GP3_MIBPS_PER_IOPS * iops:
            text = f"Throughput (MiBps) to iops ratio of {mibps / iops:.6f} is too high; maximum is 0.250000"
            raise Refused("InvalidParameterValue", text)


def complete_volumes(ec2: Any, instance: Any, given: dict[str, Any]) -> None:
    """Give the volumes of a new instance what moto dropped."""
    _own_root(ec2, instance, given)
    asked = {mapping["DeviceName"]: mapping.get("Ebs", {}) for mapping in given.get("BlockDeviceMappings", [])}
    for device, block in instance.get_block_device_mapping:
        volume, ebs = ec2.volumes[block.volume_id], asked.get(device, {})
        volume.volume_type = ebs.get("VolumeType") or "gp3"
        if volume.volume_type == "gp3":
            volume.iops = ebs.get("Iops", GP3_IOPS)
            volume.throughput = ebs.get("Throughput", GP3_MIBPS)
        else:
            volume.iops = ebs.get("Iops")
        volume.size = volume.size or ebs.get("VolumeSize") or ROOT_GIB


def _own_root(ec2: Any, instance: Any, given: dict[str, Any]) -> None:
    """Every image brings a root volume, whatever else is mapped, under its own device name."""
    blocks, root = instance.block_device_mapping, instance.root_device_name
    if root in blocks:
        return
    if not given.get("BlockDeviceMappings"):  # moto has made one, always called /dev/sda1
        blocks[root] = blocks.pop("/dev/sda1")
        ec2.volumes[blocks[root].volume_id].attachment.device = root
        return
    instance.add_block_device(ROOT_GIB, root, None, False, True, None, "gp3")
    ec2.volumes[blocks[root].volume_id].add_tags(tags_of(given, "volume"))


def tags_of(given: dict[str, Any], resource: str) -> dict[str, str]:
    """The tags that a create call gives to a kind of resource."""
    specifications = [one for one in given.get("TagSpecifications", []) if one.get("ResourceType") == resource]
    return {tag["Key"]: tag["Value"] for one in specifications for tag in one.get("Tags", [])}
