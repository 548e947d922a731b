"""What the pack knows of a machine and its test beside the output of the tool, as the facts of an upload."""

import re
from collections.abc import Mapping
from typing import Any

from submissions.choices import NodeKind, Role
from submissions.formatting.names import NOT_STATED, place_name, provider_name
from submissions.packs.sparecores.lines import REDIS, Line
from submissions.pricing.providers import billing_of

Facts = dict[str, Any]

_PROVIDERS = {"gcp": "gce"}  # where this site has another word
_REPOSITORY = "https://github.com/SpareCores/sc-inspector-data/blob/main"
_REDIS_VERSION = re.compile(r"v=([\d.]{1,20})")
_ARCHITECTURE = re.compile(r" on (x86_64|aarch64)-")
_CPU_SECONDS = ("server_usr", "server_sys", "client_usr", "client_sys")


def provider_of(line: Line) -> str:
    return _PROVIDERS.get(line.provider, line.provider)


def redis_facts(line: Line, content: Mapping[str, Any], cpu_seconds: Mapping[str, str]) -> Facts:
    """Of the row with these CPU seconds."""
    version = _REDIS_VERSION.search(content["version"])
    machine = {
        "architecture": content["architecture"],
        "cpu_model": content["cpu_model"],
        "vcpus": content["vcpus"],
    }
    server_user, server_system, client_user, client_system = (cpu_seconds[name] for name in _CPU_SECONDS)
    return {
        **_common_facts(line, content, f"data/{line.provider}/{line.instance_type}/{REDIS}/stdout"),
        "service": {"name": "redis", "version": version[1] if version else None},
        "nodes": [_database(line, **machine)],
        "settings": _stated(
            kernel=content["kernel"],
            hypervisor=content["hypervisor"],
            l3_cache=content["l3"],
            sockets=content["sockets"],
            threads_per_core=content["threads_per_core"],
        ),
        "notes": " ".join(
            (
                "A redis-server for each vCPU and a memtier_benchmark for each server, with 50 connections, all on this"
                " one machine: there is no network between them, and the clients take CPU time from the servers.",
                "The rate is the sum of all servers, the latency the mean of their mean latencies; no percentile is"
                " known.",
                f"CPU seconds: servers {server_user} user and {server_system} system, clients {client_user} user and"
                f" {client_system} system.",
                _about_region(line),
            )
        ),
    }


def postgresql_facts(line: Line, content: Mapping[str, Any]) -> Facts:
    output = content["stdout"]
    is_managed = output["topology"] == "dbaas"
    architecture = _ARCHITECTURE.search(output["postgres"]["version"])
    machine = {
        "kind": NodeKind.MANAGED.value if is_managed else NodeKind.MACHINES.value,
        "architecture": architecture[1] if architecture else None,
        "vcpus": output["db_vcpus"],
        "memory_gib": round(output["db_mem_gib"], 2),
        "disks": [_disk(output)] if "storage_type" in output else [],
    }
    clients = {"role": Role.CLIENT.value, "count": 1, "instance_type": NOT_STATED, "vcpus": output["client_vcpus"]}
    return {
        **_common_facts(line, content, content["path"]),
        "service": {"name": "postgresql"},
        "nodes": [_database(line, **machine), clients],
        "settings": {"client_kernel" if is_managed else "kernel": content["kernel"]},
        "notes": " ".join(
            (
                f"A read-only script of Spare Cores: CPU-bound aggregate queries on {output['schema_gib']:g} GiB, all"
                " of it in memory. It is not pgbench's select-only.",
                f"pgbench ran on a second machine of the same zone with {output['client_vcpus']} vCPUs:"
                f" {output['warmup_seconds']} s of warm-up, then {output['run_seconds']} s for each number of clients.",
                "Latencies are means: the percentiles in the raw file rest on a small sample.",
                *(("Cloud SQL, a managed service, for which the price book has no prices.",) if is_managed else ()),
                _about_region(line),
            )
        ),
    }


def _common_facts(line: Line, content: Mapping[str, Any], path: str) -> Facts:
    measured_at = content["started_at"]
    return {
        "provider": provider_of(line),
        "region": billing_of(provider_of(line)).reference_region,
        "measured_at": measured_at,
        "source": f"Spare Cores inspector, measured {measured_at[:10]}",
        "source_url": f"{_REPOSITORY}/{path}",
    }


def _database(line: Line, **machine: Any) -> Facts:
    return {"role": Role.DATABASE.value, "count": 1, "instance_type": line.instance_type, **machine}


def _disk(output: Mapping[str, Any]) -> Facts:
    return _stated(
        kind=output["storage_type"],
        size_gib=output["storage_gib"],
        iops=output.get("disk_iops"),
        throughput_mibps=output.get("disk_throughput_mb_s"),  # what Google Cloud calls MB/s are MiB/s
    )


def _stated(**facts: Any) -> Facts:
    return {name: value for name, value in facts.items() if value is not None}


def _about_region(line: Line) -> str:
    provider = provider_of(line)
    if region := billing_of(provider).reference_region:
        return (
            f"The source does not state the region: {place_name(provider, region)} is assumed, whose prices are used."
        )
    return f"The source does not state the region, and there are no prices of {provider_name(provider)}."
