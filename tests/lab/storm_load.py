"""The load of a storm: jobs as on real hosts, whose log is a real one of cassandra-stress, another in each trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.hosts.hosts import NO_FILES, output_of
from runners.load_tools.base import Job, Member, OutputFile
from runners.plan_schema.run_plan import RunPlan
from runners.providers.fake import FakeHosts
from tests.lab.fault_runs import FACTS, LOG, LightLoad

REPLAY = b'cat "$1"; exit "$2"\n'
INSTALL = "sleep 3600 </dev/null >/dev/null 2>&1 & echo installing"  # a process that only the tear-down ends
TRIALS = 2


def log_of(title: str, trial: int) -> bytes:
    """No two trials of a storm have the same: the same content would be stored once."""
    number = int(title.rpartition(" ")[2])
    return LOG.replace(b"  3853,", b"%6d," % (1000 + number * TRIALS + trial))


@dataclass
class StormLoad(LightLoad):
    """For a plan whose title ends with its number."""

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        names = [member.name for member in cluster]
        return [_job("install", dict.fromkeys(names, INSTALL)), _job("facts", dict.fromkeys(names, FACTS))]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        files = {"replay.sh": REPLAY, f"replay-{trial}.log": log_of(plan.title, trial)}
        hosts = _loaders(cluster)
        command = f"sh replay.sh replay-{trial}.log 0"
        return _job(f"trial-{trial}", dict.fromkeys(hosts, command), dict.fromkeys(hosts, files))

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        job = f"trial-{trial}"
        return [OutputFile(name, output_of(job), "log", trial, f"{name}-{job}.log") for name in _loaders(cluster)]


def _loaders(cluster: Sequence[Member]) -> list[str]:
    """The clients; on this machine, where there are none, its only host."""
    return [member.name for member in cluster if member.role == "client"] or [cluster[0].name]


def _job(name: str, commands: Mapping[str, str], files: Mapping[str, Mapping[str, bytes]] | None = None) -> Job:
    return Job(name, commands, files or {}, expected_seconds=3, timeout_seconds=3600, log_path=output_of(name))


class StormHosts(FakeHosts):
    """In a worker: whatever is asked of the hosts of a run, the storm answers, for a host outlives a worker."""

    def __init__(self, ask: Any) -> None:
        self._ask = ask

    def check(self, names):
        return self._ask("check", list(names))

    def run(self, commands, *, timeout_seconds):
        return self._ask("run", dict(commands))

    def read(self, commands, *, seconds, most):
        return self._ask("read", dict(commands))

    def put(self, files):
        return self._ask("put", {name: dict(content) for name, content in files.items()})

    def start(self, jobs, *, job, files=NO_FILES):
        if files:
            self.put(files)
        self._ask("start", dict(jobs), job)

    def set_aside(self, names, *, job):
        return self._ask("set_aside", list(names), job)

    def look(self, names, *, job, path, offsets):
        return self._ask("look", list(names), job, dict(offsets))

    def fetch(self, name, path, to):
        content = self._ask("fetch", [name], path)
        if content is None:
            return False
        with open(to, "wb") as file:
            file.write(content)
        return True
