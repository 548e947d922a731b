"""Clusters on EC2: implements Provider with the calls of ec2.py."""

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from runners.choices import NodeState
from runners.providers.aws import disks, ec2, groups, images, network
from runners.providers.aws import tags as tagging
from runners.providers.aws.errors import of_state, translated
from runners.providers.aws.groups import Group
from runners.providers.aws.session import Clients
from runners.providers.aws.survey import survey
from runners.providers.aws.tags import Tags
from runners.providers.base import (
    Abilities,
    InvalidPlan,
    Leftover,
    Machine,
    NoCapacity,
    NodeOrder,
    NodeRequest,
    NotAllowed,
    Provider,
    ProviderError,
    Survey,
    TryAgain,
)

log = logging.getLogger(__name__)

_STATES = {"pending": NodeState.PENDING, "running": NodeState.RUNNING, "terminated": NodeState.TERMINATED}
_ENDED_AT = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)")  # in the reason of the last change
_SPOT_TERMINATION = "Server.SpotInstanceTermination"


@dataclass(frozen=True, slots=True)
class Site:
    """The site's settings for AWS."""

    id: str  # separates the sites that share an account
    image: str = "ubuntu-24.04"  # see images.find
    vpc_id: str | None = None  # None: the default VPC
    root_gib: int = 40


class AwsProvider(Provider):
    """Works in a user's own account with a role (`role_arn`, `external_id`), else in the site's account."""

    slug = "aws"
    abilities = Abilities(spot=True, multi_zone=True, local_disks=True, provisioned_disks=True, replaces=True)

    def __init__(self, site: Site, *, role_arn: str | None = None, external_id: str | None = None) -> None:
        self._site = site
        self._clients = Clients(role_arn, external_id)

    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        tags = Tags(self._site.id, order.tag, order.owner, order.expires_at)
        with translated():
            client = self.client("ec2", order.region)
            known = {machine.name: machine for machine in _described(client, tags)}
            if missing := _not_made(groups.groups_of(order), known):
                new = self._make(client, order, tags, missing, is_first=not known)
                known |= {machine.name: machine for machine in new}
        return [known[node.name] for node in order.nodes]

    def check_credentials(self) -> None:
        with translated():
            self._clients.check_credentials()

    def survey(self, nodes: Sequence[NodeRequest], *, region: str, spot: bool) -> Survey:
        with translated():
            return survey(
                nodes,
                region=region,
                spot=spot,
                client=lambda service: self.client(service, region),
                image=self._site.image,
                vpc_id=self._site.vpc_id,
            )

    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        with translated():
            client = self.client("ec2", region)
            found = _described(client, Tags(self._site.id, tag))
        return [machine for machine in found if machine.state != NodeState.TERMINATED or machine.is_interrupted]

    def history(self, tag: str, region: str | None) -> Sequence[Machine]:
        """EC2 lists a terminated machine for about an hour, with the time of its end."""
        filters = Tags(self._site.id, tag).of_run
        with translated():
            client = self.client("ec2", region)
            instances = _newest_first(ec2.instances(client, filters))
            is_spot = any(instance.get("InstanceLifecycle") == "spot" for instance in instances)
            ends = ec2.spot_ends(client, filters) if is_spot else {}
        machines = [_machine(instance, frozenset()) for instance in instances]
        return [replace(each, terminated_at=each.terminated_at or ends.get(each.provider_id)) for each in machines]

    def terminate(self, tag: str, region: str | None) -> bool:
        """Machines, then volumes, security group and key pair.

        EC2 does not delete a security group while a machine uses it. So this is not True while a machine exists
        that is not listed yet; and once the group is deleted, a delayed worker cannot create another machine.
        """
        tags = Tags(self._site.id, tag)
        with translated():
            client = self.client("ec2", region)
            found = ec2.inventory(client, tags.of_run)
            if found.is_empty:
                return True
            ec2.delete(client, found)
            return not found.instances and ec2.inventory(client, tags.of_run).is_empty

    def remove(self, tag: str, region: str | None, names: Collection[str]) -> bool:
        """EC2 bills no machine that is shutting down."""
        with translated():
            client = self.client("ec2", region)
            instances = ec2.instances(client, Tags(self._site.id, tag).of_run)
            left = [each for each in instances if each["State"]["Name"] not in ("shutting-down", "terminated")]
            doomed = [each["InstanceId"] for each in left if _machine(each, frozenset()).name in names]
            ec2.terminate(client, doomed)
        return not doomed

    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        """In one region, or in all that the account can use."""
        names = [region] if region else self._regions(unseen)
        found: list[Leftover] = []
        refusals: list[NotAllowed] = []
        for name in names:
            try:
                found += self._left_in(name)
            except NotAllowed as error:  # an organization may forbid regions; nothing was launched there either
                refusals.append(error)
            except ProviderError as error:
                if unseen is None:
                    raise
                unseen[name] = str(error)
        if len(refusals) == len(names):
            raise refusals[0]
        if refusals:
            log.info("sweep: AWS allows access to %d of %d regions", len(names) - len(refusals), len(names))
        return found

    def _regions(self, unseen: dict[str, str] | None) -> list[str]:
        """Those of the account; when EC2 does not answer, all that the SDK knows."""
        anywhere = self._clients.default_region or "us-east-1"
        try:
            with translated():
                return ec2.regions(self.client("ec2", anywhere))
        except TryAgain as error:
            if unseen is None:
                raise
            unseen[f"the list of regions, from {anywhere}"] = str(error)
            return self._clients.known_regions

    def client(self, service: str, region: str | None) -> Any:
        chosen = region or self._clients.default_region
        if not chosen:
            raise InvalidPlan("AWS needs a region: name one in the plan, or set AWS_DEFAULT_REGION")
        return self._clients.get(service, chosen)

    def _make(
        self, client: Any, order: NodeOrder, tags: Tags, missing: Sequence[Group], *, is_first: bool
    ) -> list[Machine]:
        types = ec2.instance_types(client, {group.instance_type for group in missing})
        architectures = {name: images.architecture_of(found) for name, found in types.items()}
        ssm = self.client("ssm", order.region)
        image_for = images.find(client, ssm, self._site.image, sorted(set(architectures.values())))
        where = network.find_network(client, self._site.vpc_id)
        is_open = None in {group.zone for group in missing}
        anywhere = network.zone_with(client, types, where.subnets, full=order.full_zones) if is_open else None
        shared = {
            "SecurityGroupIds": [
                network.security_group(
                    client,
                    tags,
                    vpc_id=where.vpc_id,
                    worker_cidr=order.worker_cidr,
                    moves=order.moves,
                )
            ],
            "KeyName": network.key_pair(client, tags, order.ssh_public_key),
            "UserData": order.user_data,
        }
        order.check_wanted()
        made: list[Machine] = []
        for group in missing:
            zone = group.zone or anywhere or ""
            if zone not in where.subnets:
                raise InvalidPlan(f"{where.vpc_id} has no subnet in zone {zone}")
            image = image_for[architectures[group.instance_type]]
            request = self._request(order, tags, group, types[group.instance_type], image)
            request |= {"SubnetId": where.subnets[zone], **shared}
            try:
                made += _created(client, len(group.names), order.spot, request)
            except NoCapacity as error:
                if not is_first or made:
                    raise
                open_zone = zone if anywhere is not None else None
                raise NoCapacity(str(error), open_zone, instance_type=group.instance_type) from error
        return made

    def _request(
        self, order: NodeOrder, tags: Tags, group: Group, instance_type: Mapping[str, Any], image: images.Image
    ) -> dict[str, Any]:
        """The part of a RunInstances call that depends on the group only: identical on every repetition."""
        resources = ["instance", "volume", "network-interface"] + ["spot-instances-request"] * order.spot
        return {
            "ClientToken": group.token(self._site.id, order.tag, order.full_zones),
            "ImageId": image.id,
            "InstanceType": group.instance_type,
            "BlockDeviceMappings": disks.mappings(
                group.disks,
                instance_type,
                root_device=image.root_device,
                root_gib=max(self._site.root_gib, image.root_gib),
            ),
            "TagSpecifications": tags.specifications(*resources, names=groups.pack(group.names), role=group.role),
        }

    def _left_in(self, region: str) -> list[Leftover]:
        with translated():
            found = ec2.inventory(self.client("ec2", region), tagging.of_site(self._site.id))
        left = []
        for kind, provider_id, thing in found.things():
            tags = tagging.values(thing)
            left.append(Leftover(kind, provider_id, tags.get(tagging.RUN, ""), tagging.expiry(tags), region))
        return left


def _created(client: Any, count: int, spot: bool, request: dict[str, Any]) -> list[Machine]:
    """The machines of one call."""
    with translated():
        answer = ec2.run_instances(client, count=count, spot=spot, **request)
    return [_machine(instance, frozenset()) for instance in answer]


def _described(client: Any, tags: Tags) -> list[Machine]:
    """The machines of the run that EC2 lists, one per name. Raises NoCapacity when a promised one never started."""
    instances = ec2.instances(client, tags.of_run)
    for instance in instances:
        _check_started(instance)
    is_spot = any(instance.get("InstanceLifecycle") == "spot" for instance in instances)
    taken_back = ec2.taken_back(client, tags.of_run) if is_spot else set()
    # If a name ever has two machines, all workers use the older one; both are deleted with the run.
    machines = [_machine(instance, taken_back) for instance in _newest_first(instances)]
    return list({machine.name: machine for machine in machines}.values())


def _newest_first(instances: Collection[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(instances, key=lambda instance: (instance["LaunchTime"], instance["InstanceId"]), reverse=True)


def _machine(instance: Mapping[str, Any], taken_back: Collection[str]) -> Machine:
    names = groups.unpack(tagging.values(instance).get(tagging.NAMES, ""))
    index = instance["AmiLaunchIndex"]
    provider_id = instance["InstanceId"]
    reason = instance.get("StateReason", {}).get("Code")
    return Machine(
        name=names[index] if index < len(names) else provider_id,
        provider_id=provider_id,
        state=_STATES.get(instance["State"]["Name"], NodeState.LOST),  # shutting down or stopped
        zone=instance["Placement"]["AvailabilityZone"],
        address=instance.get("PublicIpAddress") or instance.get("PrivateIpAddress"),
        private_address=instance.get("PrivateIpAddress"),
        launched_at=instance["LaunchTime"],
        terminated_at=_end_of(instance),
        is_interrupted=provider_id in taken_back or reason == _SPOT_TERMINATION,
        volume_links=disks.volume_links(instance),
    )


def _end_of(instance: Mapping[str, Any]) -> datetime | None:
    """When it began to shut down, which is when it stops to cost; at once for a machine that was never started."""
    if instance["State"]["Name"] not in ("shutting-down", "terminated"):
        return None
    if _never_started(instance):
        launched_at: datetime = instance["LaunchTime"]
        return launched_at
    found = _ENDED_AT.search(instance.get("StateTransitionReason", ""))
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC) if found else None


def _never_started(instance: Mapping[str, Any]) -> ProviderError | None:
    is_over = instance["State"]["Name"] == "terminated"
    return of_state(instance.get("StateReason", {})) if is_over else None


def _check_started(instance: Mapping[str, Any]) -> None:
    """EC2 may accept a machine and then not start it: it goes from pending to terminated."""
    if error := _never_started(instance):
        raise type(error)(f"{instance['InstanceId']} was never started: {error}")


def _not_made(wanted: Sequence[Group], known: Collection[str]) -> list[Group]:
    """The groups without any machine: a call creates all of a group or none, so a part is never created again."""
    missing = []
    for group in wanted:
        there = sum(name in known for name in group.names)
        if 0 < there < len(group.names):
            raise TryAgain(f"EC2 lists {there} of {len(group.names)} machines that were created in one call")
        if not there:
            missing.append(group)
    return missing
