"""Errors as Compute Engine answers them."""

from typing import Any


class GceError(Exception):
    """The request itself is refused."""

    def __init__(self, status: int, reason: str, message: str, domain: str = "global") -> None:
        super().__init__(message)
        self.status, self.reason, self.message, self.domain = status, reason, message, domain

    def body(self) -> dict[str, Any]:
        error = {"message": self.message, "domain": self.domain, "reason": self.reason}
        return {"error": {"code": self.status, "message": self.message, "errors": [error]}}


def not_found(path: str) -> GceError:
    return GceError(404, "notFound", f"The resource '{path}' was not found")


def exists(path: str) -> GceError:
    return GceError(409, "alreadyExists", f"The resource '{path}' already exists")


def invalid(field: str, value: object, why: str) -> GceError:
    return GceError(400, "invalid", f"Invalid value for field '{field}': '{value}'. {why}")


class OperationFailed(Exception):
    """The request was taken and its operation ends with these errors."""

    def __init__(self, status: int, *errors: tuple[str, str]) -> None:
        super().__init__(errors[0][0])
        self.status = status
        self.errors = [{"code": code, "message": message} for code, message in errors]


def stockout(project: str, zone: str, *before: tuple[str, str]) -> OperationFailed:
    text = (
        f"The zone 'projects/{project}/zones/{zone}' does not have enough resources available to fulfill the request. "
        "Try a different zone, or try again later."
    )
    return OperationFailed(503, *before, ("ZONE_RESOURCE_POOL_EXHAUSTED", text))


def quota(region: str) -> OperationFailed:
    return OperationFailed(403, ("QUOTA_EXCEEDED", f"Quota 'CPUS' exceeded.  Limit: 24.0 in region {region}."))
