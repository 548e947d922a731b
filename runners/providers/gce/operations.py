"""What GCE's operations say about a run: how each creation ended, which machines it took back, which it may yet show.

A list may not show for some seconds what was made, and never shows what is gone; operations do both.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from google.cloud import compute_v1 as api

from runners.providers.gce import compute
from runners.providers.gce.compute import Place
from runners.providers.gce.groups import Group, is_of_run
from runners.providers.gce.labels import Labels

# A machine is listed seconds after its operation is done; one that is not by then has gone in some other way.
LISTED_WITHIN = timedelta(minutes=5)
_PREEMPTED = "compute.instances.preempted"
_ENDS = ("delete", _PREEMPTED)


@dataclass(frozen=True, slots=True, order=True)
class Interrupted:
    """A Spot machine that GCE takes back, or has."""

    zone: str
    name: str  # the instance's


def creations(place: Place, labels: Labels) -> dict[str, api.Operation]:
    """The bulkInsert operations of the run by their request id, failed ones too."""
    found = compute.operations(place, 'operationType = "bulkInsert"')
    return {
        operation.client_operation_id: operation
        for _, operation in found
        if is_of_run(operation.client_operation_id, labels.site, labels.run)
    }


def next_attempt(
    group: Group, labels: Labels, earlier: Mapping[str, api.Operation]
) -> tuple[int, api.Operation | None]:
    """The number of the first attempt that has not failed, with its operation when it was made already."""
    attempt = 0
    while True:
        operation = earlier.get(group.request_id(labels.site, labels.run, attempt))
        if operation is None or not has_failed(operation):
            return attempt, operation
        attempt += 1


def has_failed(operation: api.Operation) -> bool:
    return compute.is_done(operation) and bool(operation.error.errors or operation.http_error_status_code >= 400)


def interrupted(place: Place, labels: Labels) -> set[Interrupted]:
    return {
        Interrupted(zone, compute.zone_of(operation.target_link))
        for zone, operation in _of_machines(place, labels)
        if operation.operation_type == _PREEMPTED
    }


def may_yet_appear(place: Place, labels: Labels, now: datetime | None = None) -> bool:
    """Whether a machine of the run may exist although no list shows it: it is being made, or was just now."""
    if any(not compute.is_done(operation) for operation in creations(place, labels).values()):
        return True
    by_target: dict[str, list[api.Operation]] = {}
    for _, operation in _of_machines(place, labels):
        by_target.setdefault(operation.target_link, []).append(operation)
    since = (now or datetime.now(UTC)) - LISTED_WITHIN
    return any(_is_hidden(operations, since) for operations in by_target.values())


def _is_hidden(operations: Iterable[api.Operation], since: datetime) -> bool:
    """Whether a machine was made after `since` and has not been deleted."""
    made: Sequence[api.Operation] = [one for one in operations if one.operation_type == "insert"]
    if any(one.operation_type in _ENDS and compute.is_done(one) and not has_failed(one) for one in operations):
        return False
    return any(not compute.is_done(one) or (not has_failed(one) and _ended_at(one) > since) for one in made)


def _ended_at(operation: api.Operation) -> datetime:
    return datetime.fromisoformat(operation.end_time or operation.insert_time)


def _of_machines(place: Place, labels: Labels) -> list[tuple[str, api.Operation]]:
    # a regular expression over the whole field; GCE allows no second condition beside one
    return compute.operations(place, f'targetLink eq ".*/instances/{labels.prefix}-.*"')
