"""What EC2 does and moto does not, action by action: before moto sees a request, and after it has answered."""

from collections.abc import Callable
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from tests.lab import ec2_account
from tests.lab.ec2_instances import Instances
from tests.lab.ec2_placement import PlacementGroups
from tests.lab.ec2_spot import SpotRequests
from tests.lab.ec2_volumes import complete_volumes, refuse_impossible_volumes
from tests.lab.ec2_wire import Refused, answer, parameters
from tests.lab.faults import Faults

Fields = dict[str, str]
Given = dict[str, Any]  # a request's parameters in boto3's names


class Gaps:
    def __init__(self, instances: Instances, faults: Faults) -> None:
        self.instances, self.faults = instances, faults
        self.spot, self.groups = SpotRequests(instances), PlacementGroups(instances)
        self._answers: dict[str, Callable[[str, Given], Any]] = {
            "CreatePlacementGroup": self.groups.create,
            "DescribePlacementGroups": self.groups.describe,
            "DeletePlacementGroup": self.groups.delete,
            "DescribeSpotInstanceRequests": self.spot.describe,
            "CancelSpotInstanceRequests": self.spot.cancel,
        }
        self.clear()

    def clear(self) -> None:
        self._tokens: dict[tuple[str, str], tuple[Fields, bytes]] = {}
        self.spot.clear()
        self.groups.clear()

    def before(self, region: str, action: str, fields: Fields) -> tuple[Fields, bytes | None]:
        """The request as moto shall see it, or the answer that needs no moto. Raises Refused."""
        given = parameters(fields)
        if action in self._answers:
            return fields, answer(action, self._answers[action](region, given))
        if action == "RunInstances":
            return self._before_run(region, fields, given)
        if action == "DeleteSecurityGroup":
            self.instances.refuse_dependent(given.get("GroupId", ""))
        elif action == "TerminateInstances" and self.faults.strikes("terminate"):
            message = f"The instance '{given['InstanceIds'][0]}' may not be terminated."
            raise Refused(self.faults.text("terminate"), message)
        elif action == "CreateTags":
            self.spot.tag(given["Resources"], given["Tags"])
        return fields, None

    def after(self, region: str, action: str, fields: Fields, body: bytes) -> bytes:
        """Complete what moto has done; returns the answer, completed as well."""
        if action == "RunInstances":
            return self._after_run(region, fields)
        if action == "TerminateInstances":
            self.instances.end(parameters(fields)["InstanceIds"])
        return body

    def _before_run(self, region: str, fields: Fields, given: Given) -> tuple[Fields, bytes | None]:
        token = fields.get("ClientToken")
        if token and (region, token) in self._tokens:
            first, body = self._tokens[region, token]
            if first != fields:
                text = f"Arguments on this idempotent request are inconsistent with arguments used before: {token}"
                raise Refused("IdempotentParameterMismatch", text)
            return fields, body
        given = _with_template(region, given)
        zone, fields = _place(region, fields, given)
        _refuse_wrong(region, zone, given)
        refuse_impossible_volumes(given)
        self.groups.refuse_unknown(region, given.get("Placement", {}).get("GroupName"))
        if self.faults.strikes("quota"):
            text = "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance "
            raise Refused("VcpuLimitExceeded", text + "bucket that the specified instance type belongs to.")
        count = self.faults.take_capacity(zone, given["MinCount"], given["MaxCount"])
        if not count:
            text = f"We currently do not have sufficient {given['InstanceType']} capacity in the Availability Zone "
            raise Refused("InsufficientInstanceCapacity", text + f"you requested ({zone}).", 500)
        return {**fields, "MinCount": str(count)}, None  # moto starts only MinCount

    def _after_run(self, region: str, fields: Fields) -> bytes:
        given = _with_template(region, parameters(fields))
        ec2 = ec2_account.backend(region)
        reservation = next(reversed(ec2.reservations.values()))
        for instance in reservation.instances:
            life = self.instances.add(region, instance)
            instance.placement.group_name = given.get("Placement", {}).get("GroupName", "")
            complete_volumes(ec2, instance, given)
            if given.get("InstanceMarketOptions", {}).get("MarketType") == "spot":
                self.spot.request(life, given)
        return answer("RunInstances", reservation)

    def remember(self, region: str, fields: Fields, body: bytes) -> None:
        """The same ClientToken gets this answer from now on."""
        if fields["Action"] == "RunInstances" and fields.get("ClientToken"):
            self._tokens.setdefault((region, fields["ClientToken"]), (fields, body))


def _with_template(region: str, given: Given) -> Given:
    """The parameters with what the launch template adds."""
    if "LaunchTemplate" not in given:
        return given
    template = ec2_account.backend(region)._get_template_from_args(given["LaunchTemplate"])
    return {**template.data, **given}


def _place(region: str, fields: Fields, given: Given) -> tuple[str, Fields]:
    """The zone, and the request with the default subnet of the zone named where it names none: moto's own choice
    would be an address outside of any subnet."""
    ec2 = ec2_account.backend(region)
    interfaces = given.get("NetworkInterfaces", [])
    subnet_id = given.get("SubnetId") or next((one["SubnetId"] for one in interfaces if "SubnetId" in one), None)
    if subnet_id is None:
        wanted = given.get("Placement", {}).get("AvailabilityZone")
        defaults = {subnet.availability_zone: subnet.id for subnet in ec2.get_default_subnets().values()}
        zone = wanted or sorted(defaults)[0]
        if zone not in defaults:
            raise Refused("InvalidInput", f"No default subnet for availability zone: '{zone}'.")
        name = "NetworkInterface.1.SubnetId" if interfaces else "SubnetId"
        return zone, {**fields, name: defaults[zone]}
    subnets = [subnet for subnet in ec2.describe_subnets() if subnet.id == subnet_id]
    if not subnets:
        raise Refused("InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist")
    return subnets[0].availability_zone, fields


def _refuse_wrong(region: str, zone: str, given: Given) -> None:
    """The checks of EC2 on image, type and key pair, with its codes."""
    ec2 = ec2_account.backend(region)
    image = ec2.amis.get(given.get("ImageId", ""))
    if image is None:
        raise Refused("InvalidAMIID.NotFound", f"The image id '[{given.get('ImageId')}]' does not exist")
    key = given.get("KeyName")
    if key and key not in ec2.key_pairs:
        raise Refused("InvalidKeyPair.NotFound", f"The key pair '{key}' does not exist")
    kind = given.setdefault("InstanceType", "m1.small")
    if kind not in INSTANCE_TYPES:
        raise Refused("InvalidParameterValue", f"Invalid value '{kind}' for InstanceType.")
    offers = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(region, [])
    if not any(offer["InstanceType"] == kind and offer["Location"] == zone for offer in offers):
        text = f"Your requested instance type ({kind}) is not supported in your requested Availability Zone ({zone})."
        raise Refused("Unsupported", text)
    supported = INSTANCE_TYPES[kind]["ProcessorInfo"]["SupportedArchitectures"]
    if image.architecture not in supported:
        text = f"The architecture '{supported[0]}' of the specified instance type does not match the architecture "
        raise Refused("InvalidParameterValue", text + f"'{image.architecture}' of the specified AMI.")
