"""Which fields the form of a plan has for a provider and a load tool, and what stands for those it does not have."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from runners.choices import OPERATION_NAMES
from runners.load_tools import MODULES, workload_of
from runners.load_tools.base import OPTIONS
from runners.plan_schema.run_plan import THIS_MACHINE
from runners.providers.registry import traits_of
from submissions.formatting.names import service_name, tool_name

_IN_CLOUDS = frozenset(
    {
        *("region", "zones", "pricing_model", "database_type", "database_disks", "client_type", "client_count"),
        *("allow_equivalent_type", "disk_test", "cpu_profile", "traffic_usd_per_gb"),
    }
)
_OF_JAVA = frozenset({"jdk_vendor", "jdk_version", "cpu_profile"})


def tools() -> list[tuple[str, str]]:
    """Each load tool that runs support, with its database: "PostgreSQL, by pgbench"."""
    workloads = [workload for tool in MODULES if (workload := workload_of(tool))]
    names = [
        (workload.tool, f"{service_name(workload.service)}, by {tool_name(workload.tool)}") for workload in workloads
    ]
    return sorted(names, key=lambda pair: pair[1], reverse=True)


def operations_of(tool: str) -> list[tuple[str, str]]:
    """The operations of a load tool that need no profile."""
    workload = workload_of(tool)
    operations = workload.operations if workload else ()
    return [(name, OPERATION_NAMES[name]) for name in operations if name in OPERATION_NAMES]


def left_out(provider: str, tool: str) -> frozenset[str]:
    """The fields that no plan for this provider with this tool needs."""
    workload = workload_of(tool)
    names: frozenset[str] = _IN_CLOUDS if traits_of(provider).is_this_machine else frozenset()
    if workload is None:
        return names
    names |= set(OPTIONS) - set(workload.options)
    if not settings.MAVEN_MIRROR:  # the profiler would be downloaded from there
        names |= {"cpu_profile"}
    if not workload.needs_java:
        names |= _OF_JAVA
    return names | {"database_count"} if workload.max_nodes == 1 else names


def implied(provider: str, tool: str) -> Mapping[str, Any]:
    """The parts of the plan that its provider and its tool decide."""
    workload = workload_of(tool)
    database: dict[str, Any] = {}
    if traits_of(provider).is_this_machine:
        database["instance_type"] = THIS_MACHINE
    if workload is None:
        return {"database": database}
    if workload.max_nodes == 1:
        database["count"] = 1
    return {"service": {"name": workload.service}, "database": database}
