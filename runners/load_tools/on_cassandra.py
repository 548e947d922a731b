"""A load tool on a Cassandra cluster: install, configure, form, create the schema, fill, stress.

What is the same for every tool is here; a tool says how it gets on a host, and with which commands it runs. A plan's
`settings` may contain: "cassandra.yaml" (an object), "jvm_options" (a list), "heap" ("8G"), and what the tool adds.
"""

import shlex
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from runners.choices import OutputKind
from runners.databases import cassandra_nodes, cassandra_yaml, jvm_options
from runners.errors import BootstrapFailed
from runners.hosts.hosts import output_of
from runners.load_tools import fio, measured, profiler, sharing
from runners.load_tools.base import Job, Member, OutputFile, Workload
from runners.load_tools.downloads import Downloads
from runners.load_tools.job_parts import (
    cassandra_release,
    data_folders,
    disk_variables,
    fixed_rate_ops_s,
    folder_of,
    job,
    scripts,
    split,
    with_java,
)
from runners.plan_schema.run_plan import RunPlan
from submissions.choices import Role

SCRIPTS = ("prepare.sh", "apt.sh", "disks.py", "cassandra.sh", "fetch.py", "facts.py", "configure.py", "trial.py")
START_SECONDS = 300  # of one node; a small node needs about ten
FORM_SECONDS = 900
FILL_OPS_S = 2_000.0  # of one slow node: for timeouts only
HOUR = 3600.0


class OnCassandra(Workload):
    service = "cassandra"
    settings: tuple[str, ...] = (cassandra_yaml.KEY, jvm_options.KEY, "heap")
    traces = cassandra_nodes.TRACES
    needs_java = True
    version_example = "e.g. 5.0.9"
    settings_example = '{"cassandra.yaml": {"concurrent_writes": 128}, "jvm_options": ["-Xmx8G"]}'

    def __init__(self, downloads: Downloads | None = None) -> None:
        self._downloads = downloads

    @property
    def downloads(self) -> Downloads:
        return self._downloads or Downloads.of_site()

    @abstractmethod
    def check_load(self, plan: RunPlan) -> None:
        """Raises ValueError with why the tool cannot run the plan's load, in one sentence."""

    @abstractmethod
    def tool_version(self, plan: RunPlan) -> str:
        """The release of the load tool. Raises ValueError when the plan names none."""

    @abstractmethod
    def schema_command(self, plan: RunPlan, contacts: Sequence[str]) -> str:
        """Creates keyspace and tables, on the first client, before several start together."""

    @abstractmethod
    def fill_command(self, plan: RunPlan, client: int, clients: int, contacts: Sequence[str]) -> str | None:
        """Writes one client's share of the rows that `rows_to_fill` counts; None for a client without a share."""

    @abstractmethod
    def rows_to_fill(self, plan: RunPlan, clients: int) -> int:
        """The rows that the database has before the first trial; 0 when the load needs none."""

    @abstractmethod
    def trial_words(self, plan: RunPlan, trial: int, client: int, clients: int, contacts: Sequence[str]) -> list[str]:
        """The command of one client's measured part of a trial."""

    @abstractmethod
    def tool_outputs(self, plan: RunPlan, member: Member, trial: int) -> Sequence[OutputFile]:
        """The files that a client has after a trial, besides its log."""

    @abstractmethod
    def workload_document(self, plan: RunPlan) -> Mapping[str, Any]:
        """What the log does not contain of the document's workload."""

    def log_of(self, trial: int) -> str:
        """The file of a client that has the figures of a trial."""
        return output_of(f"trial-{trial}")

    def client_files(self, plan: RunPlan) -> Mapping[str, bytes]:
        """What a client needs beside the scripts: {path: content}."""
        return {}

    def tool_install(self, plan: RunPlan) -> str | None:
        """Installs the tool on a client; None when it is part of Cassandra's own distribution."""
        return None

    def host_refusal(self) -> str | None:
        """Why the hosts of this site cannot have the tool, in one sentence; None when they can."""
        return None

    def client_cassandra(self, plan: RunPlan) -> str | None:
        """The release of Cassandra whose distribution has the load tool; None when the tool is not in it."""
        return None

    def refusal(self, plan: RunPlan) -> str | None:
        if others := sorted(set(plan.settings) - set(self.settings)):
            return f"Cassandra runs support only the settings {', '.join(self.settings)}, not {', '.join(others)}"
        if plan.cpu_profile and (reason := profiler.refusal(self.downloads.maven_mirror)):
            return reason
        if reason := self.host_refusal():
            return reason
        try:
            cassandra_release(plan), self.tool_version(plan)
            cassandra_nodes.java(plan, self.downloads.jdk_mirror)
            self.check_load(plan)
        except ValueError as error:
            return str(error)
        return cassandra_nodes.refusal(plan.settings)

    def offered_ops_s(self, plan: RunPlan) -> float | None:
        return fixed_rate_ops_s(plan)

    def java_release(self, plan: RunPlan) -> int | None:
        major = cassandra_nodes.java(plan, self.downloads.jdk_mirror).get("JAVA_MAJOR")
        return int(major) if major else None

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        """Prepare, disk test, install, facts, start, form, schema, fill. Raises BootstrapFailed for a wrong plan."""
        try:
            return self._bootstrap_jobs(plan, cluster)
        except ValueError as error:
            raise BootstrapFailed(str(error)) from error

    def _bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> list[Job]:
        database, clients = split(cluster)
        version = cassandra_release(plan)
        jobs = self._software(plan, cluster)
        if plan.cpu_profile and self.downloads.maven_mirror:
            script = scripts(["profile.py"])["bin/profile.py"]
            jobs.append(profiler.install(database[0].name, self.downloads.maven_mirror, script))
        jobs.append(job("facts", {m.name: "python3 bin/facts.py" for m in cluster}, 5, 300))
        seeds = cassandra_nodes.seeds_of(database)
        turn = _turn(database)
        for name, members in (("start-seeds", seeds), ("start", [m for m in database if m not in seeds])):
            if members:
                jobs.append(_start(f"{name}{turn}", plan, database, members))
        formed = f"sh bin/cassandra.sh await {version} {len(database)} {FORM_SECONDS}"
        jobs.append(job("form", {database[0].name: formed}, 15, FORM_SECONDS + 60))
        contacts = cassandra_nodes.contacts([member.address for member in database])
        schema = job("schema", {clients[0].name: self.schema_command(plan, contacts)}, 15, 600)
        jobs.append(replace(schema, is_before_data=False))
        if rows := self.rows_to_fill(plan, len(clients)):
            jobs += self._fill(plan, database, clients, contacts, rows)
        return jobs

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """The clients run the load tool and every host samples itself, all at the same time (scripts/trial.py)."""
        database, clients = split(cluster)
        contacts = cassandra_nodes.contacts([member.address for member in database])
        hosts = list(dict.fromkeys([*clients, *database]))
        commands = {}
        for member in hosts:
            meeting = "-" if member is clients[0] else clients[0].address
            words = ["python3", "bin/trial.py", folder_of(trial), str(len(hosts)), str(len(clients)), meeting]
            if member in clients:
                words += self.trial_words(plan, trial, clients.index(member), len(clients), contacts)
            commands[member.name] = with_java(words)
        expected = float(plan.workload.duration_seconds or (plan.workload.operations or 0) / (10_000 * len(database)))
        limit = plan.max_duration_minutes * 60.0
        if plan.workload.duration_seconds:
            limit = min(limit, plan.workload.duration_seconds * 2 + 900.0)
        return job(f"trial-{trial}", commands, expected + 20, limit)

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        database, clients = split(cluster)
        log = self.log_of(trial)
        outputs = []
        for member in clients:
            name = f"trial-{trial + 1}-{member.name}{PurePosixPath(log).suffix or '.log'}"
            outputs.append(OutputFile(member.name, log, OutputKind.LOG, trial, name))
            outputs += self.tool_outputs(plan, member, trial)
        for member in dict.fromkeys([*database, *clients]):
            name = f"trial-{trial + 1}-{member.name}-samples.csv"
            outputs.append(OutputFile(member.name, f"{folder_of(trial)}/samples.csv", OutputKind.SAMPLES, trial, name))
        if plan.workload.disk_test and trial == 0:
            outputs += fio.outputs(database, data_folders(plan))
        return outputs

    def profile_job(self, plan: RunPlan, cluster: Sequence[Member]) -> Job | None:
        """The first node is profiled, for as long as is enough."""
        if not plan.cpu_profile:
            return None
        if seconds := plan.workload.duration_seconds:
            workload = plan.workload.model_copy(update={"duration_seconds": min(seconds, profiler.SECONDS)})
            plan = plan.model_copy(update={"workload": workload})
        trial = self.trial_job(plan, cluster, plan.trials)
        return profiler.around(trial, split(cluster)[0][0].name, self.traces)

    def profile_outputs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[OutputFile]:
        return [profiler.output(split(cluster)[0][0].name)]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Without what every client's log contains: threads, amounts, keys, mix."""
        document = measured.cluster_document(plan, facts)
        content = {"tool": self.tool, "tool_version": self.tool_version(plan), **self.workload_document(plan)}
        document["workload"] = {key: value for key, value in content.items() if value is not None}
        return document

    def _software(self, plan: RunPlan, cluster: Sequence[Member]) -> list[Job]:
        """The jobs that install what each host needs for its role."""
        database, clients = split(cluster)
        jobs = [self._prepare(plan, cluster)]
        if plan.workload.disk_test:
            jobs.append(fio.job(database))
        installs = {m.name: self._install(plan, m, is_client=m in clients) for m in cluster}
        around = sharing.shared(cluster, installs)
        return [*jobs, job("install", {n: around[n][0] + c + around[n][1] for n, c in installs.items()}, 120, HOUR)]

    def _prepare(self, plan: RunPlan, cluster: Sequence[Member]) -> Job:
        java = cassandra_nodes.java(plan, self.downloads.jdk_mirror)
        _, clients = split(cluster)
        commands, file_sets = {}, {}
        for member in cluster:
            variables = {**java, **(disk_variables(plan, member) if member.role == Role.DATABASE else {})}
            if plan.workload.disk_test and member.role == Role.DATABASE:
                variables["PROGRAMS"] = "fio:fio"
            assigned = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
            commands[member.name] = f"{assigned} sh bin/prepare.sh"
            file_sets[member.name] = scripts((*SCRIPTS, "disk_test.py") if plan.workload.disk_test else SCRIPTS)
            if member in clients:
                file_sets[member.name] |= self.client_files(plan)
        return job("prepare", commands, 60, HOUR, files=file_sets)

    def _install(self, plan: RunPlan, member: Member, *, is_client: bool) -> str:
        versions = [cassandra_release(plan)] if member.role == Role.DATABASE else []
        with_tool = self.client_cassandra(plan) if is_client else None
        if with_tool and with_tool not in versions:
            versions.append(with_tool)
        downloads = self.downloads
        words = [("sh", "bin/cassandra.sh", "install", downloads.tarball(v), v, downloads.histograms) for v in versions]
        commands = [shlex.join(command) for command in words]
        if is_client and (tool := self.tool_install(plan)):
            commands.append(tool)
        return " && ".join(commands)

    def _fill(
        self,
        plan: RunPlan,
        database: Sequence[Member],
        clients: Sequence[Member],
        contacts: Sequence[str],
        rows: int,
    ) -> list[Job]:
        count = len(clients)
        fills = {
            member.name: command
            for index, member in enumerate(clients)
            if (command := self.fill_command(plan, index, count, contacts))
        }
        expected = rows / (FILL_OPS_S * len(database))
        settle = f"sh bin/cassandra.sh settle {cassandra_release(plan)} {int(HOUR)}"
        return [
            replace(job("fill", fills, expected, expected * 4 + 600), is_repeatable=False, is_before_data=False),
            job("settle", {member.name: settle for member in database}, 60, HOUR + 600),
        ]


def _start(name: str, plan: RunPlan, database: Sequence[Member], members: Sequence[Member]) -> Job:
    version = cassandra_release(plan)
    return job(
        name,
        {m.name: f"sh bin/cassandra.sh start {version} {m.address} {START_SECONDS}" for m in members},
        30,
        START_SECONDS + 120,
        files={
            m.name: {
                "overrides.json": cassandra_nodes.overrides(plan, database, m.index),
                "cassandra.env": cassandra_nodes.environment(plan),
            }
            for m in members
        },
    )


def _turn(database: Sequence[Member]) -> str:
    """Part of the names of the jobs that start the database: with another host in the cluster, they run again."""
    replaced = sum(member.is_replacement for member in database)
    return f"-{replaced + 1}" if replaced else ""
