"""Plans to start from: a first run on this machine, and the benchmarks of the source articles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runners.load_tools.pgbench import PGBENCH_PRESET
from runners.plan import THIS_MACHINE
from runners.providers.registry import offered, provider_for, traits_of


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


CASSANDRA_HERE_VERSION = "5.0.9"  # what `fetch_cassandra` fetches by default


def _scale_out(nodes: int, clients: int, max_usd: str) -> Preset:
    """Netflix's scale-out of 2011, with clients in proportion: 4.8 nodes per client."""
    return Preset(
        slug=f"scale-out-{nodes}",
        title=f"Scale-out: {nodes} nodes, {clients} clients",
        note="As in “over a million writes per second”, on current machines: three zones, RF 3, ONE, 10 columns of "
        "10 bytes, 27 million keys, 200 threads per client.",
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
        note="pgbench on a private PostgreSQL server: a real result in about two minutes, without a cloud or cost.",
        plan=PGBENCH_PRESET,
    ),
    Preset(
        slug="cassandra-here",
        title="Cassandra on this machine",
        note="Three nodes with small heaps and the load tool on one machine: a functional test, not for ranking.",
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
        title="GCE vs AWS, 3 nodes, 2M writes: on AWS",
        note="As in the comparison of 2015, on current machines of the same size: one separate client, LOCAL_ONE.",
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
        title="GCE vs AWS, 3 nodes, 2M writes: on Google Cloud",
        note="As in the comparison of 2015, on the same machine types.",
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
        title="SSD vs existing: on SSD, with a disk test",
        note="As in “High performance I/O with SSD”: mixed reads and writes, after a fio test of the same hosts.",
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


def preset_by_slug(slug: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.slug == slug), None)


def offered_presets() -> list[Preset]:
    """The presets whose provider this site offers, with everything that their database needs."""
    return [preset for preset in PRESETS if preset.plan["provider"] in offered() and not _lacks(preset.plan)]


def _lacks(plan: Mapping[str, Any]) -> str | None:
    if not traits_of(plan["provider"]).is_this_machine:
        return None  # in a cloud, runs install what they need
    service = plan["service"]
    return provider_for(plan["provider"]).lacks(service["name"], service.get("version"))
