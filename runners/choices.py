"""Closed lists of a run: where it is, and why it ended."""

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
    """Why a run ended; kept apart from its status, which it decides."""

    COMPLETED = "completed"
    CANCELLED_BY_USER = "cancelled_by_user"
    NO_CAPACITY = "no_capacity"
    QUOTA_EXCEEDED = "quota_exceeded"
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
    def keeps_measurements(self) -> bool:
        """Whether what was measured before the end is collected and submitted all the same."""
        return self in (
            EndReason.COMPLETED,
            EndReason.SPOT_INTERRUPTED,
            EndReason.TIMED_OUT,
            EndReason.BUDGET_EXCEEDED,
        )


class NodeState(Choice):
    REQUESTED = "requested"  # the order is in the database, the cloud may or may not know it
    PENDING = "pending"
    RUNNING = "running"
    LOST = "lost"
    TERMINATED = "terminated"


class EventKind(Choice):
    STATUS = "status"
    NOTE = "note"
    ERROR = "error"
