"""What a workload needs on the hosts, how a trial starts, and which files it leaves."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.choices import OutputKind
from runners.plan_schema.run_plan import RunPlan


@dataclass(frozen=True, slots=True)
class Member:
    """A host of the cluster, for the workload."""

    name: str
    role: str
    index: int
    address: str  # where its peers reach it
    zone: str | None
    disks: tuple[str, ...] = ()  # the links of the plan's disks on the host: scripts/disks.py
    is_replacement: bool = False  # another machine had its place before


@dataclass(frozen=True, slots=True)
class Job:
    """A detached command that runs on several hosts at once; it must be safe to start again."""

    name: str  # unique in the run: "install", "schema", "trial-0"
    commands: Mapping[str, str]  # host name -> shell command
    files: Mapping[str, Mapping[str, bytes]]  # host name -> {path: content}, written before the command starts
    expected_seconds: float
    timeout_seconds: float
    log_path: str  # the file that is tailed
    is_repeatable: bool = True  # on one host of several, after a failure: what is measured stays the same
    is_before_data: bool = True  # nothing is loaded yet: until then, a host that fails may be replaced


@dataclass(frozen=True, slots=True)
class OutputFile:
    node: str
    path: str
    kind: OutputKind
    trial: int | None
    name: str  # of the artifact


@dataclass(frozen=True, slots=True)
class Traces:
    """Where a database leaves what explains a failure; paths in the run's folder, which may have wildcards."""

    process: str = ""  # a regular expression of its command that does not match itself: "[c]assandra"
    unit: str = ""  # of systemd
    files: tuple[str, ...] = ()  # the most important first


# The fields of WorkloadPlan that only some load tools have
OPTIONS = (
    "consistency_level",
    "replication_factor",
    "columns",
    "value_bytes",
    "read_share",
    "scale",
    "prefill",
    "profile",
    "disk_test",
)


_READS = ("read", "counter_read", "select")  # operations that write nothing


class Workload(ABC):
    """Pure: plans and addresses in, commands out. Nothing here talks to a host."""

    tool: str
    service: str
    settings: tuple[str, ...] = ()  # the keys that `settings` of a plan may have
    operations: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # of OPTIONS
    max_nodes: int | None = None  # of the database
    needs_java: bool = False
    version_example: str = ""  # of the database, for the form
    settings_example: str = ""
    usual_columns = 5  # of a row, and the bytes of each, where the plan says nothing: those of cassandra-stress
    usual_value_bytes = 34

    traces = Traces()

    def refusal(self, plan: RunPlan) -> str | None:
        """Why the tool cannot run the plan, in one sentence; None when it can."""
        return None

    def offered_ops_s(self, plan: RunPlan) -> float | None:
        """What the clients offer together, as they are told; None without a fixed rate."""
        return plan.workload.fixed_rate_ops_s

    def row_bytes(self, plan: RunPlan) -> int:
        """The payload of a row."""
        load = plan.workload
        return (load.columns or self.usual_columns) * (load.value_bytes or self.usual_value_bytes)

    def write_share(self, plan: RunPlan) -> float:
        """Writes as a share of all operations; those of which nothing is known count as writes."""
        if plan.workload.operation == "mixed":
            return 1 - (plan.workload.read_share or 0.0)
        return 0.0 if plan.workload.operation in _READS else 1.0

    def java_release(self, plan: RunPlan) -> int | None:
        """The release of Java that the hosts install from their distribution; None when they need none of it."""
        return None

    @abstractmethod
    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        """In order; each waits for the one before. After the last, the system is ready for the load."""

    @abstractmethod
    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        """All clients of one trial, started together."""

    @abstractmethod
    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        """The files to collect after a trial."""

    def profile_job(self, plan: RunPlan, cluster: Sequence[Member]) -> Job | None:
        """One more trial with a profiler in a database process; None when the plan wants none."""
        return None

    def profile_outputs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[OutputFile]:
        """The files to collect after that trial."""
        return ()

    @abstractmethod
    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        """(elapsed_s, ops_s, p99_ms) of each interval in new lines of the log."""

    @abstractmethod
    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The submission's metadata: what the log does not contain. `facts`: by host name."""
