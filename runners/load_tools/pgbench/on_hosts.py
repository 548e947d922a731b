"""pgbench on a client host, on PostgreSQL of the distribution on a database host.

A plan's `settings` are those of pgbench.py. Only the client may connect, over the network of the run.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runners.choices import OutputKind
from runners.databases import postgresql_conf
from runners.errors import BootstrapFailed
from runners.hosts.hosts import output_of
from runners.load_tools import measured
from runners.load_tools.base import Job, Member, OutputFile
from runners.load_tools.job_parts import disk_variables, folder_of, job, scripts, split
from runners.load_tools.pgbench.pgbench import (
    Pgbench,
    client_count,
    command,
    fill_job,
    histogram,
    sampling_note,
    scale_of,
    trial_command,
    trial_seconds,
)
from runners.plan_schema.run_plan import RunPlan
from submissions.choices import Role

SCRIPTS = ("prepare.sh", "apt.sh", "disks.py", "postgresql_host.sh", "facts.py", "trial.py", "pgbench_latencies.py")
PROGRAMS = "pg_ctlcluster:postgresql"  # Debian and Ubuntu have the load tool in the package of the server
_INSTALL_SECONDS = 3600.0
_NOTES = "The load tool ran on a host of its own; latencies include the network between the two hosts."


class PgbenchOnHosts(Pgbench):
    def refusal(self, plan: RunPlan) -> str | None:
        if plan.client is None or (plan.database.count, plan.client.count) != (1, 1):
            return "pgbench needs one database node and one client: PostgreSQL runs without replicas"
        if plan.workload.replication_factor != 1:
            return "PostgreSQL runs without replicas: the replication factor must be 1"
        if sum(disk.count for disk in plan.database.disks) > 1 and not any(disk.raid for disk in plan.database.disks):
            return "PostgreSQL has its data in one place: several disks need a RAID"
        return self.load_refusal(plan)

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        """Prepare, facts, start, fill. Raises BootstrapFailed without the disks of the plan."""
        [database], [client] = split(cluster)
        hosts = (database, client)
        conf = postgresql_conf.text(plan.settings, clients=client_count(plan), listen="*").encode()
        files = {host.name: scripts(SCRIPTS) for host in hosts}
        files[database.name]["conf/postgresql.conf"] = conf
        start = f"sh bin/postgresql_host.sh start {scale_of(plan)} {shlex.quote(_only(client))}"
        fill = [*command(plan, _connection(database))[:3], "--initialize", f"--scale={scale_of(plan)}", "--quiet"]
        return [
            job("prepare", {host.name: _prepare(plan, host) for host in hosts}, 60, _INSTALL_SECONDS, files=files),
            job("facts", {host.name: "python3 bin/facts.py" for host in hosts}, 5, 300),
            job("start", {database.name: start}, 8, 300),
            fill_job(plan, {client.name: shlex.join([*fill, "postgres"])}),
        ]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """Both hosts sample themselves while the client runs the load tool."""
        [database], [client] = split(cluster)
        sample = ["python3", "bin/trial.py", folder_of(trial), "2", "1", client.address]
        commands = {
            client.name: trial_command(plan, trial, _connection(database), ("2", "1", "-")),
            database.name: shlex.join(sample),
        }
        expected, limit = trial_seconds(plan)
        return job(f"trial-{trial}", commands, expected + 15, limit)

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        [database], [client] = split(cluster)
        log, samples = output_of(f"trial-{trial}"), f"{folder_of(trial)}/samples.csv"
        start = f"trial-{trial + 1}"
        return [
            OutputFile(client.name, log, OutputKind.LOG, trial, f"{start}-{client.name}.log"),
            OutputFile(client.name, histogram(trial), OutputKind.HDR, trial, f"{start}-{client.name}.hdr"),
            *(
                OutputFile(name, samples, OutputKind.SAMPLES, trial, f"{start}-{name}-samples.csv")
                for name in (database.name, client.name)
            ),
        ]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Without what the log contains itself: version, clients, mix, keys, amounts."""
        document = measured.cluster_document(plan, facts)
        document["service"] = {"name": self.service}
        document["notes"] = _NOTES + sampling_note(plan)
        document["workload"] = {"tool": self.tool, "command": shlex.join(["pgbench", *command(plan, ())[1:]])}
        if plan.workload.fixed_rate_ops_s:
            document["workload"]["fixed_rate_ops_s"] = plan.workload.fixed_rate_ops_s
        return document


WORKLOAD = PgbenchOnHosts()


def _prepare(plan: RunPlan, host: Member) -> str:
    """The package must find that it shall make no cluster before it is installed."""
    try:
        disks = disk_variables(plan, host) if host.role == Role.DATABASE else {}
    except ValueError as error:
        raise BootstrapFailed(str(error)) from error
    variables = {"PROGRAMS": PROGRAMS, **disks}
    assigned = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    script, version = "sh bin/postgresql_host.sh", shlex.quote(plan.service.version or "")
    return f"{script} prepare && {assigned} sh bin/prepare.sh && {script} tools {version}"


def _connection(database: Member) -> tuple[str, str]:
    return f"--host={database.address}", "--username=benchsite"


def _only(host: Member) -> str:
    """The network with this address alone."""
    return f"{host.address}/{128 if ':' in host.address else 32}"
