"""Machines in GCE's API: the body of a bulkInsert call, and its lists as machines and leftovers."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any

from google.cloud import compute_v1 as api

from runners.choices import NodeState
from runners.providers.base import Leftover, Machine, NodeOrder
from runners.providers.gce import disks
from runners.providers.gce import labels as labelling
from runners.providers.gce.groups import Group
from runners.providers.gce.labels import Labels
from runners.providers.gce.operations import Interrupted, Life
from runners.providers.gce.shapes import Image, Shape

SPOT = "SPOT"
_STATES = {
    "PENDING": NodeState.PENDING,
    "PROVISIONING": NodeState.PENDING,
    "STAGING": NodeState.PENDING,
    "RUNNING": NodeState.RUNNING,
}


def properties(
    order: NodeOrder,
    labels: Labels,
    group: Group,
    *,
    shape: Shape,
    image: Image,
    interface: api.NetworkInterface,
    root_gib: int,
) -> api.InstanceProperties:
    """The properties of a group. Without a service account: the machines may not call any Google API."""
    values = labels.values(**{labelling.ROLE: group.role})
    return api.InstanceProperties(
        description=f"Benchsite {order.tag}",
        machine_type=group.instance_type,
        disks=disks.attached(group.disks, shape, image, root_gib=root_gib, labels=values),
        network_interfaces=[interface],
        labels=values,
        tags=api.Tags(items=[labels.prefix]),
        scheduling=_scheduling(order),
        metadata=api.Metadata(
            items=[
                api.Items(key="user-data", value=order.user_data),
                # neither the project's keys nor its users may log in
                api.Items(key="block-project-ssh-keys", value="TRUE"),
                api.Items(key="enable-oslogin", value="FALSE"),
            ]
        ),
    )


def _scheduling(order: NodeOrder) -> api.Scheduling:
    """GCE itself deletes a machine when the run expires, whether or not this site still works."""
    scheduling = api.Scheduling(
        provisioning_model=SPOT if order.spot else "STANDARD",
        instance_termination_action="DELETE",
        termination_time=order.expires_at.astimezone(UTC).isoformat(timespec="seconds"),
        automatic_restart=False,  # a restarted machine would have empty local disks
    )
    if order.spot:
        scheduling.on_host_maintenance = "TERMINATE"
    return scheduling


def machine(labels: Labels, zone: str, instance: Any, taken: Collection[Interrupted]) -> Machine:
    """The address for SSH is the public one, if the machine has one."""
    interfaces: Iterable[Any] = instance.network_interfaces[:1]
    private = next((interface.network_i_p for interface in interfaces), "") or None
    configs = [config for interface in interfaces for config in interface.access_configs]
    public = next((config.nat_i_p for config in configs if config.nat_i_p), None)
    return Machine(
        name=labels.node_of(instance.name),
        provider_id=f"{zone}/{instance.name}",
        state=_STATES.get(instance.status, NodeState.LOST),  # stopping, stopped, suspended, repaired
        zone=zone,
        address=public or private,
        private_address=private,
        launched_at=_time(instance.creation_timestamp),
        is_interrupted=Interrupted(zone, instance.name) in taken,
        volume_links=disks.volume_links(instance),
    )


def interrupted_machine(labels: Labels, spot: Interrupted) -> Machine:
    """A Spot machine that GCE no longer lists."""
    name, provider_id = labels.node_of(spot.name), f"{spot.zone}/{spot.name}"
    return Machine(name, provider_id, NodeState.LOST, spot.zone, is_interrupted=True)


def ended_machine(labels: Labels, life: Life) -> Machine:
    """A machine that GCE no longer lists, or does not list yet."""
    return Machine(
        name=labels.node_of(life.name),
        provider_id=f"{life.zone}/{life.name}",
        state=NodeState.TERMINATED if life.ended_at else NodeState.PENDING,
        zone=life.zone,
        launched_at=life.created_at,
        terminated_at=life.ended_at,
    )


def promised(labels: Labels, group: Group, operation: api.Operation) -> list[Machine]:
    """The machines of a successful operation; a list may not contain them yet."""
    return [
        Machine(
            name=name,
            provider_id=f"{group.zone}/{labels.name_of(name)}",
            state=NodeState.PENDING,
            zone=group.zone,
            launched_at=_time(operation.insert_time),
        )
        for name in group.names
    ]


def leftover(kind: str, zone: str, thing: Any) -> Leftover:
    values = dict(thing.labels)
    return Leftover(
        kind,
        f"{zone}/{thing.name}",
        values.get(labelling.RUN, ""),
        labelling.expiry(values),
        zone.rpartition("-")[0],
    )


def leftover_firewall(rule: api.Firewall) -> Leftover:
    labels = labelling.from_description(rule.description)
    region = labels.get(labelling.REGION)
    return Leftover("firewall", rule.name, labels[labelling.RUN], labelling.expiry(labels), region)


def _time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
