"""Plans to start from: a first run on this machine, and the source articles' own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runners.load_tools.pgbench import PGBENCH_PRESET, THIS_MACHINE
from runners.providers.registry import offered, provider_for


@dataclass(frozen=True, slots=True)
class Preset:
    slug: str
    title: str
    note: str
    plan: Mapping[str, Any]


_TWO_MILLION_WRITES = {
    "service": {"name": "cassandra", "version": "5.0.9"},
    "jdk": {"vendor": "openjdk", "version": "17"},
    "workload": {
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "LOCAL_ONE",
        "replication_factor": 3,
        "threads": 200,
        "operations": 2_000_000,
    },
    "trials": 3,
    "max_duration_minutes": 60,
    "max_usd": "10",
}


CASSANDRA_HERE_VERSION = "5.0.9"  # what `fetch_cassandra` fetches unless it is told another release


def _scale_out(nodes: int, clients: int, max_usd: str) -> Preset:
    """Netflix's scale-out of 2011 with the clients in proportion: 4.8 nodes a client."""
    return Preset(
        slug=f"scale-out-{nodes}",
        title=f"Scale-out: {nodes} nodes, {clients} clients",
        note="As in “over a million writes per second”: three zones, RF 3, ONE, 10 columns of 10 bytes, "
        "27 million keys, 200 threads a client; on today's machines.",
        plan={
            "provider": "aws",
            "region": "us-east-1",
            "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
            "service": {"name": "cassandra", "version": "5.0.9"},
            "jdk": {"vendor": "openjdk", "version": "17"},
            "database": {"instance_type": "m5d.xlarge", "count": nodes},
            "client": {"instance_type": "m5.4xlarge", "count": clients},
            "workload": {
                "tool": "cassandra-stress",
                "operation": "write",
                "consistency_level": "ONE",
                "replication_factor": 3,
                "threads": 200,
                "operations": 27_000_000,
                "columns": 10,
                "value_bytes": 10,
            },
            "trials": 1,
            "max_duration_minutes": 120,
            "max_usd": max_usd,
        },
    )


PRESETS: tuple[Preset, ...] = (
    Preset(
        slug="pgbench-here",
        title="PostgreSQL on this machine",
        note="pgbench on a private PostgreSQL: a real result in about two minutes, no cloud, no cost.",
        plan=PGBENCH_PRESET,
    ),
    Preset(
        slug="cassandra-here",
        title="Cassandra on this machine",
        note="Three nodes with small heaps and their load tool side by side: proof that all works, no figure to rank.",
        plan={
            "provider": "local",
            "service": {"name": "cassandra", "version": CASSANDRA_HERE_VERSION},
            "database": {"instance_type": THIS_MACHINE, "count": 3},
            "workload": {
                "tool": "cassandra-stress",
                "operation": "write",
                "consistency_level": "QUORUM",
                "replication_factor": 3,
                "threads": 16,
                "operations": 100_000,
            },
            "trials": 2,
            "max_duration_minutes": 30,
            "max_usd": "0",
        },
    ),
    Preset(
        slug="writes-aws",
        title="GCE vs AWS, 3 nodes, 2M writes: the AWS side",
        note="As in the comparison of 2015: one client apart, LOCAL_ONE; on machines of the same size of today.",
        plan={
            **_TWO_MILLION_WRITES,
            "provider": "aws",
            "region": "us-east-1",
            "zones": ["us-east-1a"],
            "database": {"instance_type": "m5d.2xlarge", "count": 3},
            "client": {"instance_type": "c5.4xlarge", "count": 1},
        },
    ),
    Preset(
        slug="writes-gce",
        title="GCE vs AWS, 3 nodes, 2M writes: the GCE side",
        note="As in the comparison of 2015: the same machine types as then.",
        plan={
            **_TWO_MILLION_WRITES,
            "provider": "gce",
            "region": "us-central1",
            "zones": ["us-central1-a"],
            "database": {"instance_type": "n1-standard-8", "count": 3},
            "client": {"instance_type": "n1-highcpu-16", "count": 1},
        },
    ),
    _scale_out(48, 10, "100"),
    _scale_out(96, 20, "200"),
    _scale_out(144, 30, "300"),
    _scale_out(288, 60, "600"),
    Preset(
        slug="ssd",
        title="SSD vs existing: the SSD side, with a disk test",
        note="As in “High performance I/O with SSD”: reads and writes mixed, fio on the same hosts first.",
        plan={
            "provider": "aws",
            "region": "us-east-1",
            "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
            "service": {"name": "cassandra", "version": "5.0.9"},
            "jdk": {"vendor": "openjdk", "version": "17"},
            "database": {"instance_type": "i3.2xlarge", "count": 3},
            "client": {"instance_type": "c5.4xlarge", "count": 1},
            "workload": {
                "tool": "cassandra-stress",
                "operation": "mixed",
                "read_share": 0.9,
                "consistency_level": "ONE",
                "replication_factor": 3,
                "threads": 200,
                "duration_seconds": 600,
                "prefill": 10_000_000,
                "disk_test": True,
            },
            "trials": 3,
            "max_duration_minutes": 180,
            "max_usd": "40",
        },
    ),
)


def preset(slug: str) -> Preset | None:
    return next((one for one in PRESETS if one.slug == slug), None)


def offered_presets() -> list[Preset]:
    """Those whose provider this site has, with all that their service needs."""
    return [one for one in PRESETS if one.plan["provider"] in offered() and not _lacks(one.plan)]


def _lacks(plan: Mapping[str, Any]) -> str | None:
    if "client" in plan:
        return None  # clouds install what they need, and their SDKs need not be imported for a list
    service = plan["service"]
    return provider_for(plan["provider"]).lacks(service["name"], service.get("version"))
