"""Errors of steps, workloads and hosts: they end a run, for the EndReason that the driver finds, or make it wait."""

from runners.choices import EndReason


class RetryLater(Exception):
    """The step cannot be finished now: it is repeated after a pause. The text is shown to the owner."""


class RunFailed(Exception):
    """Ends the run with `reason`; the text is shown to the owner and contains no secret."""

    reason = EndReason.INTERNAL_ERROR


class BootstrapFailed(RunFailed):
    reason = EndReason.BOOTSTRAP_FAILED


class StressFailed(RunFailed):
    reason = EndReason.STRESS_FAILED


class BudgetExceeded(RunFailed):
    reason = EndReason.BUDGET_EXCEEDED


class SpotInterrupted(RunFailed):
    reason = EndReason.SPOT_INTERRUPTED


class ResultsRejected(RunFailed):
    reason = EndReason.RESULTS_REJECTED
