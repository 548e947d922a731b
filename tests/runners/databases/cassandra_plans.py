"""Plans and clusters of the workload tests."""

from decimal import Decimal
from typing import Any

from runners.load_tools.base import Member
from runners.plan_schema.run_plan import RunPlan


def plan(*, clients: int = 1, databases: int = 3, settings: dict[str, Any] | None = None, **workload: Any) -> RunPlan:
    """A run of three nodes with RF 3, as the tests change it; `disks` and `jdk` are taken out of `workload`."""
    asked = {"tool": "cassandra-stress", "operation": "write", "operations": 2_000_000, "replication_factor": 3}
    disks, jdk, zones = workload.pop("disks", []), workload.pop("jdk", None), workload.pop("zones", [])
    return RunPlan.model_validate(
        {
            "title": "three nodes",
            "provider": "aws",
            "region": "us-east-1",
            "zones": zones,
            "service": {"name": "cassandra", "version": workload.pop("version", "5.0.4")},
            "database": {"instance_type": "i4i.xlarge", "count": databases, "disks": disks},
            "client": {"instance_type": "c6i.2xlarge", "count": clients},
            "jdk": jdk,
            "settings": settings or {},
            "workload": {**asked, **workload},
            "max_duration_minutes": 60,
            "max_usd": Decimal(10),
        }
    )


def cluster(plan: RunPlan) -> list[Member]:
    """The plan's machines: databases at 10.0.0.<n>, clients at 10.0.1.<n>."""
    links = tuple(f"/dev/disk/by-id/{number}" for number in range(sum(disk.count for disk in plan.database.disks)))
    return [
        Member(
            name=name,
            role=role,
            index=index,
            address=f"10.0.{0 if role == 'database' else 1}.{index + 1}",
            zone=plan.zone_of(index if role == "database" else 0),
            disks=links if role == "database" else (),
        )
        for name, role, index in plan.node_names()
    ]
