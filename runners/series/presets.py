"""Series to start from: those of the source articles, and small ones for this machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runners.plans.presets import is_offered, preset_by_slug
from submissions.formatting.text import plural


@dataclass(frozen=True, slots=True)
class Ready:
    """`order` is the body of POST series/."""

    slug: str
    title: str
    note: str
    order: Mapping[str, Any]

    @property
    def size(self) -> str:
        cells = 1
        for vary in self.order["vary"]:
            cells *= len(vary["values"])
        return f"{plural(cells, 'cell')}, {plural(cells * self.order['repetitions'], 'run')}"


def _plan(slug: str, **changes: Any) -> dict[str, Any]:
    preset = preset_by_slug(slug)
    if preset is None:
        raise ValueError(f"there is no preset {slug}")
    plan = {**preset.plan, "trials": 1, **changes}
    plan["workload"] = {**preset.plan["workload"], **changes.get("workload", {})}
    return plan


_HERE = {"repetitions": 3, "max_usd": "0", "max_minutes": 180}
_NODES = [[48, 10], [96, 20], [144, 30], [288, 60]]

READY: tuple[Ready, ...] = (
    Ready(
        "pgbench-here",
        "PostgreSQL here: clients × shared buffers",
        "pgbench on this machine with 2 numbers of clients and 2 sizes of shared buffers; about 10 minutes.",
        {
            "plan": _plan("pgbench-here", title="PostgreSQL: clients and shared buffers"),
            "vary": [
                {"field": "workload.threads", "values": [4, 16]},
                {"field": "settings.postgresql.conf.shared_buffers", "values": ["16MB", "256MB"]},
            ],
            **_HERE,
        },
    ),
    Ready(
        "nodes",
        "48 to 288 nodes",
        "The scale-out of 2011 on AWS, with clients in proportion. Lower the node counts to spend less.",
        {
            "plan": _plan("scale-out-48", title="48 to 288 nodes", max_usd="600"),
            "vary": [{"fields": ["database.count", "client.count"], "values": _NODES}],
            "repetitions": 3,
            "max_usd": "3000",
            "max_minutes": 3000,
        },
    ),
    Ready(
        "nodes-here",
        "1 to 3 nodes here",
        "The same question at small scale: Cassandra on this machine, whose processors limit the nodes.",
        {
            "plan": _plan("cassandra-here", title="1 to 3 nodes on this machine", workload={"replication_factor": 1}),
            "vary": [{"field": "database.count", "values": [1, 2, 3]}],
            **_HERE,
        },
    ),
    Ready(
        "clouds-and-jdks",
        "GCE against AWS, OpenJDK against another vendor's",
        "Two clouds and two JDKs, 2 million writes each. The JDK of another vendor needs JDK_MIRROR.",
        {
            "plan": _plan("writes-aws", title="GCE against AWS, OpenJDK against Corretto"),
            "vary": [
                {
                    "fields": ["provider", "region", "zones", "database.instance_type", "client.instance_type"],
                    "values": [
                        ["aws", "us-east-1", ["us-east-1a"], "m5d.2xlarge", "c5.4xlarge"],
                        ["gce", "us-central1", ["us-central1-a"], "n1-standard-8", "n1-highcpu-16"],
                    ],
                },
                {
                    "field": "jdk",
                    "values": [{"vendor": "openjdk", "version": "17"}, {"vendor": "corretto", "version": "17"}],
                },
            ],
            "repetitions": 3,
            "max_usd": "100",
            "max_minutes": 900,
        },
    ),
    Ready(
        "columns-rf-compression",
        "Column size × RF × compression between nodes",
        "What a row and its copies cost. A plan cannot set encryption between nodes: its keys would be public.",
        {
            "plan": _plan("cassandra-here", title="Column size, RF and compression", workload={"columns": 5}),
            "vary": [
                {"field": "workload.value_bytes", "values": [34, 400]},
                {"field": "workload.replication_factor", "values": [1, 3]},
                {"field": "settings.cassandra.yaml.internode_compression", "values": ["none", "all"]},
            ],
            **_HERE,
        },
    ),
    Ready(
        "what-does-rf-cost",
        "What does RF cost?",
        "Replication factors 1, 2 and 3 of one cluster: Cassandra on this machine.",
        {
            "plan": _plan("cassandra-here", title="What does the replication factor cost?"),
            "vary": [{"field": "workload.replication_factor", "values": [1, 2, 3]}],
            **_HERE,
        },
    ),
)


def ready_by_slug(slug: str) -> Ready | None:
    return next((ready for ready in READY if ready.slug == slug), None)


def offered_series() -> list[Ready]:
    """Those whose base plan this site can run."""
    return [ready for ready in READY if is_offered(ready.order["plan"])]
