"""Errors that end a run: raised by steps, workloads and hosts, translated into an EndReason by the driver."""

from runners.choices import EndReason


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
