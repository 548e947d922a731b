"""Operations: what every change in Compute Engine answers with, and what is asked about it afterwards."""

import itertools
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.lab.gce_catalogue import API
from tests.lab.gce_errors import OperationFailed, not_found


class Operations:
    def __init__(self, numbers: itertools.count) -> None:
        self.seconds = 0.3  # how long a change takes
        self._numbers = numbers
        self._operations: dict[tuple[str, str], dict[str, Any]] = {}  # by scope and name
        self._due: dict[str, float] = {}
        self._failures: dict[str, OperationFailed] = {}

    def start(
        self,
        project: str,
        scope: str,
        kind: str,
        target: str,
        *,
        failure: OperationFailed | None = None,
        group: str | None = None,
    ) -> dict[str, Any]:
        """A new operation; `scope` is zones/<zone>, regions/<region> or global."""
        number = str(next(self._numbers))
        name = f"operation-{number}"
        link = f"{API}/projects/{project}/{scope}"
        operation: dict[str, Any] = {
            "kind": "compute#operation",
            "id": number,
            "name": name,
            "operationType": kind,
            "targetLink": f"{API}/{target}",
            "user": "lab@example.org",
            "status": "RUNNING",
            "progress": 0,
            "insertTime": stamp(),
            "startTime": stamp(),
            "selfLink": f"{link}/operations/{name}",
        }
        if scope.startswith("zones/"):
            operation["zone"] = link
        elif scope.startswith("regions/"):
            operation["region"] = link
        if group:
            operation["operationGroupId"] = group
        self._operations[scope, name] = operation
        self._due[name] = time.monotonic() + self.seconds
        if failure:
            self._failures[name] = failure
        return self._look(operation)

    def asked_with(self, scope: str, name: str, request_id: str) -> None:
        """Note the requestId of the request that started it."""
        self._operations[scope, name]["clientOperationId"] = request_id

    def get(self, project: str, scope: str, name: str) -> dict[str, Any]:
        if (scope, name) not in self._operations:
            raise not_found(f"projects/{project}/{scope}/operations/{name}")
        return self._look(self._operations[scope, name])

    def wait_seconds(self, scope: str, name: str) -> float:
        """How long the wait method has to block; the caller does, without any lock."""
        return max(0.0, self._due.get(name, 0) - time.monotonic()) if (scope, name) in self._operations else 0.0

    def all(self, scope: str | None = None) -> Sequence[dict[str, Any]]:
        return [self._look(one) for (where, _), one in self._operations.items() if scope in (None, where)]

    def _look(self, operation: dict[str, Any]) -> dict[str, Any]:
        name = operation["name"]
        late = time.monotonic() - self._due[name]
        if operation["status"] != "DONE" and late >= 0:
            operation.update(status="DONE", progress=100, endTime=stamp(late))
            if failure := self._failures.pop(name, None):
                operation["error"] = {"errors": failure.errors}
                operation["httpErrorStatusCode"] = failure.status
                operation["httpErrorMessage"] = {403: "FORBIDDEN", 503: "SERVICE UNAVAILABLE"}[failure.status]
        return dict(operation)


def stamp(seconds_ago: float = 0) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat(timespec="milliseconds")
