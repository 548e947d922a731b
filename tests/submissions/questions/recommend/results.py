"""Measured clusters for questions about what to run."""

from datetime import date
from decimal import Decimal
from typing import Any

from submissions.models import Submission, Workload
from tests.factories import PriceFactory, WorkloadFactory
from tests.measured import measured

MIXED = {"read": 0.5, "update": 0.5}
READS = {"read": 0.95, "update": 0.05}
WRITES = {"insert": 1.0}


def workload(title: str = "mixed", operations: dict[str, float] | None = MIXED, **facts: Any) -> Workload:
    service = facts.pop("service", "cassandra")
    canonical = {"service": service, "operations": operations, "replication_factor": 3, **facts}
    return WorkloadFactory(title=title, service=service, canonical=canonical)


def cluster(*rates: float, usd: str | None = "1.00", nodes: int = 3, **fields: Any) -> Submission:
    """`usd` is that of a node and hour, then and since; a trial for each rate."""
    fields.setdefault("workload", workload())
    fields.setdefault("service", fields["workload"].service)
    hourly = None if usd is None else Decimal(usd) * nodes
    row = measured(*rates, node_count=nodes, hourly_usd=hourly, **fields)
    if usd is not None:
        list_price(row, usd)
    return row


def list_price(row: Submission, usd: str, **fields: Any) -> None:
    """Of its machines, in its region, on demand, unless another price is in the book."""
    since = {"valid_from": date(2015, 6, 1), "source": "a list", **fields}
    PriceFactory(provider=row.provider, region=row.region, sku=row.instance_type, usd=Decimal(usd), **since)
