"""The load tools that a run can use, each with the system that it stresses."""

from importlib import import_module

from runners.load_tools.base import Workload
from runners.plan import RunPlan

# tool -> module with `WORKLOAD`
MODULES = {
    "cassandra-stress": "runners.load_tools.cassandra_stress",
    "pgbench": "runners.load_tools.pgbench",
}
# Where a plan has no clients apart, because one machine is everything
ON_ONE_MACHINE = {"cassandra-stress": "runners.databases.cassandra_here"}


class UnknownWorkload(Exception):
    """No run can use this load tool."""


def for_plan(plan: RunPlan) -> Workload:
    """The workload of the plan's tool. Raises UnknownWorkload, also where the tool cannot do the plan."""
    tool = plan.workload.tool
    if tool not in MODULES:
        raise UnknownWorkload(f"no run can use {tool!r}; there are {', '.join(MODULES)}")
    module = ON_ONE_MACHINE.get(tool, MODULES[tool]) if plan.client is None else MODULES[tool]
    workload: Workload = import_module(module).WORKLOAD
    if plan.service.name != workload.service:
        raise UnknownWorkload(f"{tool} stresses {workload.service}, not {plan.service.name}")
    if reason := workload.refusal(plan):
        raise UnknownWorkload(reason)
    return workload
