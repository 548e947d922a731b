"""pgbench on a private PostgreSQL server of the same machine, which nobody else can reach.

A plan's `settings` may contain: "postgresql.conf" (an object of the parameters in postgresql_conf.py).
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from runners.choices import OutputKind, operation_name
from runners.databases import postgresql_conf
from runners.hosts.hosts import output_of
from runners.load_tools import measured
from runners.load_tools.base import Job, Member, OutputFile, Workload
from runners.load_tools.job_parts import folder_of, job, scripts
from runners.plan_schema.run_plan import THIS_MACHINE, RunPlan
from submissions.ingest.parsers.pgbench.progress import Progress

SCRIPTS = ("postgresql.sh", "facts.py", "trial.py", "pgbench_latencies.py")
BUILTINS = {"tpcb": "tpcb-like", "select": "select-only", "simple-update": "simple-update"}
DEFAULT_SCALE = 10
DEFAULT_CLIENTS = 8
MAX_CLIENTS = 1_000  # each has a connection and a server process
MAX_THREADS = 16

# The path of a Unix socket is limited to 107 bytes; relative to the tool's own folder it is short.
_SOCKETS = "/proc/self/cwd/data/0/postgresql"
_BIN = "tools/postgresql/bin"
_LATENCIES = "latency-log"  # pgbench adds its process and thread to the name
_START_SECONDS = 8.0
_FILL_SECONDS_A_SCALE = 0.4  # measured 0.2 on an idle disk
# pgbench writes a line for each transaction; of more than so many, a random sample is enough for a p99.9.
_MOST_LATENCIES = 2_000_000
_FAST_OPS_S = {"select": 100_000}  # what a large machine reaches; other operations wait for a disk
_FAST_WRITES_OPS_S = 20_000
_SLOW_OPS_S = 200.0  # to estimate the duration of a number of transactions: a disk that syncs in 5 ms

# The example of the form and the API: takes about a minute.
PGBENCH_PRESET: dict[str, Any] = {
    "provider": "local",
    "service": {"name": "postgresql"},
    "database": {"instance_type": THIS_MACHINE, "count": 1},
    "workload": {
        "tool": "pgbench",
        "operation": "tpcb",
        "scale": DEFAULT_SCALE,
        "threads": DEFAULT_CLIENTS,
        "duration_seconds": 15,
    },
    "trials": 3,
    "max_duration_minutes": 15,
    "max_usd": "0",
}


class Pgbench(Workload):
    tool = "pgbench"
    service = "postgresql"
    settings = (postgresql_conf.FILE,)
    traces = postgresql_conf.TRACES
    operations = tuple(BUILTINS)
    options = ("scale",)
    max_nodes = 1
    version_example = "any"
    settings_example = '{"postgresql.conf": {"shared_buffers": "1GB"}}'

    def refusal(self, plan: RunPlan) -> str | None:
        if plan.client is not None or plan.database.count != 1:
            return "pgbench runs on the database's machine: the plan needs one database node and no client"
        if plan.database.disks:
            return "the private PostgreSQL server uses the disk of the site: a plan cannot order disks for it"
        return self.load_refusal(plan)

    def load_refusal(self, plan: RunPlan) -> str | None:
        """What pgbench does not support wherever it runs; None when it supports the plan."""
        workload = plan.workload
        if workload.operation not in BUILTINS:
            return f"pgbench supports the operations {', '.join(BUILTINS)}, not {workload.operation!r}"
        if (workload.threads or 0) > MAX_CLIENTS:
            return f"pgbench supports at most {MAX_CLIENTS:,} clients (threads)"
        unsupported = ("consistency_level", "columns", "value_bytes", "read_share", "prefill", "profile", "disk_test")
        if stated := [name for name in unsupported if getattr(workload, name) not in (None, False)]:
            return f"pgbench has no {', '.join(stated)}"
        if plan.cpu_profile:
            return "cpu_profile is of a Java process: runs with pgbench have none"
        return postgresql_conf.refusal(plan.settings)

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        database = cluster[0].name
        scale = scale_of(plan)
        conf = postgresql_conf.text(plan.settings, clients=client_count(plan))
        version = shlex.quote(plan.service.version or "")
        return [
            job(
                "start",
                {database: f"sh bin/postgresql.sh start {version}"},
                _START_SECONDS,
                300,
                files={database: {**scripts(SCRIPTS), "conf/postgresql.conf": conf.encode()}},
            ),
            fill_job(plan, {database: f"sh bin/postgresql.sh fill {scale}"}),
            job("facts", {database: "python3 bin/facts.py"}, 1, 120),
        ]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """Each trial starts after a checkpoint, and with pgbench's own vacuum."""
        database = cluster[0].name
        return job(f"trial-{trial}", {database: trial_command(plan, trial, _CONNECTION)}, *trial_seconds(plan))

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        name, log = cluster[0].name, output_of(f"trial-{trial}")
        return [
            OutputFile(name, log, OutputKind.LOG, trial, f"trial-{trial + 1}-{name}.log"),
            OutputFile(name, histogram(trial), OutputKind.HDR, trial, f"trial-{trial + 1}-{name}.hdr"),
            OutputFile(
                name,
                f"{folder_of(trial)}/samples.csv",
                OutputKind.SAMPLES,
                trial,
                f"trial-{trial + 1}-{name}-samples.csv",
            ),
        ]

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        """pgbench prints means, no percentiles."""
        rows = Progress()
        for line in lines:
            rows.add(line)
        return [
            (interval.elapsed_seconds, interval.throughput_ops_s, None)
            for interval in rows.intervals()
            if interval.throughput_ops_s is not None
        ]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Without what the log contains itself: version, clients, mix, keys, amounts."""
        document = measured.cluster_document(plan, facts)
        document["service"] = {"name": self.service}
        for group in document["nodes"]:
            if group["instance_type"] == THIS_MACHINE and group.get("cpu_model"):
                group["instance_type"] = processor_slug(group["cpu_model"])
        operation = operation_name(plan.workload.operation)
        document["title"] = plan.title or f"pgbench {operation}, scale {scale_of(plan)}, on one machine"
        document["notes"] = _NOTES + sampling_note(plan) + _place(facts)
        document["workload"] = {"tool": self.tool, "command": shlex.join(["pgbench", *command(plan, _CONNECTION)[1:]])}
        if plan.workload.fixed_rate_ops_s:
            document["workload"]["fixed_rate_ops_s"] = plan.workload.fixed_rate_ops_s
        return document


WORKLOAD = Pgbench()

_CONNECTION = (f"--host={_SOCKETS}", "--username=benchsite")
_NOTES = (
    "The load tool ran on the database's machine, beside this site, over a Unix socket: it used part of the "
    "processors, and the latency includes no network. Compare it only with runs of the same kind."
)


def processor_slug(cpu_model: str) -> str:
    """The instance type of a machine that has none, from lscpu's model name: intel-xeon-platinum-8370c."""
    text = re.sub(r"\((?:r|tm|c)\)", " ", cpu_model.lower())
    text = re.sub(r"@.*|\bcpu\b|\bprocessor\b|\b\d+-core\b|\bwith radeon.*", " ", text)
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-.")[:60].rstrip("-.") or THIS_MACHINE


def trial_command(plan: RunPlan, trial: int, connection: Sequence[str], hosts: Sequence[str] = ("1", "1", "-")) -> str:
    """`hosts`: how many sample themselves, how many of them have pgbench, and where they meet (scripts/trial.py)."""
    folder = folder_of(trial)
    checkpoint = shlex.join([f"{_BIN}/psql", *connection, "--quiet", "--command=CHECKPOINT", "postgres"])
    words = [*command(plan, connection)[:-1], f"--log-prefix={folder}/{_LATENCIES}", "postgres"]
    sampled = shlex.join(["python3", "bin/trial.py", folder, *hosts, *words])
    return f"{checkpoint} && {sampled} && {_histogram_command(plan, trial)}"


def trial_seconds(plan: RunPlan) -> tuple[float, float]:
    """How long a trial should take, and may."""
    seconds = float(plan.workload.duration_seconds or (plan.workload.operations or 0) / _SLOW_OPS_S)
    limit = plan.max_duration_minutes * 60.0
    if plan.workload.duration_seconds:
        limit = min(limit, seconds * 2 + 300)
    return seconds + 5, limit


def fill_job(plan: RunPlan, commands: Mapping[str, str]) -> Job:
    seconds = scale_of(plan) * _FILL_SECONDS_A_SCALE
    return replace(job("fill", commands, 5 + seconds, 300 + seconds * 50), is_before_data=False)


def command(plan: RunPlan, connection: Sequence[str]) -> list[str]:
    """One thread of the tool per client, up to a limit: the number of processors would change the workload."""
    workload, clients = plan.workload, client_count(plan)
    words = [f"{_BIN}/pgbench", *connection, f"--builtin={BUILTINS[workload.operation]}"]
    words += [f"--client={clients}", f"--jobs={min(clients, MAX_THREADS)}"]
    if workload.duration_seconds:
        words.append(f"--time={workload.duration_seconds}")
    else:
        words.append(f"--transactions={-(-(workload.operations or 0) // clients)}")  # per client
    if workload.fixed_rate_ops_s:
        words.append(f"--rate={workload.fixed_rate_ops_s:.12g}")
    words += ["--progress=1", "--log"]
    if (share := _sampling(plan)) < 1:
        words.append(f"--sampling-rate={share:.6g}")
    return [*words, "postgres"]


def _sampling(plan: RunPlan) -> float:
    """The share of the transactions whose latency is written."""
    workload = plan.workload
    fast = workload.fixed_rate_ops_s or _FAST_OPS_S.get(workload.operation, _FAST_WRITES_OPS_S)
    operations = workload.operations or fast * (workload.duration_seconds or 0)
    return min(1.0, _MOST_LATENCIES / operations) if operations else 1.0


def _histogram_command(plan: RunPlan, trial: int) -> str:
    """One histogram in the place of the lines. The trial is measured: a failure here must not cost it."""
    # with a rate, pgbench's clock starts when a transaction is due
    kind = "rt" if plan.workload.fixed_rate_ops_s else "st"
    words = [f"{folder_of(trial)}/{_LATENCIES}", histogram(trial), f"{BUILTINS[plan.workload.operation]}-{kind}"]
    made = shlex.join(["python3", "bin/pgbench_latencies.py", *words, f"{_sampling(plan):.6g}"])
    return f"{{ {made} || true; }}"  # of this command alone: the trial's own failure ends the run


def sampling_note(plan: RunPlan) -> str:
    share = _sampling(plan)
    if share == 1:
        return ""
    return f" Percentiles are those of {share * 100:.3g} % of the transactions, chosen at random by pgbench."


def client_count(plan: RunPlan) -> int:
    return plan.workload.threads or DEFAULT_CLIENTS


def scale_of(plan: RunPlan) -> int:
    return plan.workload.scale or DEFAULT_SCALE


def histogram(trial: int) -> str:
    return f"{folder_of(trial)}/latency.hdr"


def _place(facts: Mapping[str, Any]) -> str:
    """Where the data was, from the host's df."""
    for host in facts.values():
        for data in (host or {}).get("data") or []:
            if data.get("filesystem") and data.get("size_gib"):
                return f" Data on {data['filesystem']}, {data['size_gib']:g} GiB ({data.get('device')})."
    return ""
