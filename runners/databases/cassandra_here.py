"""cassandra-stress on 1 to 3 nodes of Cassandra on one machine, with what the machine has: nothing is installed."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runners.databases import cassandra_nodes
from runners.load_tools import stress_commands
from runners.load_tools.base import Job, Member
from runners.load_tools.cassandra_stress import CassandraStress, Downloads, job, scripts, split
from runners.load_tools.pgbench import THIS_MACHINE, processor_slug
from runners.plan import RunPlan

SCRIPTS = ("cassandra_here.sh", "cassandra.sh", "facts.py", "configure.py", "trial.py")
MAX_NODES = 3
HEAP = "512M"  # of each node, unless the plan's settings say otherwise
_PREPARE_SECONDS = 3

_NOTES = (
    "All nodes and the load tool ran on one machine, beside this site, on loopback addresses: they took processors, "
    "memory and disk from each other, and no network stands in the latency. No figure to rank with real clusters."
)


class CassandraHere(CassandraStress):
    def __init__(self) -> None:
        super().__init__(Downloads(cassandra_mirror=""))  # the version's own folder is the tool's too

    def refusal(self, plan: RunPlan) -> str | None:
        if plan.database.count > MAX_NODES:
            return f"one machine runs {MAX_NODES} nodes of Cassandra at most, the plan has {plan.database.count}"
        if plan.database.disks or plan.workload.disk_test:
            return "Cassandra lies where the site keeps its data: no disks can be ordered or tested for it"
        if plan.jdk and plan.jdk.vendor not in (None, "openjdk"):
            return f"this machine's own Java is used: a plan cannot ask for {plan.jdk.vendor}"
        return None

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        return super().bootstrap_jobs(_with_heap(plan), cluster)

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        document = super().document(_with_heap(plan), facts)
        for group in document["nodes"]:
            if group["instance_type"] == THIS_MACHINE and group.get("cpu_model"):
                group["instance_type"] = processor_slug(group["cpu_model"])
        tools = {one["load_tool"] for one in facts.values() if one and one.get("load_tool")}
        if len(tools) == 1:
            document["workload"]["tool_version"] = tools.pop()
        nodes = f"{plan.database.count} nodes" if plan.database.count > 1 else "one node"
        document["title"] = plan.title or f"Cassandra {plan.workload.operation}, {nodes} on one machine"
        document["notes"] = _NOTES
        return document

    def _software(self, plan: RunPlan, cluster: Sequence[Member]) -> list[Job]:
        version = self._server(plan)
        asked = plan.jdk.version if plan.jdk else None
        java = cassandra_nodes.java_major(asked) if asked else ""
        profile = stress_commands.profile(plan)
        _, clients = split(cluster)
        commands, placed = {}, {}
        for member in cluster:
            commands[member.name] = shlex.join(["sh", "bin/cassandra_here.sh", version, java, member.address])
            placed[member.name] = scripts(SCRIPTS)
            if profile is not None and member in clients:
                placed[member.name][stress_commands.PROFILE_PATH] = profile
        return [job("prepare", commands, _PREPARE_SECONDS, 300, files=placed)]


WORKLOAD = CassandraHere()


def _with_heap(plan: RunPlan) -> RunPlan:
    return plan.model_copy(update={"settings": {"heap": HEAP, **plan.settings}})
