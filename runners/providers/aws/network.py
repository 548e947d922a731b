"""The network of a run: subnets, and the security group and key pair of the run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from runners.providers.aws.ec2 import delete_unused_group
from runners.providers.aws.errors import code_of
from runners.providers.aws.tags import Tags
from runners.providers.base import InvalidPlan, NoCapacity, NoZoneLeft, TryAgain

SSH_PORT = 22


@dataclass(frozen=True, slots=True)
class Network:
    vpc_id: str
    subnets: Mapping[str, str]  # zone -> subnet
    public: frozenset[str] = frozenset()  # the subnets that give public addresses


def find_network(ec2: Any, vpc_id: str | None) -> Network:
    """A subnet in each zone: of `vpc_id`, or of the default VPC of the account.

    Of several subnets in a zone, one with public addresses is preferred, then the first by id: always the same one.
    """
    chosen = {"Name": "vpc-id", "Values": [vpc_id]} if vpc_id else {"Name": "default-for-az", "Values": ["true"]}
    pages = ec2.get_paginator("describe_subnets").paginate(Filters=[chosen])
    subnets = [subnet for page in pages for subnet in page["Subnets"]]
    if not subnets:
        raise InvalidPlan(f"{vpc_id or 'a default VPC'} has no subnet in this region; RUN_VPC_ID names the VPC to use")
    subnets.sort(key=lambda subnet: (subnet["MapPublicIpOnLaunch"], _reversed(subnet["SubnetId"])))
    return Network(
        subnets[0]["VpcId"],
        {subnet["AvailabilityZone"]: subnet["SubnetId"] for subnet in subnets},
        frozenset(subnet["SubnetId"] for subnet in subnets if subnet["MapPublicIpOnLaunch"]),
    )


def zone_with(ec2: Any, instance_types: Collection[str], zones: Collection[str], *, full: Collection[str] = ()) -> str:
    """The first of `zones` that offers all the types and is not full. Raises NoZoneLeft."""
    offered = offerings(ec2, instance_types)
    for zone in sorted(set(zones) - set(full)):
        if offered.get(zone, set()) >= set(instance_types):
            return zone
    if full:
        raise NoZoneLeft(
            f"no zone is left that has all of {', '.join(sorted(instance_types))}: {', '.join(full)} is full"
        )
    raise NoZoneLeft(f"no zone of this region has all of {', '.join(sorted(instance_types))}")


def offerings(ec2: Any, instance_types: Collection[str]) -> dict[str, set[str]]:
    """Which of the types each zone offers."""
    pages = ec2.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": sorted(instance_types)}]
    )
    offered: dict[str, set[str]] = {}
    for page in pages:
        for offering in page["InstanceTypeOfferings"]:
            offered.setdefault(offering["Location"], set()).add(offering["InstanceType"])
    return offered


def without_internet(ec2: Any, network: Network, subnets: Mapping[str, str]) -> list[str]:
    """A sentence for each of the subnets from which machines could download nothing, by their route tables."""
    pages = ec2.get_paginator("describe_route_tables").paginate(
        Filters=[{"Name": "vpc-id", "Values": [network.vpc_id]}]
    )
    gateways: dict[str, str] = {}  # subnet, or "" for the main table -> what the default route leads to
    for table in (table for page in pages for table in page["RouteTables"]):
        gateway = next(filter(None, map(_default_gateway, table["Routes"])), "")
        for association in table["Associations"]:
            gateways[association.get("SubnetId", "")] = gateway
    sentences = []
    for zone, subnet in sorted(subnets.items()):
        gateway = gateways.get(subnet, gateways.get("", ""))
        if not gateway:
            sentences.append(
                f"the subnet {subnet} in {zone} has no route to the internet: hosts download their software"
            )
        elif gateway.startswith("igw-") and subnet not in network.public:
            sentences.append(
                f"the subnet {subnet} in {zone} has no NAT gateway and gives no public addresses: hosts could download "
                "nothing"
            )
    return sentences


def _default_gateway(route: Mapping[str, Any]) -> str:
    if route.get("DestinationCidrBlock") != "0.0.0.0/0" or route.get("State", "active") != "active":
        return ""
    targets = (
        "NatGatewayId",
        "TransitGatewayId",
        "GatewayId",
        "InstanceId",
        "NetworkInterfaceId",
        "VpcPeeringConnectionId",
    )
    return str(next((route[target] for target in targets if route.get(target)), ""))


def security_group(ec2: Any, tags: Tags, *, vpc_id: str, worker_cidr: str, moves: int = 0) -> str:
    """The run's security group, created once: SSH from the worker, everything between members. Returns its id.

    Each move to another zone has a new one, and the one before is deleted: a delayed worker can make nothing in the
    zone that was left. Raises NoCapacity when one has done so already.
    """
    names = [tags.name, *(f"{tags.name}-{move}" for move in range(1, moves + 1))]
    groups = {group["GroupName"]: group for group in _groups_of(ec2, tags)}
    for name in names[:-1]:
        if name in groups and not delete_unused_group(ec2, groups[name]["GroupId"]):
            raise NoCapacity("a zone that had no capacity has machines of this run now")
    group = groups.get(names[-1])
    if group is None:
        try:
            made = ec2.create_security_group(
                GroupName=names[-1],
                Description=f"Benchsite {tags.run}",
                VpcId=vpc_id,
                TagSpecifications=tags.specifications("security-group"),
            )
            group = {"GroupId": made["GroupId"], "IpPermissions": []}
        except ClientError as error:
            if code_of(error) != "InvalidGroup.Duplicate":
                raise
            raise TryAgain("the security group of the run was just created and is not listed yet") from error
    if not group["IpPermissions"]:
        _open(ec2, group["GroupId"], worker_cidr)
    group_id: str = group["GroupId"]
    return group_id


def key_pair(ec2: Any, tags: Tags, public_key: str) -> str:
    """The key pair of the run, imported once. Returns its name."""
    try:
        ec2.import_key_pair(
            KeyName=tags.name,
            PublicKeyMaterial=public_key.encode(),
            TagSpecifications=tags.specifications("key-pair"),
        )
    except ClientError as error:
        if code_of(error) != "InvalidKeyPair.Duplicate":
            raise
    return tags.name


def _groups_of(ec2: Any, tags: Tags) -> Sequence[dict[str, Any]]:
    groups: Sequence[dict[str, Any]] = ec2.describe_security_groups(Filters=tags.of_run)["SecurityGroups"]
    return groups


def _open(ec2: Any, group_id: str, worker_cidr: str) -> None:
    ssh: dict[str, Any] = {"IpProtocol": "tcp", "FromPort": SSH_PORT, "ToPort": SSH_PORT}
    if ":" in worker_cidr:
        ssh["Ipv6Ranges"] = [{"CidrIpv6": worker_cidr, "Description": "worker"}]
    else:
        ssh["IpRanges"] = [{"CidrIp": worker_cidr, "Description": "worker"}]
    inside = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    try:
        ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=[ssh, inside])
    except ClientError as error:
        if code_of(error) != "InvalidPermission.Duplicate":  # another worker was faster: one call sets both rules
            raise


def _reversed(text: str) -> tuple[int, ...]:
    """For sorting in reverse."""
    return tuple(-ord(letter) for letter in text)
