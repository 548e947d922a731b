"""Results of one cell, and the answer read back by cell."""

from typing import Any

from tests.factories import SubmissionFactory, WorkloadFactory

MIXES = {"writes": {"write": 1.0}, "mixed": {"read": 0.5, "write": 0.5}, "reads": {"read": 1.0}, None: None}
URL = "/api/v1/coverage/"


def result(service: str = "cassandra", work: str | None = "writes", family: str | None = "m3", **fields: Any) -> Any:
    canonical = {"service": service, "operations": MIXES[work], **fields.pop("load", {})}
    workload = WorkloadFactory(service=service, title=f"{service} {canonical}", canonical=canonical)
    return SubmissionFactory(service=service, workload=workload, machine_family=family, **fields)


def counts(body: Any) -> dict[tuple[str, str | None, str, str | None], int]:
    """Of the cells that have results."""
    return {
        (cell["service"], cell["work"], cell["provider"], cell["machine_family"]): cell["results"]
        for cell in body["cells"]
        if cell["results"]
    }
