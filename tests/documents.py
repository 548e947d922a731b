"""The submission document of the contract's example, with changes."""

from copy import deepcopy
from typing import Any

_EXAMPLE: dict[str, Any] = {
    "service": {"name": "cassandra", "version": "2.1.8"},
    "measured_at": "2015-09-01T12:00:00Z",
    "title": "Three nodes on AWS",
    "notes": "As in the article.",
    "source_url": "https://example.org/submissions/4",
    "provider": "aws",
    "region": "us-east-1",
    "zones": ["us-east-1a"],
    "nodes": [
        {
            "role": "database",
            "count": 3,
            "instance_type": "m3.2xlarge",
            "cpu_model": None,
            "vcpus": 8,
            "memory_gib": 30,
            "disks": [
                {
                    "kind": "local-ssd",
                    "count": 2,
                    "size_gib": 80,
                    "raid": "raid0",
                    "filesystem": "xfs",
                }
            ],
            "pricing_model": "on_demand",
            "hourly_usd": "0.532",
        },
        {"role": "client", "count": 1, "instance_type": "c3.4xlarge"},
    ],
    "jdk": {"vendor": "oracle", "version": "8u51"},
    "network": {"kind": "native", "encryption": "none"},
    "settings": {
        "cassandra.yaml": {"concurrent_writes": 128},
        "jvm_options": ["-XX:+UseCondCardMark"],
    },
    "workload": {
        "tool": "cassandra-stress",
        "tool_version": "2.1.8",
        "command": "cassandra-stress write n=2000000 cl=LOCAL_ONE",
        "operations": {"write": 1.0},
        "consistency_level": "LOCAL_ONE",
        "replication_factor": 3,
        "columns": 5,
        "value_bytes": 34,
        "threads": 200,
    },
    "trials": [
        {
            "throughput_ops_s": 90748,
            "operations": 2000000,
            "errors": 0,
            "duration_s": 22.0,
            "started_at": None,
            "latency_kind": "service_time",
            "latency_ms": {
                "mean": None,
                "p50": None,
                "p95": None,
                "p99": 4.0,
                "p999": None,
                "max": None,
            },
        }
    ],
}


def document(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The example; `changes` maps a path ("trials/0/errors") to a value, or to `...` to remove it."""
    made = deepcopy(_EXAMPLE)
    for path, value in (changes or {}).items():
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
        home = made
        for part in parents:
            home = home[part]
        if value is ...:
            del home[last]
        else:
            home[last] = deepcopy(value)
    return made


def metadata(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """What an uploader adds to a cassandra-stress log of three nodes: the facts that no log has."""
    made: dict[str, Any] = {
        "service": {"name": "cassandra", "version": "5.0.9"},
        "measured_at": "2026-11-20T05:32:35Z",
        "provider": "aws",
        "region": "us-east-1",
        "nodes": [
            {
                "role": "database",
                "count": 3,
                "instance_type": "m5.xlarge",
                "hourly_usd": "0.192",
            }
        ],
    }
    made.update(changes or {})
    return made
