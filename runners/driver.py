"""Does one short step of one run; whoever calls it, and however often, the run goes on."""

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

# A worker that works longer at a step than this is taken for dead.
STEP_LIMIT = timedelta(seconds=120)
PAUSE = timedelta(seconds=2)  # between two looks at a run that waits for something

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

    A step returns the next status, or None for "ask me again". Cancel and deadline come first.
    """
    now = now or timezone.now()
    try:
        if not run.is_final and not _ends_now(run, now):
            _step(run)
    except lifecycle.LostRace:
        log.info("run %s: another worker was faster", run.pk)


def _step(run: Run) -> None:
    """The step of the status, and the move that follows from its answer or from its error."""
    try:
        to = STEPS[run.status](run)
    except TryAgain as error:
        _wait(run, f"the provider asks to wait: {error}")
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
        _trouble(run, "an error of ours: the operators can see it")
    else:
        if to:
            lifecycle.advance(run, to)


def _wait(run: Run, detail: str) -> None:
    """Says once in a step that the provider is waited for."""
    last = run.events.last()
    if last is None or last.message != detail[:1000]:
        lifecycle.note(run, detail)


def _trouble(run: Run, detail: str) -> None:
    """Ends the run; but a tear-down goes on whatever it meets, and what was measured stays measured."""
    if run.status != RunStatus.TEARING_DOWN:
        lifecycle.end(run, EndReason.INTERNAL_ERROR, detail)
    elif not run.events.filter(new_status=None, message=detail).exists():
        lifecycle.note(run, detail, EventKind.ERROR)


def _ends_now(run: Run, now: datetime) -> bool:
    """Whether the run was turned towards its end just now."""
    if run.status in (RunStatus.TEARING_DOWN, RunStatus.SUBMITTING) or run.end_reason:
        return False
    if run.cancel_requested_at:
        lifecycle.end(run, EndReason.CANCELLED_BY_USER)
        return True
    # what was measured in time is collected, even past the deadline: that step has a limit of its own
    if run.deadline_at and now >= run.deadline_at and run.status != RunStatus.COLLECTING:
        lifecycle.end(run, EndReason.TIMED_OUT, "the run's maximum duration is over")
        return True
    return False
