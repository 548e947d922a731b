"""Creates the machines of an order that were never created, and waits for those that are being created."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from google.api_core.exceptions import NotFound
from google.cloud import compute_v1 as api

from runners.choices import NodeState
from runners.providers.base import Machine, NoCapacity, NodeOrder, ProviderError, TryAgain
from runners.providers.gce import compute, instances, network, operations, shapes
from runners.providers.gce.compute import Place
from runners.providers.gce.errors import of_operation
from runners.providers.gce.groups import Group, groups_of
from runners.providers.gce.labels import Labels
from runners.providers.gce.shapes import Shape
from runners.providers.gce.traits import Site


@dataclass(frozen=True, slots=True)
class Launch:
    """One attempt by one worker; `place` has the region."""

    site: Site
    place: Place
    order: NodeOrder
    labels: Labels
    region: str

    def complete(self, known: Mapping[str, Machine]) -> dict[str, Machine]:
        """All machines of the order by name; `known` are those that GCE lists."""
        if all(is_settled(known.get(node.name)) for node in self.order.nodes):
            return dict(known)
        types = (node.instance_type for node in self.order.nodes)
        types_by_name = shapes.find_shapes(self.place.clients, self.place.project, self.region, types)
        earlier = operations.creations(self.place, self.labels)
        sent: dict[Group, api.Operation] = {}
        new: dict[Group, str] = {}  # with the request id to use
        for group in _groups_in_zones(self.order, types_by_name):
            if all(is_settled(known.get(name)) for name in group.names):
                continue
            attempt, operation = operations.next_attempt(group, self.labels, earlier)
            if operation:
                sent[group] = operation
            elif not _is_listed(group, known, has_failed=attempt > 0):
                new[group] = group.request_id(self.labels.site, self.labels.run, attempt)
        if new:
            sent |= self._make(new, types_by_name)
        outcomes = [of_operation(operation) for operation in compute.finished(self.place, sent.values())]
        if new:
            self._check_not_torn_down()
        if failures := [outcome for outcome in outcomes if outcome]:
            raise self._movable(failures, sent) if len(failures) == len(outcomes) and not known else failures[0]
        promised = {
            machine.name: machine
            for group, operation in sent.items()
            for machine in instances.promised(self.labels, group, operation)
        }
        return promised | dict(known)

    def _movable(self, failures: Sequence[ProviderError], sent: Collection[Group]) -> ProviderError:
        """The failure of a launch that made nothing: another zone may be tried when the order names none, or a type."""
        zones = {group.zone for group in sent}
        if not all(isinstance(failure, NoCapacity) for failure in failures):
            return failures[0]
        is_open = len(zones) == 1 and all(node.zone is None for node in self.order.nodes)
        first = next(iter(sent))  # of all that are out
        return NoCapacity(str(failures[0]), zones.pop() if is_open else None, instance_type=first.instance_type)

    def _make(self, new: Mapping[Group, str], types: Mapping[str, Shape]) -> dict[Group, api.Operation]:
        """Send the calls. When it returns, the firewall exists, the machines do not yet."""
        properties = self._properties(new, types)
        rules = network.firewall_rules(
            self.labels, network=self.site.network, region=self.region, worker_cidr=self.order.worker_cidr
        )
        inserted = [compute.insert_firewall(self.place, rule) for rule in rules]
        for failure in filter(None, map(of_operation, compute.finished(self.place, filter(None, inserted)))):
            raise failure
        self.order.check_wanted()
        return {
            group: compute.bulk_insert(
                self.place,
                group.zone,
                names=[self.labels.name_of(name) for name in group.names],
                properties=properties[group],
                request_id=request_id,
            )
            for group, request_id in new.items()
        }

    def _properties(self, groups: Collection[Group], types: Mapping[str, Shape]) -> dict[Group, api.InstanceProperties]:
        """The properties of each group. Errors in the order are raised here, before anything is created."""
        architectures = {types[group.instance_type].architecture for group in groups}
        images = {arch: shapes.find_image(self.place.clients, self.site.image, arch) for arch in sorted(architectures)}
        interface = network.network_interface(
            network=self.site.network, subnetwork=self.site.subnetwork, region=self.region
        )
        return {
            group: instances.properties(
                self.order,
                self.labels,
                group,
                shape=types[group.instance_type],
                image=images[types[group.instance_type].architecture],
                interface=interface,
                root_gib=self.site.root_gib,
            )
            for group in groups
        }

    def _check_not_torn_down(self) -> None:
        """If the run was torn down meanwhile, delete at once what this delayed worker has created."""
        try:
            compute.get_firewall(self.place, network.ssh_rule(self.labels))
        except NotFound as error:
            compute.delete(self.place, compute.inventory(self.place, self.labels.site, self.labels.run))
            raise TryAgain("the run was torn down meanwhile; its new machines are deleted") from error


def is_settled(machine: Machine | None) -> bool:
    """Whether the outcome of the operation is known."""
    return machine is not None and (machine.state == NodeState.RUNNING or machine.is_interrupted)


def _groups_in_zones(order: NodeOrder, types: Mapping[str, Shape]) -> list[Group]:
    """The groups of the order, each in a zone that has its type. Raises NoCapacity."""
    is_open = any(node.zone is None for node in order.nodes)
    anywhere = shapes.zone_with(types.values(), full=order.full_zones) if is_open else ""
    groups = groups_of(order, lambda zone: zone or anywhere)
    for group in groups:
        if group.zone not in types[group.instance_type].zones:
            raise NoCapacity(f"{group.zone} has no {group.instance_type}")
    return groups


def _is_listed(group: Group, known: Collection[str], *, has_failed: bool) -> bool:
    """Whether the group exists although no operation shows it. Raises TryAgain for a part of a group.

    A call creates all machines or none: a part is still being created, or is left of a call that failed.
    """
    listed = sum(name in known for name in group.names)
    if listed and (has_failed or listed < len(group.names)):
        raise TryAgain(f"GCE lists {listed} of {len(group.names)} machines that were created in one call")
    return listed == len(group.names)
