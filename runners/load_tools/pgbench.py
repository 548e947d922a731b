"""pgbench on a private PostgreSQL of the same machine, which nobody else can reach.

What a plan's `settings` may hold: "postgresql.conf" (an object of the parameters in postgresql_conf.py).
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runners.databases import postgresql_conf
from runners.hosts.hosts import output_of
from runners.load_tools import measured
from runners.load_tools.base import Job, Member, OutputFile, Workload
from runners.load_tools.cassandra_stress import scripts
from runners.plan import RunPlan
from submissions.ingest.parsers.pgbench_progress import Progress

SCRIPTS = ("postgresql.sh", "facts.py", "trial.py")
BUILTINS = {"tpcb": "tpcb-like", "select": "select-only", "simple-update": "simple-update"}
DEFAULT_SCALE = 10
DEFAULT_CLIENTS = 8
MAX_CLIENTS = 1_000  # a connection each, and a process of the server's for each
MAX_THREADS = 16
THIS_MACHINE = "this-machine"  # as an instance type: its processor says what it is

# A Unix socket's path holds 107 bytes: from the tool's own folder, wherever that is, it has these few.
_SOCKETS = "/proc/self/cwd/data/0/postgresql"
_BIN = "tools/postgresql/bin"
_START_SECONDS = 8.0
_FILL_SECONDS_A_SCALE = 0.4  # measured 0.2 on an idle disk
_SLOW_OPS_S = 200.0  # for the expected time of a number of transactions: a disk that syncs in 5 ms

# The form's and the API's example: ends in about a minute.
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

    def refusal(self, plan: RunPlan) -> str | None:
        workload = plan.workload
        if plan.client is not None or plan.database.count != 1:
            return "pgbench runs on the machine of its database: one database node and no client"
        if plan.database.disks:
            return "the private PostgreSQL lies where the site keeps its data: a plan cannot order disks for it"
        if workload.operation not in BUILTINS:
            return f"pgbench has the operations {', '.join(BUILTINS)}, not {workload.operation!r}"
        if (workload.threads or 0) > MAX_CLIENTS:
            return f"pgbench takes {MAX_CLIENTS:,} clients (threads) at most"
        unused = ("consistency_level", "columns", "value_bytes", "read_share", "prefill", "profile", "disk_test")
        if said := [name for name in unused if getattr(workload, name) not in (None, False)]:
            return f"pgbench has no {', '.join(said)}"
        return postgresql_conf.refusal(plan.settings)

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        database = cluster[0].name
        scale = _scale(plan)
        conf = postgresql_conf.text(plan.settings, clients=_clients(plan))
        version = shlex.quote(plan.service.version or "")
        return [
            _job(
                "start",
                {database: f"sh bin/postgresql.sh start {version}"},
                _START_SECONDS,
                300,
                files={database: {**scripts(SCRIPTS), "conf/postgresql.conf": conf.encode()}},
            ),
            _job(
                "fill",
                {database: f"sh bin/postgresql.sh fill {scale}"},
                5 + scale * _FILL_SECONDS_A_SCALE,
                300 + scale * _FILL_SECONDS_A_SCALE * 50,
            ),
            _job("facts", {database: "python3 bin/facts.py"}, 1, 120),
        ]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """Each trial begins with nothing to write back, and with pgbench's own vacuum."""
        database = cluster[0].name
        checkpoint = shlex.join([f"{_BIN}/psql", *_CONNECTION, "--quiet", "--command=CHECKPOINT", "postgres"])
        sampled = shlex.join(["python3", "bin/trial.py", _folder(trial), "1", "1", "-", *_command(plan)])
        seconds = float(plan.workload.duration_seconds or (plan.workload.operations or 0) / _SLOW_OPS_S)
        limit = plan.max_duration_minutes * 60.0
        if plan.workload.duration_seconds:
            limit = min(limit, seconds * 2 + 300)
        return _job(f"trial-{trial}", {database: f"{checkpoint} && exec {sampled}"}, seconds + 5, limit)

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        name, log = cluster[0].name, output_of(f"trial-{trial}")
        return [
            OutputFile(name, log, "log", trial, f"trial-{trial}-{name}.log"),
            OutputFile(name, f"{_folder(trial)}/samples.csv", "samples", trial, f"trial-{trial}-{name}-samples.csv"),
        ]

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        """pgbench prints means, no percentile."""
        rows = Progress()
        for line in lines:
            rows.add(line)
        return [
            (interval.elapsed_seconds, interval.throughput_ops_s, None)
            for interval in rows.intervals()
            if interval.throughput_ops_s is not None
        ]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What the log says itself (version, clients, mix, keys, amounts) is left to it."""
        document = measured.cluster_document(plan, facts)
        document["service"] = {"name": self.service}
        for group in document["nodes"]:
            if group["instance_type"] == THIS_MACHINE and group.get("cpu_model"):
                group["instance_type"] = processor_slug(group["cpu_model"])
        document["title"] = plan.title or f"pgbench {plan.workload.operation}, scale {_scale(plan)}, on one machine"
        document["notes"] = _NOTES + _place(facts)
        document["workload"] = {"tool": self.tool, "command": shlex.join(["pgbench", *_command(plan)[1:]])}
        if plan.workload.fixed_rate_ops_s:
            document["workload"]["fixed_rate_ops_s"] = plan.workload.fixed_rate_ops_s
        return document


WORKLOAD = Pgbench()

_CONNECTION = (f"--host={_SOCKETS}", "--username=benchsite")
_NOTES = (
    "The load tool ran on the machine of the database, over a Unix socket, beside this site: it took a part of the "
    "processors, and no network stands in the latency. Compare it with runs of the same kind only."
)


def processor_slug(cpu_model: str) -> str:
    """A word for a machine that has no instance type: intel-xeon-platinum-8370c of its lscpu's model name."""
    text = re.sub(r"\((?:r|tm|c)\)", " ", cpu_model.lower())
    text = re.sub(r"@.*|\bcpu\b|\bprocessor\b|\b\d+-core\b|\bwith radeon.*", " ", text)
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-.")[:60].rstrip("-.") or THIS_MACHINE


def _command(plan: RunPlan) -> list[str]:
    """One thread of the tool for each client, up to a limit: the machine's own number would be another workload."""
    workload, clients = plan.workload, _clients(plan)
    words = [f"{_BIN}/pgbench", *_CONNECTION, f"--builtin={BUILTINS[workload.operation]}"]
    words += [f"--client={clients}", f"--jobs={min(clients, MAX_THREADS)}"]
    if workload.duration_seconds:
        words.append(f"--time={workload.duration_seconds}")
    else:
        words.append(f"--transactions={-(-(workload.operations or 0) // clients)}")  # of each client
    if workload.fixed_rate_ops_s:
        words.append(f"--rate={workload.fixed_rate_ops_s:.12g}")
    return [*words, "--progress=1", "postgres"]


def _clients(plan: RunPlan) -> int:
    return plan.workload.threads or DEFAULT_CLIENTS


def _scale(plan: RunPlan) -> int:
    return plan.workload.scale or DEFAULT_SCALE


def _folder(trial: int) -> str:
    return f"trials/{trial}"


def _place(facts: Mapping[str, Any]) -> str:
    """Where the data lay, as the host's df says it."""
    for host in facts.values():
        for data in (host or {}).get("data") or []:
            if data.get("filesystem") and data.get("size_gib"):
                return f" Data on {data['filesystem']}, {data['size_gib']:g} GiB ({data.get('device')})."
    return ""


def _job(
    name: str,
    commands: Mapping[str, str],
    expected_seconds: float,
    timeout_seconds: float,
    files: Mapping[str, Mapping[str, bytes]] | None = None,
) -> Job:
    return Job(name, commands, files or {}, expected_seconds, timeout_seconds, output_of(name))
