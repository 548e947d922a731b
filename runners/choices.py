"""Closed lists of runs: statuses, end reasons, node states, events, outputs."""

from enum import nonmember

from submissions.choices import Choice


class RunStatus(Choice):
    PLANNED = "planned"
    QUEUED = "queued"
    LAUNCHING = "launching"
    BOOTSTRAPPING = "bootstrapping"
    STRESSING = "stressing"
    COLLECTING = "collecting"
    TEARING_DOWN = "tearing_down"
    SUBMITTING = "submitting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    FINAL = nonmember(frozenset({"succeeded", "failed", "cancelled"}))
    NODES_MAY_EXIST = nonmember(frozenset({"launching", "bootstrapping", "stressing", "collecting", "tearing_down"}))


class EndReason(Choice):
    """Why a run ended; it decides the final status. Stored separately from it."""

    COMPLETED = "completed"
    CANCELLED_BY_USER = "cancelled_by_user"
    NO_CAPACITY = "no_capacity"
    QUOTA_EXCEEDED = "quota_exceeded"
    NOT_ALLOWED = "not_allowed"  # the cloud account refuses: a permission, a policy, a key
    INVALID_PLAN = "invalid_plan"  # the cloud does not have what the plan names
    SPOT_INTERRUPTED = "spot_interrupted"
    BOOTSTRAP_FAILED = "bootstrap_failed"
    STRESS_FAILED = "stress_failed"
    TIMED_OUT = "timed_out"
    BUDGET_EXCEEDED = "budget_exceeded"
    RESULTS_REJECTED = "results_rejected"
    INTERNAL_ERROR = "internal_error"

    @property
    def final_status(self) -> RunStatus:
        return {
            EndReason.COMPLETED: RunStatus.SUCCEEDED,
            EndReason.CANCELLED_BY_USER: RunStatus.CANCELLED,
        }.get(self, RunStatus.FAILED)

    @property
    def keeps_results(self) -> bool:
        """Whether the results measured before the end are still collected and submitted."""
        return self in (
            EndReason.COMPLETED,
            EndReason.SPOT_INTERRUPTED,
            EndReason.TIMED_OUT,
            EndReason.BUDGET_EXCEEDED,
        )

    @property
    def is_explained_by_hosts(self) -> bool:
        """Whether the logs of the hosts may show the cause."""
        return self in (
            EndReason.BOOTSTRAP_FAILED,
            EndReason.STRESS_FAILED,
            EndReason.TIMED_OUT,
            EndReason.INTERNAL_ERROR,
        )


class Diagnosis(Choice):
    """When the logs and the configuration of the hosts are kept."""

    ON_FAILURE = "on_failure"
    ALWAYS = "always"


class NodeState(Choice):
    REQUESTED = "requested"  # in the database; the cloud may not know it yet
    PENDING = "pending"
    RUNNING = "running"
    LOST = "lost"
    TERMINATED = "terminated"
    HANDED_OVER = "handed_over"  # to the next run of its series, which has a row of its own for it


class EventKind(Choice):
    STATUS = "status"
    NOTE = "note"
    ERROR = "error"


class OutputKind(Choice):
    """What an output file of a host holds."""

    LOG = "log"  # of the load tool, in a trial
    HDR = "hdr"  # histograms of the load tool
    SAMPLES = "samples"  # resource usage of the host, second by second
    DISK_TEST = "disk_test"  # fio's result
    BOOTSTRAP = "bootstrap"  # what a bootstrap job printed
    PROFILE = "profile"  # collapsed stacks of a database process
    DIAGNOSIS = "diagnosis"  # a log or the configuration of a host, copied before the machine was deleted


class SeriesStatus(Choice):
    """Of a series of runs: what its cells have come to."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"  # every cell
    PARTIAL = "partial"  # some of its cells
    FAILED = "failed"  # none of them
    CANCELLED = "cancelled"
    FINAL = nonmember(frozenset({"succeeded", "partial", "failed", "cancelled"}))


class CellOrder(Choice):
    """In which order the cells of a series run."""

    INTERLEAVED = "interleaved"  # round by round: A B C, C B A, A B C
    IN_TURN = "in_turn"  # all repetitions of a cell, then those of the next: A A A, B B B, C C C


class Clusters(Choice):
    """Whether runs of a series that need the same machines use them one after another."""

    SHARED = "shared"  # within a round: each round begins with machines of its own
    SEPARATE = "separate"  # each run launches its own


class Every(Choice):
    """How often a schedule starts something."""

    DAY = "day"
    WEEK = "week"


# What a load tool calls an operation, as readers know it
OPERATION_NAMES = {
    "write": "write",
    "read": "read",
    "mixed": "mixed reads and writes",
    "counter_write": "counter updates",
    "counter_read": "counter reads",
    "workloada": "A: 50 % updates",
    "workloadb": "B: 5 % updates",
    "workloadc": "C: reads only",
    "workloadd": "D: 5 % inserts",
    "workloadf": "F: read-modify-write",
    "tpcb": "TPC-B",
    "select": "select only",
    "simple-update": "simple update",
}


def operation_name(operation: str) -> str:
    """ "TPC-B"; the load tool's own term where there is no other."""
    return OPERATION_NAMES.get(operation, operation)
