"""The operations of a run in GCE: how each creation ended, which machines were taken back, which may not be listed yet.

A list may not contain a new machine for some seconds, and never contains a deleted one; operations show both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from google.cloud import compute_v1 as api

from runners.providers.gce import compute
from runners.providers.gce.compute import Place
from runners.providers.gce.groups import Group, is_of_run
from runners.providers.gce.labels import Labels

# A machine is listed seconds after its operation is done; if it is not listed by then, it was deleted otherwise.
LISTED_WITHIN = timedelta(minutes=5)
_PREEMPTED = "compute.instances.preempted"
_ENDS = ("delete", _PREEMPTED)


@dataclass(frozen=True, slots=True, order=True)
class Interrupted:
    """A Spot machine that GCE is taking back or has taken back."""

    zone: str
    name: str  # of the instance


@dataclass(frozen=True, slots=True)
class Life:
    """A machine that was created; `ended_at` is None while it exists."""

    zone: str
    name: str  # of the instance
    created_at: datetime
    ended_at: datetime | None


def creations(place: Place, labels: Labels) -> dict[str, api.Operation]:
    """The bulkInsert operations of the run by their request id, including failed ones."""
    return {
        operation.client_operation_id: operation
        for _, operation in compute.operations(place, 'operationType = "bulkInsert"')
        if is_of_run(operation.client_operation_id, labels.site, labels.run)
    }


def next_attempt(
    group: Group, labels: Labels, earlier: Mapping[str, api.Operation]
) -> tuple[int, api.Operation | None]:
    """The number of the first attempt that has not failed, and its operation if it was sent already."""
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


def lives(place: Place, labels: Labels) -> list[Life]:
    """The machines of the run that were created, according to the operations of the last two weeks."""
    by_target: dict[tuple[str, str], list[api.Operation]] = {}
    for zone, operation in _of_machines(place, labels):
        if not has_failed(operation):
            by_target.setdefault((zone, compute.zone_of(operation.target_link)), []).append(operation)
    return [
        Life(zone, name, min(created), min(ended, default=None))
        for (zone, name), each in by_target.items()
        if (created := [_time(one.insert_time) for one in each if one.operation_type == "insert"])
        for ended in [[_ended_at(one) for one in each if one.operation_type in _ENDS and compute.is_done(one)]]
    ]


def may_yet_appear(place: Place, labels: Labels, now: datetime | None = None) -> bool:
    """Whether a machine of the run may exist although it is not listed: it is being or was just created."""
    if any(not compute.is_done(operation) for operation in creations(place, labels).values()):
        return True
    by_target: dict[str, list[api.Operation]] = {}
    for _, operation in _of_machines(place, labels):
        by_target.setdefault(operation.target_link, []).append(operation)
    since = (now or datetime.now(UTC)) - LISTED_WITHIN
    return any(_is_hidden(operations, since) for operations in by_target.values())


def _is_hidden(operations: Sequence[api.Operation], since: datetime) -> bool:
    """Whether a machine was created after `since` and has not been deleted."""
    if any(each.operation_type in _ENDS and compute.is_done(each) and not has_failed(each) for each in operations):
        return False
    inserts = [operation for operation in operations if operation.operation_type == "insert"]
    return any(not compute.is_done(each) or (not has_failed(each) and _ended_at(each) > since) for each in inserts)


def _ended_at(operation: api.Operation) -> datetime:
    return _time(operation.end_time or operation.insert_time)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _of_machines(place: Place, labels: Labels) -> list[tuple[str, api.Operation]]:
    # a regular expression for the whole field; GCE allows no other condition with one
    return compute.operations(place, f'targetLink eq ".*/instances/{labels.prefix}-.*"')
