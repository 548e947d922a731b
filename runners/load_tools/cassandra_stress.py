"""cassandra-stress on a Cassandra cluster: install, configure, form, fill, stress.

A plan's `settings` may contain: "cassandra.yaml" (an object), "jvm_options" (a list), "heap" ("8G"), and
"cassandra-stress": {"ops": {"insert": 1, ...}} for a user profile.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from django.conf import settings

from runners.choices import OutputKind
from runners.databases import cassandra_nodes, cassandra_yaml, jvm_options
from runners.errors import BootstrapFailed
from runners.hosts.hosts import output_of
from runners.load_tools import fio, measured, profiler, sharing, stress_commands
from runners.load_tools.base import OPTIONS, Job, Member, OutputFile, Workload
from runners.plan import RunPlan
from submissions.choices import Raid, Role
from submissions.ingest.parsers.cassandra_stress import table

SCRIPTS = ("prepare.sh", "apt.sh", "disks.py", "cassandra.sh", "fetch.py", "facts.py", "configure.py", "trial.py")
START_SECONDS = 300  # of one node; a small node needs about ten
FORM_SECONDS = 900
FILL_OPS_S = 2_000.0  # of one slow node: for timeouts only
_HOUR = 3600.0

_RELEASE = re.compile(r"\d{1,3}(\.\d{1,5}){0,3}(-[a-z0-9]{1,20})?")

# The header of every version that a run can install: the tail of a log has no header.
_HEADER = "type,total ops,op/s,pk/s,row/s,mean,med,.95,.99,.999,max,time,stderr,errors,gc: #,max ms,sum ms,sdv ms,mb"


@dataclass(frozen=True, slots=True)
class Downloads:
    """Where the hosts download from, and the load tool's version if it differs from the server's."""

    cassandra_mirror: str
    stress_version: str | None = None
    jdk_mirror: str | None = None
    maven_mirror: str | None = None

    @property
    def histograms(self) -> str:
        """The HdrHistogram library that cassandra.sh installs where the tool's own does not work."""
        if self.maven_mirror is None:
            return "-"
        return f"{self.maven_mirror.rstrip('/')}/org/hdrhistogram/HdrHistogram/2.1.12/HdrHistogram-2.1.12.jar"

    def tarball(self, version: str) -> str:
        return f"{self.cassandra_mirror.rstrip('/')}/{version}/apache-cassandra-{version}-bin.tar.gz"


class CassandraStress(Workload):
    tool = "cassandra-stress"
    service = "cassandra"
    settings = (cassandra_yaml.KEY, jvm_options.KEY, "heap", "cassandra-stress")
    traces = cassandra_nodes.TRACES
    operations = stress_commands.OPERATIONS
    options = tuple(option for option in OPTIONS if option != "scale")
    needs_java = True
    version_example = "e.g. 5.0.9"
    settings_example = '{"cassandra.yaml": {"concurrent_writes": 128}, "jvm_options": ["-Xmx8G"]}'

    def __init__(self, downloads: Downloads | None = None) -> None:
        self._downloads = downloads

    @property
    def downloads(self) -> Downloads:
        return self._downloads or Downloads(
            settings.CASSANDRA_MIRROR,
            settings.CASSANDRA_STRESS_VERSION or None,
            settings.JDK_MIRROR or None,
            settings.MAVEN_MIRROR or None,
        )

    def refusal(self, plan: RunPlan) -> str | None:
        if others := sorted(set(plan.settings) - set(self.settings)):
            return f"Cassandra runs support only the settings {', '.join(self.settings)}, not {', '.join(others)}"
        if plan.cpu_profile and (reason := profiler.refusal(self.downloads.maven_mirror)):
            return reason
        try:
            self._server(plan), self._tool(plan)
            cassandra_nodes.java(plan, self.downloads.jdk_mirror)
            stress_commands.check(plan)
        except ValueError as error:
            return str(error)
        return cassandra_nodes.refusal(plan.settings)

    def offered_ops_s(self, plan: RunPlan) -> float | None:
        return stress_commands.fixed_rate_ops_s(plan)

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
        version, tool_version = self._server(plan), self._tool(plan)
        jobs = self._software(plan, cluster)
        if plan.cpu_profile and self.downloads.maven_mirror:
            script = scripts(["profile.py"])["bin/profile.py"]
            jobs.append(profiler.install(database[0].name, self.downloads.maven_mirror, script))
        jobs.append(job("facts", {m.name: "python3 bin/facts.py" for m in cluster}, 5, 300))
        seeds = cassandra_nodes.seeds_of(database)
        turn = _turn(database)
        for name, members in (("start-seeds", seeds), ("start", [m for m in database if m not in seeds])):
            if members:
                jobs.append(self._start(f"{name}{turn}", plan, database, members))
        formed = f"sh bin/cassandra.sh await {version} {len(database)} {FORM_SECONDS}"
        jobs.append(job("form", {database[0].name: formed}, 15, FORM_SECONDS + 60))
        contacts = stress_commands.contacts([member.address for member in database])
        words = stress_commands.schema(plan, contacts, version=tool_version)
        schema = job("schema", {clients[0].name: self._stress(tool_version, words)}, 15, 600)
        jobs.append(replace(schema, is_before_data=False))
        if stress_commands.needs_prefill(plan):
            jobs += self._fill(plan, database, clients, contacts)
        return jobs

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """The clients run the load tool and every host samples itself, all at the same time (scripts/trial.py)."""
        database, clients = split(cluster)
        version = self._tool(plan)
        contacts = stress_commands.contacts([member.address for member in database])
        hosts = list(dict.fromkeys([*clients, *database]))
        folder = _folder(trial)
        commands = {}
        for member in hosts:
            meeting = "-" if member is clients[0] else clients[0].address
            words = ["python3", "bin/trial.py", folder, str(len(hosts)), str(len(clients)), meeting]
            if member in clients:
                options = stress_commands.trial(
                    plan, clients.index(member), len(clients), contacts, version=version, hdr=f"{folder}/stress.hdr"
                )
                words += [_program(version), *options]
            commands[member.name] = f". ./host.env; export JAVA_HOME; exec {shlex.join(words)}"
        expected = float(plan.workload.duration_seconds or (plan.workload.operations or 0) / (10_000 * len(database)))
        limit = plan.max_duration_minutes * 60.0
        if plan.workload.duration_seconds:
            limit = min(limit, plan.workload.duration_seconds * 2 + 900.0)
        return job(f"trial-{trial}", commands, expected + 20, limit)

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        database, clients = split(cluster)
        folder, log = _folder(trial), output_of(f"trial-{trial}")
        outputs = []
        for member in clients:
            outputs.append(OutputFile(member.name, log, OutputKind.LOG, trial, f"trial-{trial + 1}-{member.name}.log"))
            if stress_commands.release(self._tool(plan)) >= (3, 11):
                name = f"trial-{trial + 1}-{member.name}.hdr"
                outputs.append(OutputFile(member.name, f"{folder}/stress.hdr", OutputKind.HDR, trial, name))
        for member in dict.fromkeys([*database, *clients]):
            name = f"trial-{trial + 1}-{member.name}-samples.csv"
            outputs.append(OutputFile(member.name, f"{folder}/samples.csv", OutputKind.SAMPLES, trial, name))
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

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        columns = table.header(_HEADER)
        rows = [row for line in lines if columns and line.startswith("total,") and (row := columns.row(line))]
        return [(row.time, row.rate, row.latency.p99) for row in rows if row.rate is not None]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Without what every client's log contains: threads, amounts, keys, mix."""
        document = measured.cluster_document(plan, facts)
        workload = plan.workload
        document["workload"] = {
            key: value
            for key, value in (
                ("tool", self.tool),
                ("tool_version", self._tool(plan)),
                ("command", self._command(plan)),
                ("consistency_level", workload.consistency_level and workload.consistency_level.value),
                ("replication_factor", workload.replication_factor),
                ("columns", None if workload.operation == "user" else workload.columns),
                ("value_bytes", None if workload.operation == "user" else workload.value_bytes),
                ("fixed_rate_ops_s", stress_commands.fixed_rate_ops_s(plan)),
            )
            if value is not None
        }
        return document

    def _software(self, plan: RunPlan, cluster: Sequence[Member]) -> list[Job]:
        """The jobs that install what each host needs for its role."""
        database, clients = split(cluster)
        jobs = [self._prepare(plan, cluster)]
        if plan.workload.disk_test:
            jobs.append(fio.job(database))
        installs = {m.name: self._install(plan, m, is_client=m in clients) for m in cluster}
        around = sharing.shared(cluster, installs)
        return [*jobs, job("install", {n: around[n][0] + c + around[n][1] for n, c in installs.items()}, 120, _HOUR)]

    def _prepare(self, plan: RunPlan, cluster: Sequence[Member]) -> Job:
        java = cassandra_nodes.java(plan, self.downloads.jdk_mirror)
        profile = stress_commands.profile(plan)
        _, clients = split(cluster)
        commands, file_sets = {}, {}
        for member in cluster:
            variables = {**java, **(disk_variables(plan, member) if member.role == Role.DATABASE else {})}
            if plan.workload.disk_test and member.role == Role.DATABASE:
                variables["PROGRAMS"] = "fio:fio"
            assigned = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
            commands[member.name] = f"{assigned} sh bin/prepare.sh"
            file_sets[member.name] = scripts((*SCRIPTS, "disk_test.py") if plan.workload.disk_test else SCRIPTS)
            if profile is not None and member in clients:
                file_sets[member.name][stress_commands.PROFILE_PATH] = profile
        return job("prepare", commands, 60, _HOUR, files=file_sets)

    def _install(self, plan: RunPlan, member: Member, *, is_client: bool) -> str:
        versions = [self._server(plan)] if member.role == Role.DATABASE else []
        if is_client and self._tool(plan) not in versions:
            versions.append(self._tool(plan))
        downloads = self.downloads
        words = [("sh", "bin/cassandra.sh", "install", downloads.tarball(v), v, downloads.histograms) for v in versions]
        return " && ".join(shlex.join(command) for command in words)

    def _start(self, name: str, plan: RunPlan, database: Sequence[Member], members: Sequence[Member]) -> Job:
        version = self._server(plan)
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

    def _fill(
        self, plan: RunPlan, database: Sequence[Member], clients: Sequence[Member], contacts: Sequence[str]
    ) -> list[Job]:
        version, count = self._tool(plan), len(clients)
        fills = {
            member.name: self._stress(version, stress_commands.prefill(plan, index, count, contacts, version=version))
            for index, member in enumerate(clients)
        }
        first, last = stress_commands.key_range(plan, 0, count)
        expected = (last - first + 1) * count / (FILL_OPS_S * len(database))
        settle = f"sh bin/cassandra.sh settle {self._server(plan)} {int(_HOUR)}"
        return [
            replace(job("fill", fills, expected, expected * 4 + 600), is_repeatable=False, is_before_data=False),
            job("settle", {member.name: settle for member in database}, 60, _HOUR + 600),
        ]

    def _stress(self, version: str, words: Sequence[str]) -> str:
        return f". ./host.env; export JAVA_HOME; exec {shlex.join([_program(version), *words])}"

    def _command(self, plan: RunPlan) -> str:
        """The command line of the first client without the addresses: logs before 5.0 do not contain it."""
        clients = plan.client.count if plan.client else 1
        words = stress_commands.trial(plan, 0, clients, [], version=self._tool(plan), hdr="stress.hdr")
        return " ".join([self.tool, *words[: words.index("-node")]])

    def _server(self, plan: RunPlan) -> str:
        return _version(plan.service.version)

    def _tool(self, plan: RunPlan) -> str:
        return _version(self.downloads.stress_version or plan.service.version)


WORKLOAD = CassandraStress()


def split(cluster: Sequence[Member]) -> tuple[list[Member], list[Member]]:
    """Database nodes and clients by index; without clients, the first database node is the client."""
    database = sorted((m for m in cluster if m.role == Role.DATABASE), key=lambda m: m.index)
    clients = sorted((m for m in cluster if m.role == Role.CLIENT), key=lambda m: m.index)
    return database, clients or database[:1]


def disk_variables(plan: RunPlan, member: Member) -> dict[str, str]:
    """Environment of prepare.sh: the disks of a database host. Raises ValueError when the cloud lists too few."""
    disks = plan.database.disks
    if not disks:
        return {}
    ordered = sum(disk.count for disk in disks)
    if len(member.disks) != ordered:
        raise ValueError(f"the cloud lists {len(member.disks)} of the {ordered} disks of {member.name}")
    return {
        "DISKS": " ".join(member.disks),
        "RAID": Raid.RAID0.value if is_striped(plan) else Raid.NONE.value,
        "FILESYSTEM": disks[0].filesystem or "xfs",
    }


def is_striped(plan: RunPlan) -> bool:
    return any(disk.raid == Raid.RAID0 for disk in plan.database.disks)


def data_folders(plan: RunPlan) -> int:
    """The number of folders that prepare.sh creates under data/."""
    return 1 if is_striped(plan) else max(1, sum(disk.count for disk in plan.database.disks))


def scripts(names: Sequence[str]) -> dict[str, bytes]:
    """The scripts as files of a host: {"bin/<name>": content}."""
    folder = files("runners.load_tools") / "scripts"
    return {f"bin/{name}": (folder / name).read_bytes() for name in names}


def _turn(database: Sequence[Member]) -> str:
    """Part of the names of the jobs that start the database: with another host in the cluster, they run again."""
    replaced = sum(member.is_replacement for member in database)
    return f"-{replaced + 1}" if replaced else ""


def _program(version: str) -> str:
    return f"dist/apache-cassandra-{version}/tools/bin/cassandra-stress"


def _folder(trial: int) -> str:
    return f"trials/{trial}"


def _version(version: str | None) -> str:
    if not version or not _RELEASE.fullmatch(version):
        raise ValueError("service.version must be the Cassandra release to install, such as 5.0.4")
    return version


def job(
    name: str,
    commands: Mapping[str, str],
    expected_seconds: float,
    timeout_seconds: float,
    files: Mapping[str, Mapping[str, bytes]] | None = None,
) -> Job:
    return Job(name, commands, files or {}, expected_seconds, timeout_seconds, output_of(name))
