"""Performs one short step of a run; any worker may call it, any number of times."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from runners import lifecycle
from runners.choices import EndReason, EventKind, RunStatus
from runners.errors import RunFailed
from runners.models import Run
from runners.providers.base import NoCapacity, ProviderError, QuotaExceeded, TryAgain
from runners.steps import bootstrap, collect, launch, queue, stress, submit, teardown

log = logging.getLogger(__name__)

# A worker that takes longer than this for a step is considered dead.
STEP_LIMIT = timedelta(seconds=120)
PAUSE = timedelta(seconds=2)  # between two steps of a run that is waiting for something

Step = Callable[[Run], RunStatus | None]
STEPS: Mapping[str, Step] = {
    RunStatus.QUEUED: queue.step,
    RunStatus.LAUNCHING: launch.step,
    RunStatus.BOOTSTRAPPING: bootstrap.step,
    RunStatus.STRESSING: stress.step,
    RunStatus.COLLECTING: collect.step,
    RunStatus.TEARING_DOWN: teardown.step,
    RunStatus.SUBMITTING: submit.step,
}


def drive_once(run: Run, now: datetime | None = None) -> None:
    """Call the step of the run's status; no transaction is open around it.

    A step returns the next status, or None to be called again. Cancelling and the deadline are checked first.
    """
    now = now or timezone.now()
    try:
        if not run.is_final and not _ends_now(run, now):
            _step(run)
    except lifecycle.LostRace:
        log.info("run %s: another worker was faster", run.pk)


def _step(run: Run) -> None:
    """Call the step of the status, and change the status according to its result or its error."""
    try:
        to = STEPS[run.status](run)
    except TryAgain as error:
        _wait(run, f"waiting for the provider: {error}")
    except NoCapacity as error:
        lifecycle.end(run, EndReason.NO_CAPACITY, str(error))
    except QuotaExceeded as error:
        lifecycle.end(run, EndReason.QUOTA_EXCEEDED, str(error))
    except RunFailed as error:
        lifecycle.end(run, error.reason, str(error))
    except lifecycle.LostRace:
        raise
    except ProviderError as error:
        _trouble(run, str(error))
    except Exception:
        log.exception("run %s: %s failed", run.pk, run.status)
        _trouble(run, "an internal error: the site operators can find it in the log")
    else:
        if to:
            lifecycle.advance(run, to)


def _wait(run: Run, detail: str) -> None:
    """Notes in the history, once in a row, why the run is waiting."""
    last = run.events.last()
    if last is None or last.message != detail[:1000]:
        lifecycle.note(run, detail)


def _trouble(run: Run, detail: str) -> None:
    """Ends the run; but a tear-down continues whatever happens, and results are not lost."""
    if run.status != RunStatus.TEARING_DOWN:
        lifecycle.end(run, EndReason.INTERNAL_ERROR, detail)
    elif not run.events.filter(new_status=None, message=detail).exists():
        lifecycle.note(run, detail, EventKind.ERROR)


def _ends_now(run: Run, now: datetime) -> bool:
    """Whether the run was cancelled or timed out by this call."""
    if run.status in (RunStatus.TEARING_DOWN, RunStatus.SUBMITTING) or run.end_reason:
        return False
    if run.cancel_requested_at:
        lifecycle.end(run, EndReason.CANCELLED_BY_USER)
        return True
    # results are collected even past the deadline: that step has its own limit
    if run.deadline_at and now >= run.deadline_at and run.status != RunStatus.COLLECTING:
        lifecycle.end(run, EndReason.TIMED_OUT, "the deadline has passed")
        return True
    return False
