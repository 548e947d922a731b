"""Calls of EC2: listing by tag, creating a group of machines, deleting. A list costs one request per page."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from runners.providers.aws import tags as tagging
from runners.providers.aws.errors import code_of

Described = dict[str, Any]

PAGE = 1000
VOLUMES_PAGE = 500
TYPES_PAGE = 100
IDS_IN_CALL = 500
# EC2 deletes volumes one by one; nearly all are deleted with their machine, the rest can wait for the next call.
VOLUMES_AT_A_TIME = 50

_GONE = frozenset({"InvalidGroup.NotFound", "InvalidKeyPair.NotFound", "InvalidVolume.NotFound"})
_IN_USE = frozenset({"DependencyViolation", "InvalidGroup.InUse", "VolumeInUse", "IncorrectState"})
_OPEN_REQUESTS = ("open", "active")
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-request-status.html
_TAKEN_BACK = frozenset(
    {
        "instance-stopped-by-price",
        "instance-terminated-by-price",
        "instance-terminated-capacity-oversubscribed",
        "instance-terminated-launch-group-constraint",
        "instance-terminated-no-capacity",
        "marked-for-stop",
        "marked-for-termination",
    }
)
SPOT = {
    "MarketType": "spot",
    "SpotOptions": {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"},
}


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that exists and matches, without terminated machines."""

    instances: Sequence[Described]
    spot_requests: Sequence[Described]
    volumes: Sequence[Described]
    security_groups: Sequence[Described]
    key_pairs: Sequence[Described]

    def things(self) -> Iterator[tuple[str, str, Described]]:
        """(kind, id, description by EC2) of each."""
        for kind, key, things in (
            ("instance", "InstanceId", self.instances),
            ("spot-request", "SpotInstanceRequestId", self.spot_requests),
            ("volume", "VolumeId", self.volumes),
            ("security-group", "GroupId", self.security_groups),
            ("key-pair", "KeyPairId", self.key_pairs),
        ):
            for thing in things:
                yield kind, thing[key], thing

    @property
    def is_empty(self) -> bool:
        return next(self.things(), None) is None


def inventory(ec2: Any, filters: tagging.Filters) -> Inventory:
    return Inventory(
        instances=[instance for instance in instances(ec2, filters) if instance["State"]["Name"] != "terminated"],
        spot_requests=[request for request in spot_requests(ec2, filters) if request["State"] in _OPEN_REQUESTS],
        volumes=_listed(ec2, "describe_volumes", "Volumes", filters, VOLUMES_PAGE),
        security_groups=_listed(ec2, "describe_security_groups", "SecurityGroups", filters, PAGE),
        key_pairs=ec2.describe_key_pairs(Filters=filters)["KeyPairs"],
    )


def instances(ec2: Any, filters: tagging.Filters) -> list[Described]:
    """In any state; EC2 lists a terminated one for about an hour."""
    reservations = _listed(ec2, "describe_instances", "Reservations", filters, PAGE)
    return [instance for reservation in reservations for instance in reservation["Instances"]]


def spot_requests(ec2: Any, filters: tagging.Filters) -> list[Described]:
    return _listed(ec2, "describe_spot_instance_requests", "SpotInstanceRequests", filters, PAGE)


def taken_back(ec2: Any, filters: tagging.Filters) -> set[str]:
    """Instances that EC2 is interrupting or has interrupted, according to their spot requests."""
    return {
        request["InstanceId"]
        for request in spot_requests(ec2, filters)
        if request.get("Status", {}).get("Code") in _TAKEN_BACK and "InstanceId" in request
    }


def spot_ends(ec2: Any, filters: tagging.Filters) -> dict[str, datetime]:
    """When EC2 ended spot instances, according to their requests: the instances do not have the time."""
    return {
        request["InstanceId"]: request["Status"]["UpdateTime"]
        for request in spot_requests(ec2, filters)
        if request.get("Status", {}).get("Code", "").startswith("instance-terminated-")
        and "UpdateTime" in request["Status"]
        and "InstanceId" in request
    }


def instance_types(ec2: Any, names: Collection[str]) -> dict[str, Described]:
    """DescribeInstanceTypes by name. Raises ClientError InvalidInstanceType for an unknown type."""
    types = ec2.describe_instance_types(InstanceTypes=sorted(names))["InstanceTypes"]
    return {described["InstanceType"]: described for described in types}


def existing_types(ec2: Any, names: Collection[str]) -> dict[str, Described]:
    """As `instance_types`, without those that the region does not have."""
    filters = [{"Name": "instance-type", "Values": sorted(names)}]
    types = _listed(ec2, "describe_instance_types", "InstanceTypes", filters, TYPES_PAGE)
    return {described["InstanceType"]: described for described in types}


def regions(ec2: Any) -> list[str]:
    """The regions that the account can use."""
    return sorted(region["RegionName"] for region in ec2.describe_regions()["Regions"])


def run_instances(ec2: Any, *, count: int, spot: bool, **request: Any) -> list[Described]:
    """Create `count` machines or none. The same ClientToken returns the same machines."""
    answer = ec2.run_instances(
        MinCount=count,
        MaxCount=count,
        # a machine that nobody deleted shuts itself down when it expires, and is deleted then
        InstanceInitiatedShutdownBehavior="terminate",
        MetadataOptions={"HttpTokens": "required", "HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 1},
        **({"InstanceMarketOptions": SPOT} if spot else {}),
        **request,
    )
    created: list[Described] = answer["Instances"]
    return created


def delete(ec2: Any, existing: Inventory) -> None:
    """Delete what can be deleted now: machines first, the rest when none is left. Call again until nothing is left."""
    requests = [request["SpotInstanceRequestId"] for request in existing.spot_requests]
    for batch in _batches(requests, IDS_IN_CALL):
        ec2.cancel_spot_instance_requests(SpotInstanceRequestIds=batch)
    running = [each for each in existing.instances if each["State"]["Name"] != "shutting-down"]
    terminate(ec2, [instance["InstanceId"] for instance in running])
    if existing.instances:
        return
    loose = [volume for volume in existing.volumes if volume["State"] in ("available", "error")]
    for volume in loose[:VOLUMES_AT_A_TIME]:
        _unless_busy(ec2.delete_volume, VolumeId=volume["VolumeId"])
    for group in existing.security_groups:
        _unless_busy(ec2.delete_security_group, GroupId=group["GroupId"])
    for pair in existing.key_pairs:
        _unless_busy(ec2.delete_key_pair, KeyName=pair["KeyName"])


def terminate(ec2: Any, ids: Iterable[str]) -> None:
    for batch in _batches(ids, IDS_IN_CALL):
        ec2.terminate_instances(InstanceIds=batch)


def delete_unused_group(ec2: Any, group_id: str) -> bool:
    """Whether the security group is gone: not while a machine uses it, listed or not."""
    return _unless_busy(ec2.delete_security_group, GroupId=group_id)


def _unless_busy(call: Any, **target: str) -> bool:
    """Skip what is still in use, until the next call, and what has been deleted meanwhile. False: it is in use."""
    try:
        call(**target)
    except ClientError as error:
        if code_of(error) not in _GONE | _IN_USE:
            raise
        return code_of(error) in _GONE
    return True


def _listed(ec2: Any, call: str, key: str, filters: tagging.Filters, page_size: int) -> list[Described]:
    pages = ec2.get_paginator(call).paginate(Filters=filters, PaginationConfig={"PageSize": page_size})
    return [thing for page in pages for thing in page[key]]


def _batches(ids: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(ids)
    while batch := list(islice(remaining, size)):
        yield batch
