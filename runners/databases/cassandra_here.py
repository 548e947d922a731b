"""Load tools on 1 to 3 Cassandra nodes of one machine, with what the machine has: nothing is installed."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from runners.databases import cassandra_nodes
from runners.load_tools.base import Job, Member
from runners.load_tools.cassandra_stress.cassandra_stress import CassandraStress
from runners.load_tools.downloads import Downloads
from runners.load_tools.job_parts import cassandra_release, job, scripts, split
from runners.load_tools.on_cassandra import OnCassandra
from runners.load_tools.pgbench.pgbench import processor_slug
from runners.plan_schema.run_plan import THIS_MACHINE, RunPlan

SCRIPTS = ("cassandra_here.sh", "cassandra.sh", "facts.py", "configure.py", "trial.py")
MAX_NODES = 3
MAX_THREADS = 1_000  # of the load tool
HEAP = "512M"  # per node, unless the plan sets it
_PREPARE_SECONDS = 3

_NOTES = (
    "All nodes and the load tool ran on one machine, beside this site, on loopback addresses: they competed for "
    "processors, memory and disk, and the latency includes no network. Not comparable with real clusters."
)


class OnThisMachine(OnCassandra):
    """Goes before the class of a load tool: its clusters are of one machine."""

    def __init__(self) -> None:
        super().__init__(Downloads(cassandra_mirror=""))  # nothing is downloaded

    def refusal(self, plan: RunPlan) -> str | None:
        if plan.database.count > MAX_NODES:
            return f"one machine runs at most {MAX_NODES} Cassandra nodes; the plan has {plan.database.count}"
        if plan.database.disks or plan.workload.disk_test:
            return "Cassandra uses the disk of the site: a plan cannot order or test disks for it"
        if plan.cpu_profile:
            return "cpu_profile needs hosts of its own: the nodes of this machine are not profiled"
        if plan.jdk and plan.jdk.vendor not in (None, "openjdk"):
            return f"the Java of this machine is used: a plan cannot choose {plan.jdk.vendor}"
        if (plan.workload.threads or 0) > MAX_THREADS:
            return f"on this machine, {self.tool} supports at most {MAX_THREADS:,} threads"
        return super().refusal(plan)

    def host_refusal(self) -> str | None:
        return None

    def link_command(self) -> str | None:
        """Makes the tool that this machine has the run's; None for a tool of Cassandra's own distribution."""
        return None

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        return super().bootstrap_jobs(_with_heap(plan), cluster)

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """The nodes wait for each other on the loopback address of the first, not on those of the machine."""
        trial_job = super().trial_job(plan, cluster, trial)
        meeting = f"export MEETING_ADDRESS={split(cluster)[1][0].address}; "
        return replace(trial_job, commands={name: meeting + text for name, text in trial_job.commands.items()})

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        document = super().document(_with_heap(plan), facts)
        for group in document["nodes"]:
            if group["instance_type"] == THIS_MACHINE and group.get("cpu_model"):
                group["instance_type"] = processor_slug(group["cpu_model"])
        nodes = f"{plan.database.count} nodes" if plan.database.count > 1 else "one node"
        document["title"] = plan.title or f"Cassandra {plan.workload.operation}, {nodes} on one machine"
        document["notes"] = " ".join(filter(None, [_NOTES, document.get("notes")]))
        return document

    def _software(self, plan: RunPlan, cluster: Sequence[Member]) -> list[Job]:
        version = cassandra_release(plan)
        java_version = plan.jdk.version if plan.jdk else None
        java = cassandra_nodes.java_major(java_version) if java_version else ""
        _, clients = split(cluster)
        commands, file_sets = {}, {}
        for member in cluster:
            command = shlex.join(["sh", "bin/cassandra_here.sh", version, java, member.address])
            file_sets[member.name] = scripts(SCRIPTS)
            if member in clients:
                file_sets[member.name] |= self.client_files(plan)
                command = " && ".join(filter(None, [command, self.link_command()]))
            commands[member.name] = command
        return [job("prepare", commands, _PREPARE_SECONDS, 300, files=file_sets)]


class CassandraHere(OnThisMachine, CassandraStress):
    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The load tool that a distribution brings may be of another release: the hosts report which."""
        document = super().document(plan, facts)
        tools = {host["load_tool"] for host in facts.values() if host and host.get("load_tool")}
        if len(tools) == 1:
            document["workload"]["tool_version"] = tools.pop()
        return document


WORKLOAD = CassandraHere()


def _with_heap(plan: RunPlan) -> RunPlan:
    return plan.model_copy(update={"settings": {"heap": HEAP, **plan.settings}})
