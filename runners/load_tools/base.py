"""What a workload needs on the hosts, how a trial is started, what it leaves behind."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.plan import RunPlan


@dataclass(frozen=True, slots=True)
class Member:
    """A host of the cluster as the workload sees it."""

    name: str
    role: str
    index: int
    address: str  # where its peers reach it
    zone: str | None


@dataclass(frozen=True, slots=True)
class Job:
    """One detached command on some hosts at the same time; it must be safe to start again."""

    name: str  # unique in the run: "install", "schema", "trial-0"
    commands: Mapping[str, str]  # host name -> shell command
    files: Mapping[str, Mapping[str, bytes]]  # host name -> {path: content}, written before
    expected_seconds: float
    timeout_seconds: float
    log_path: str  # what is tailed


@dataclass(frozen=True, slots=True)
class OutputFile:
    node: str
    path: str
    kind: str  # log, hdr, samples, disk_test
    trial: int | None
    name: str  # of the artifact


class Workload(ABC):
    """Pure: plans and addresses in, commands out. Nothing here talks to a host."""

    tool: str
    service: str

    def refusal(self, plan: RunPlan) -> str | None:
        """Why the tool cannot do the plan, in one sentence; None when it can."""
        return None

    @abstractmethod
    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        """In order; each waits for the one before. The last leaves the system ready to be stressed."""

    @abstractmethod
    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """All clients of one trial, started together."""

    @abstractmethod
    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        """What to collect after a trial."""

    @abstractmethod
    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        """(elapsed_s, ops_s, p99_ms) of each interval in newly tailed log lines."""

    @abstractmethod
    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The submission's metadata: what the log does not say. `facts`: by host name."""
