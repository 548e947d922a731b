"""What EC2 says of a plan before anything is made or paid: types, disks, zones, subnets, image, quotas."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runners.providers.aws import disks, ec2, images, network, quotas
from runners.providers.aws.errors import translated
from runners.providers.base import Hardware, InvalidPlan, NodeRequest, ProviderError, Remark, Survey, field_of

_GIB = 1024  # MiB


def survey(
    nodes: Sequence[NodeRequest],
    *,
    region: str,
    spot: bool,
    client: Callable[[str], Any],
    image: str,
    vpc_id: str | None,
) -> Survey:
    """`client` makes the client of a service in the region. Raises ProviderError when EC2 does not answer."""
    types = ec2.existing_types(client("ec2"), {node.instance_type for node in nodes})
    remarks = _of_machines(nodes, types, region)
    if any(remark.is_fault for remark in remarks):
        return Survey(tuple(remarks), _hardware(types))
    zones = {node.zone for node in nodes if node.zone}
    remarks += _unless_refused(lambda: _of_image(client, image, types))
    remarks += _unless_refused(lambda: _of_zones(client("ec2"), nodes))
    remarks += _unless_refused(lambda: _of_network(client("ec2"), vpc_id, zones))
    needed = {name: sum(node.instance_type == name for node in nodes) * _vcpus(types[name]) for name in types}
    remarks += _unless_refused(
        lambda: quotas.remarks(client("service-quotas"), client("ec2"), region, needed, spot=spot)
    )
    return Survey(tuple(remarks), _hardware(types))


def _of_machines(nodes: Sequence[NodeRequest], types: Mapping[str, ec2.Described], region: str) -> list[Remark]:
    remarks = []
    for node in {(node.role, node.instance_type): node for node in nodes}.values():
        described = types.get(node.instance_type)
        if described is None:
            text = f"EC2 has no instance type {node.instance_type} in {region}"
            remarks.append(Remark.fault(field_of(node, "instance_type"), text))
            continue
        try:
            images.architecture_of(described)
        except InvalidPlan as error:
            remarks.append(Remark.fault(field_of(node, "instance_type"), str(error)))
        try:
            disks.mappings(node.disks, described, root_device="/dev/sda1", root_gib=1)
        except InvalidPlan as error:
            remarks.append(Remark.fault(field_of(node, "disks"), str(error)))
    return remarks


def _of_image(client: Callable[[str], Any], image: str, types: Mapping[str, ec2.Described]) -> list[Remark]:
    architectures = {images.architecture_of(described) for described in types.values()}
    try:
        images.find(client("ec2"), client("ssm"), image, sorted(architectures))
    except InvalidPlan as error:
        return [Remark.fault("#/region", str(error))]
    return []


def _of_zones(client: Any, nodes: Sequence[NodeRequest]) -> list[Remark]:
    offered = network.offerings(client, {node.instance_type for node in nodes})
    wanted = sorted({(node.zone, node.instance_type) for node in nodes if node.zone})
    return [
        Remark.fault("#/zones", f"{zone} does not offer {instance_type}")
        for zone, instance_type in wanted
        if instance_type not in offered.get(zone, ())
    ]


def _of_network(client: Any, vpc_id: str | None, zones: set[str]) -> list[Remark]:
    try:
        where = network.find_network(client, vpc_id)
    except InvalidPlan as error:
        return [Remark.fault("#/region", str(error))]
    if missing := sorted(zones - set(where.subnets)):
        return [Remark.fault("#/zones", f"{where.vpc_id} has no subnet in {', '.join(missing)}")]
    used = {zone: subnet for zone, subnet in where.subnets.items() if zone in zones or not zones}
    return [
        Remark.fault("#/zones" if zones else "#/region", text) for text in network.without_internet(client, where, used)
    ]


def _unless_refused(part: Callable[[], list[Remark]]) -> list[Remark]:
    """What cannot be asked, without the permission for instance, is a note: the run itself may be possible."""
    try:
        with translated():
            return part()
    except ProviderError as error:
        return [Remark.note("#", f"not checked: {error}")]


def _vcpus(described: Mapping[str, Any]) -> int:
    return int(described["VCpuInfo"]["DefaultVCpus"])


def _hardware(types: Mapping[str, ec2.Described]) -> dict[str, Hardware]:
    return {
        name: Hardware(
            _vcpus(described),
            described["MemoryInfo"]["SizeInMiB"] / _GIB,
            float((described.get("InstanceStorageInfo") or {}).get("TotalSizeInGB", 0)),
        )
        for name, described in types.items()
    }
