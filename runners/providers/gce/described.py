"""What GCE says of machines and other things, in the words of every provider."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from google.cloud import compute_v1 as api

from runners.choices import NodeState
from runners.providers.base import Leftover, Machine
from runners.providers.gce import labels as labelling
from runners.providers.gce.groups import Group
from runners.providers.gce.history import Interrupted
from runners.providers.gce.labels import Labels

_STATES = {
    "PENDING": NodeState.PENDING,
    "PROVISIONING": NodeState.PENDING,
    "STAGING": NodeState.PENDING,
    "RUNNING": NodeState.RUNNING,
}


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
