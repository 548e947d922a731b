"""Machines as GCE writes them: the body of a bulkInsert call, and what a list says about each."""

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
from runners.providers.gce.operations import Interrupted
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
    """What follows from the group. No service account: the machines may call no API of Google's."""
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
                # neither the project's keys nor its users open these machines
                api.Items(key="block-project-ssh-keys", value="TRUE"),
                api.Items(key="enable-oslogin", value="FALSE"),
            ]
        ),
    )


def _scheduling(order: NodeOrder) -> api.Scheduling:
    """GCE itself deletes a machine at the run's expiry, whatever became of this site."""
    found = api.Scheduling(
        provisioning_model=SPOT if order.spot else "STANDARD",
        instance_termination_action="DELETE",
        termination_time=order.expires_at.astimezone(UTC).isoformat(timespec="seconds"),
        automatic_restart=False,  # a machine that comes back is another: its local disks are empty
    )
    if order.spot:
        found.on_host_maintenance = "TERMINATE"
    return found


def machine(labels: Labels, zone: str, instance: Any, taken: Collection[Interrupted]) -> Machine:
    """The address for ssh is the public one where there is one."""
    interfaces: Iterable[Any] = instance.network_interfaces[:1]
    private = next((one.network_i_p for one in interfaces), "") or None
    public = next((config.nat_i_p for one in interfaces for config in one.access_configs if config.nat_i_p), None)
    return Machine(
        name=labels.node_of(instance.name),
        provider_id=f"{zone}/{instance.name}",
        state=_STATES.get(instance.status, NodeState.LOST),  # stopping, stopped, suspended, repaired
        zone=zone,
        address=public or private,
        private_address=private,
        launched_at=_time(instance.creation_timestamp),
        is_interrupted=Interrupted(zone, instance.name) in taken,
    )


def taken_back(labels: Labels, one: Interrupted) -> Machine:
    """A Spot machine that GCE does not list any more."""
    return Machine(labels.node_of(one.name), f"{one.zone}/{one.name}", NodeState.LOST, one.zone, is_interrupted=True)


def promised(labels: Labels, group: Group, operation: api.Operation) -> list[Machine]:
    """The machines that GCE has said it made; a list may not show them yet."""
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


def firewall_left(rule: api.Firewall) -> Leftover:
    said = labelling.from_description(rule.description)
    return Leftover("firewall", rule.name, said[labelling.RUN], labelling.expiry(said), said.get(labelling.REGION))


def _time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
