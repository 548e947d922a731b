"""Clusters on Compute Engine: the provider's promises over the calls of compute.py."""

from collections.abc import Sequence

from runners.providers.base import Abilities, Leftover, Machine, NodeOrder, Provider, ProviderError
from runners.providers.gce import compute, instances, operations
from runners.providers.gce.compute import Place
from runners.providers.gce.errors import translated
from runners.providers.gce.instances import SPOT
from runners.providers.gce.labels import Labels
from runners.providers.gce.launch import Launch
from runners.providers.gce.operations import Interrupted
from runners.providers.gce.session import clients
from runners.providers.gce.traits import Site


class GceProvider(Provider):
    """In the project of the site, as what the SDK finds or as the service account that it impersonates."""

    slug = "gce"
    abilities = Abilities(spot=True, multi_zone=True, local_disks=True, provisioned_disks=True)

    def __init__(self, site: Site) -> None:
        self._site = site

    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        """Waits, for less than a minute, until GCE says that it has the machines: only then are there enough.

        Looks for the run's earlier calls first, and repeats one under the same request id.
        """
        labels = Labels(self._site.id, order.tag, order.owner, order.expires_at)
        region = _region_of(order)
        place = self._place(region)
        with translated():
            known = {machine.name: machine for machine in self._look(place, labels, is_spot=order.spot)}
            found = Launch(self._site, place, order, labels, region).complete(known)
        return [found[node.name] for node in order.nodes]

    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        with translated():
            return self._look(self._place(region), Labels(self._site.id, tag))

    def terminate(self, tag: str, region: str | None) -> bool:
        """Machines, then disks and firewall rules.

        An empty list is believed when no operation says that a machine is being made or has just been: GCE may not
        list it yet. The rules go last, so that they are there as long as the run is.
        """
        labels, place = Labels(self._site.id, tag), self._place(region)
        with translated():
            found = compute.inventory(place, labels.site, tag)
            if found.instances:
                compute.delete(place, found)
                return False
            if operations.may_yet_appear(place, labels):
                return False
            if found.is_empty:
                return True
            compute.delete(place, found)
            return compute.inventory(place, labels.site, tag).is_empty

    def leftovers(self, region: str | None) -> Sequence[Leftover]:
        """Of one region, or of all."""
        with translated():
            found = compute.inventory(self._place(region), self._site.id)
        return [
            *(instances.leftover("instance", zone, one) for zone, one in found.instances),
            *(instances.leftover("disk", zone, one) for zone, one in found.disks),
            *map(instances.firewall_left, found.firewalls),
        ]

    def _place(self, region: str | None) -> Place:
        with translated():
            found = clients(self._site.impersonate, self._site.endpoint)
        return Place(found, self._site.project, region)

    def _look(self, place: Place, labels: Labels, *, is_spot: bool | None = None) -> list[Machine]:
        """What GCE lists of a run, and the Spot machines that it has taken back and lists no more."""
        listed = compute.instances(place, labels.of_run)
        if is_spot is None:
            is_spot = not listed or any(one.scheduling.provisioning_model == SPOT for _, one in listed)
        taken = operations.interrupted(place, labels) if is_spot else set()
        gone = taken - {Interrupted(zone, one.name) for zone, one in listed}
        return [
            *(instances.machine(labels, zone, one, taken) for zone, one in listed),
            *(instances.taken_back(labels, one) for one in sorted(gone)),
        ]


def _region_of(order: NodeOrder) -> str:
    zones = [node.zone for node in order.nodes if node.zone]
    if order.region or zones:
        return order.region or zones[0].rpartition("-")[0]
    raise ProviderError("GCE needs a region or zones: name one in the plan")
