"""The load tools that runs support, each with the database that it tests."""

from importlib import import_module

from runners.load_tools.base import Workload
from runners.plan_schema.run_plan import RunPlan
from submissions.formatting.names import service_name, tool_name

# tool -> module with `WORKLOAD`
MODULES = {
    "cassandra-stress": "runners.load_tools.cassandra_stress.cassandra_stress",
    "latte": "runners.load_tools.latte.latte",
    "pgbench": "runners.load_tools.pgbench.on_hosts",
    "ycsb": "runners.load_tools.ycsb.ycsb",
}
# For plans without separate clients, where one machine runs everything
ON_ONE_MACHINE = {
    "cassandra-stress": "runners.databases.cassandra_here",
    "latte": "runners.load_tools.latte.here",
    "pgbench": "runners.load_tools.pgbench.pgbench",
    "ycsb": "runners.load_tools.ycsb.here",
}


class UnsupportedWorkload(Exception):
    """Runs do not support this load tool, or not this plan with it."""


def workload_of(tool: str) -> Workload | None:
    """What runs do with this tool; None for a tool that they do not support."""
    workload: Workload | None = import_module(MODULES[tool]).WORKLOAD if tool in MODULES else None
    return workload


def settings_of(tool: str) -> tuple[str, ...]:
    """The keys that `settings` of a plan with this tool may have; () for a tool that runs do not support."""
    workload = workload_of(tool)
    return workload.settings if workload else ()


def for_plan(plan: RunPlan) -> Workload:
    """The workload of the plan's tool. Raises UnsupportedWorkload, also when the tool cannot run the plan."""
    tool = plan.workload.tool
    if tool not in MODULES:
        raise UnsupportedWorkload(f"runs do not support {tool!r}; choose from: {', '.join(MODULES)}")
    module = ON_ONE_MACHINE.get(tool, MODULES[tool]) if plan.client is None else MODULES[tool]
    workload: Workload = import_module(module).WORKLOAD
    if plan.service.name != workload.service:
        expected, stated = service_name(workload.service), service_name(plan.service.name)
        raise UnsupportedWorkload(f"{tool_name(tool)} tests {expected}, not {stated}")
    if reason := workload.refusal(plan):
        raise UnsupportedWorkload(reason)
    return workload
