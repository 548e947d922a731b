"""Calls of Compute Engine: listing by label in all zones, creating machines, waiting, deleting.

A list costs one request per page, a creation one per group; GCE has no call that deletes many machines at once.
`insert(...).result()` of the library ignores the configured endpoint, so this module waits for operations itself.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from google.api_core.exceptions import GoogleAPICallError, NotFound
from google.cloud import compute_v1 as api

from runners.providers.base import TryAgain
from runners.providers.gce import labels as labelling
from runners.providers.gce.errors import reason_of, translated
from runners.providers.gce.session import Clients

PAGE = 500  # the maximum of GCE
TIMEOUT_SECONDS = 30.0
WAIT_SECONDS = 45.0  # for all operations of a launch; a step may take two minutes
WAITS = 5  # GCE's wait may return too early; nothing sleeps here
PARALLEL = 8
DELETIONS_AT_A_TIME = 500  # the rest is left for the next call
_GOING = ("STOPPING", "DEPROVISIONING")
_IN_USE = ("resourceInUseByAnotherResource", "resourceNotReady")

Zoned = tuple[str, Any]  # (zone, resource)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look; without a region, in all regions."""

    clients: Clients
    project: str
    region: str | None = None


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that exists and has the labels."""

    instances: Sequence[Zoned]
    disks: Sequence[Zoned]
    firewalls: Sequence[api.Firewall]

    @property
    def is_empty(self) -> bool:
        return not (self.instances or self.disks or self.firewalls)


def inventory(place: Place, site: str, run: str | None = None, unseen: dict[str, str] | None = None) -> Inventory:
    """Of one run, or of all runs of a site. `unseen` as in Provider.leftovers: what does not answer is added to it."""
    labels = labelling.Labels(site, run).of_run if run is not None else labelling.of_site(site)
    if unseen is None:
        return Inventory(instances(place, labels), disks(place, labels), firewalls(place, site, run))
    return Inventory(
        _or_unseen("instances", unseen, lambda: instances(place, labels, unseen)),
        _or_unseen("disks", unseen, lambda: disks(place, labels, unseen)),
        _or_unseen("firewall rules", unseen, lambda: firewalls(place, site, run)),
    )


def instances(place: Place, labels: str, unseen: dict[str, str] | None = None) -> list[Zoned]:
    request = api.AggregatedListInstancesRequest(project=place.project, filter=labels, max_results=PAGE)
    return _aggregated(place, place.clients.instances, request, "instances", unseen)


def disks(place: Place, labels: str, unseen: dict[str, str] | None = None) -> list[Zoned]:
    request = api.AggregatedListDisksRequest(project=place.project, filter=labels, max_results=PAGE)
    return _aggregated(place, place.clients.disks, request, "disks", unseen)


def firewalls(place: Place, site: str, run: str | None = None) -> list[api.Firewall]:
    """Firewall rules have no labels: all are listed, and selected by their description."""
    request = api.ListFirewallsRequest(project=place.project, max_results=PAGE)
    wanted = {labelling.SITE: site, **({} if run is None else {labelling.RUN: run})}
    matching = []
    for rule in place.clients.firewalls.list(request=request, retry=None, timeout=TIMEOUT_SECONDS):
        labels = labelling.from_description(rule.description)
        is_here = place.region in (None, labels.get(labelling.REGION))
        if is_here and wanted.items() <= labels.items():
            matching.append(rule)
    return matching


def network_rules(place: Place, network: str) -> list[api.Firewall]:
    """All firewall rules of a network, of whomever."""
    request = api.ListFirewallsRequest(project=place.project, max_results=PAGE)
    rules = place.clients.firewalls.list(request=request, retry=None, timeout=TIMEOUT_SECONDS)
    return [rule for rule in rules if zone_of(rule.network) == network]


def operations(place: Place, text: str) -> list[Zoned]:
    """Operations in the zones; GCE stores them for two weeks. `text` is the filter."""
    request = api.AggregatedListGlobalOperationsRequest(project=place.project, filter=text, max_results=PAGE)
    return _aggregated(place, place.clients.global_operations, request, "operations")


def bulk_insert(
    place: Place, zone: str, *, names: Iterable[str], properties: api.InstanceProperties, request_id: str
) -> api.Operation:
    """Create all machines or none. The same request id returns the same operation."""
    each = {name: api.BulkInsertInstanceResourcePerInstanceProperties() for name in names}
    body = api.BulkInsertInstanceResource(
        count=len(each), min_count=len(each), per_instance_properties=each, instance_properties=properties
    )
    request = api.BulkInsertInstanceRequest(
        project=place.project, zone=zone, bulk_insert_instance_resource_resource=body, request_id=request_id
    )
    return place.clients.instances.bulk_insert_unary(request=request, retry=None, timeout=TIMEOUT_SECONDS)


def insert_firewall(place: Place, rule: api.Firewall) -> api.Operation | None:
    """None when the rule exists already."""
    try:
        return place.clients.firewalls.insert_unary(
            project=place.project, firewall_resource=rule, retry=None, timeout=TIMEOUT_SECONDS
        )
    except GoogleAPICallError as error:
        if reason_of(error) != "alreadyExists":
            raise
        return None


def get_firewall(place: Place, name: str) -> api.Firewall:
    """Raises NotFound. A list might not be up to date."""
    return place.clients.firewalls.get(project=place.project, firewall=name, retry=None, timeout=TIMEOUT_SECONDS)


def finished(place: Place, running: Iterable[api.Operation]) -> list[api.Operation]:
    """The operations once they are done, including failed ones. Raises TryAgain when that takes too long."""
    deadline = time.monotonic() + WAIT_SECONDS
    return [_wait(place, operation, deadline) for operation in running]


def is_done(operation: api.Operation) -> bool:
    return operation.status == api.Operation.Status.DONE


def delete(place: Place, existing: Inventory) -> None:
    """Delete what can be deleted now: machines first, the rest when none is left. Call again until nothing is left."""
    client, project = place.clients, place.project
    machines = [(zone, machine.name) for zone, machine in existing.instances if machine.status not in _GOING]
    with ThreadPoolExecutor(PARALLEL) as pool:
        calls = [
            pool.submit(_unless_busy, client.instances.delete_unary, project=project, zone=zone, instance=name)
            for zone, name in machines[:DELETIONS_AT_A_TIME]
        ]
        if not existing.instances:
            loose = [(zone, disk.name) for zone, disk in existing.disks if not disk.users]
            calls += [
                pool.submit(_unless_busy, client.disks.delete_unary, project=project, zone=zone, disk=name)
                for zone, name in loose[:DELETIONS_AT_A_TIME]
            ]
            calls += [
                pool.submit(_unless_busy, client.firewalls.delete_unary, project=project, firewall=rule.name)
                for rule in existing.firewalls
            ]
    for call in calls:
        call.result()


def zone_of(link: str) -> str:
    """The last part of a scope or a URL."""
    return link.rpartition("/")[2]


def _aggregated(
    place: Place, client: Any, request: Any, kind: str, unseen: dict[str, str] | None = None
) -> list[Zoned]:
    """Everything in the zones of the place. A zone that is unreachable is added to `unseen`.

    Without `unseen`, raises TryAgain: unlisted is not deleted.
    """
    resources: list[Zoned] = []
    pager = client.aggregated_list(request=request, retry=None, timeout=TIMEOUT_SECONDS)
    for page in pager.pages:
        unreachable = [scope for scope in page.unreachables if _is_in(place, zone_of(scope))]
        for scope, listed in page.items.items():
            zone = zone_of(scope)
            if _is_in(place, zone):
                resources += [(zone, resource) for resource in getattr(listed, kind)]
                unreachable += [scope] if listed.warning.code == "UNREACHABLE" else []
        if unreachable and unseen is None:
            raise TryAgain(f"GCE cannot reach {', '.join(unreachable)} now")
        if unseen is not None:
            unseen.update({zone_of(scope): "GCE cannot reach it now" for scope in unreachable})
    return resources


def _or_unseen(what: str, unseen: dict[str, str], listed: Callable[[], Sequence[T]]) -> Sequence[T]:
    """The list; nothing of it when GCE does not answer, which is added to `unseen`."""
    try:
        with translated():
            return listed()
    except TryAgain as error:
        unseen[what] = str(error)
        return []


def _is_in(place: Place, zone: str) -> bool:
    return place.region is None or zone.startswith(f"{place.region}-")


def _wait(place: Place, operation: api.Operation, deadline: float) -> api.Operation:
    for _ in range(WAITS):
        if is_done(operation):
            return operation
        left = deadline - time.monotonic()
        if left <= 0:
            break
        options: Any = {"project": place.project, "operation": operation.name, "retry": None, "timeout": max(left, 1.0)}
        if operation.zone:
            operation = place.clients.zone_operations.wait(zone=zone_of(operation.zone), **options)
        else:
            operation = place.clients.global_operations.wait(**options)
    if is_done(operation):
        return operation
    raise TryAgain(f"GCE has not finished yet: {operation.operation_type} {operation.name}")


def _unless_busy(call: Any, **target: str) -> None:
    """Skip what is still in use, until the next call, and what has been deleted meanwhile."""
    try:
        call(**target, retry=None, timeout=TIMEOUT_SECONDS)
    except NotFound:
        pass
    except GoogleAPICallError as error:
        if reason_of(error) not in _IN_USE:
            raise
