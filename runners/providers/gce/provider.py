"""Clusters on Compute Engine: implements Provider with the calls of compute.py."""

from collections.abc import Collection, Sequence

from runners.providers.base import (
    Abilities,
    InvalidPlan,
    Leftover,
    Machine,
    NodeOrder,
    NodeRequest,
    Provider,
    Survey,
    TryAgain,
)
from runners.providers.gce import compute, instances, operations
from runners.providers.gce.compute import Inventory, Place
from runners.providers.gce.errors import translated
from runners.providers.gce.instances import SPOT
from runners.providers.gce.labels import Labels
from runners.providers.gce.launch import Launch
from runners.providers.gce.operations import Interrupted
from runners.providers.gce.session import clients
from runners.providers.gce.survey import survey
from runners.providers.gce.traits import Site


class GceProvider(Provider):
    """Works in one project, with the SDK's credentials or those of a service account that it impersonates."""

    slug = "gce"
    abilities = Abilities(spot=True, multi_zone=True, local_disks=True, provisioned_disks=True, replaces=True)

    def __init__(self, site: Site) -> None:
        self.site = site

    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        """Waits up to a minute for GCE to confirm the machines: it may have no capacity.

        Looks for earlier calls of the run first, and repeats a call under the same request id.
        """
        labels = Labels(self.site.id, order.tag, order.owner, order.expires_at)
        region = _region_of(order)
        place = self.place(region)
        with translated():
            known = {machine.name: machine for machine in self._look(place, labels, is_spot=order.spot)}
            machines = Launch(self.site, place, order, labels, region).complete(known)
        return [machines[node.name] for node in order.nodes]

    def check_credentials(self) -> None:
        with translated():
            clients(self.site.impersonate, self.site.endpoint).check_credentials()

    def survey(self, nodes: Sequence[NodeRequest], *, region: str, spot: bool) -> Survey:
        with translated():
            return survey(self.site, self.place(region), nodes, region=region, spot=spot)

    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        with translated():
            return self._look(self.place(region), Labels(self.site.id, tag))

    def history(self, tag: str, region: str | None) -> Sequence[Machine]:
        """The machines that exist, and those whose creation and end GCE's operations show."""
        labels, place = Labels(self.site.id, tag), self.place(region)
        with translated():
            listed = compute.instances(place, labels.of_run)
            lives = operations.lives(place, labels)
        machines = [instances.ended_machine(labels, life) for life in lives]
        machines += [instances.machine(labels, zone, instance, frozenset()) for zone, instance in listed]
        return list({machine.provider_id: machine for machine in machines}.values())

    def terminate(self, tag: str, region: str | None) -> bool:
        """Machines, then disks and firewall rules.

        An empty list counts only if no operation is creating a machine or has just created one: GCE may not list it
        yet. The firewall rules are deleted last, so that they exist as long as the run does. A zone that does not
        answer keeps this from being True, but not the machines of the other zones alive.
        """
        labels, place = Labels(self.site.id, tag), self.place(region)
        unseen: dict[str, str] = {}
        with translated():
            machines = compute.instances(place, labels.of_run, unseen)  # one list, as long as there are any
            if machines:
                compute.delete(place, Inventory(machines, (), ()))
            if unseen:
                raise TryAgain("; ".join(f"{where}: {reason}" for where, reason in sorted(unseen.items())))
            if machines or operations.may_yet_appear(place, labels):
                return False
            found = compute.inventory(place, labels.site, tag)
            if found.is_empty:
                return True
            compute.delete(place, found)
            return compute.inventory(place, labels.site, tag).is_empty

    def remove(self, tag: str, region: str | None, names: Collection[str]) -> bool:
        """Waits for the end of the deletion: a machine that is stopping is billed."""
        labels, place = Labels(self.site.id, tag), self.place(region)
        with translated():
            listed = compute.instances(place, labels.of_run)
            doomed = [(zone, instance) for zone, instance in listed if labels.node_of(instance.name) in names]
            compute.delete(place, Inventory(doomed, (), ()))
        return not doomed

    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        """In one region, or in all."""
        with translated():
            existing = compute.inventory(self.place(region), self.site.id, unseen=unseen)
        return [
            *(instances.leftover("instance", zone, instance) for zone, instance in existing.instances),
            *(instances.leftover("disk", zone, disk) for zone, disk in existing.disks),
            *map(instances.leftover_firewall, existing.firewalls),
        ]

    def place(self, region: str | None) -> Place:
        with translated():
            api = clients(self.site.impersonate, self.site.endpoint)
        return Place(api, self.site.project, region)

    def _look(self, place: Place, labels: Labels, *, is_spot: bool | None = None) -> list[Machine]:
        """The machines of a run that GCE lists, and the Spot machines that it has taken back and no longer lists."""
        listed = compute.instances(place, labels.of_run)
        if is_spot is None:
            is_spot = not listed or any(instance.scheduling.provisioning_model == SPOT for _, instance in listed)
        interrupted = operations.interrupted(place, labels) if is_spot else set()
        unlisted = interrupted - {Interrupted(zone, instance.name) for zone, instance in listed}
        return [
            *(instances.machine(labels, zone, instance, interrupted) for zone, instance in listed),
            *(instances.interrupted_machine(labels, spot) for spot in sorted(unlisted)),
        ]


def _region_of(order: NodeOrder) -> str:
    zones = [node.zone for node in order.nodes if node.zone]
    if order.region or zones:
        return order.region or zones[0].rpartition("-")[0]
    raise InvalidPlan("GCE needs a region or zones: name one in the plan")
