"""Performs one short step of a run; any worker may call it, any number of times."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, connection

from runners import clock, lifecycle
from runners.choices import EndReason, EventKind, RunStatus
from runners.errors import RetryLater, RunFailed
from runners.models import Run
from runners.providers.base import (
    InvalidPlan,
    NoCapacity,
    NoCredentials,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)
from runners.providers.registry import traits_of
from runners.steps import bootstrap, collect, launch, queued, stress, submit, teardown

log = logging.getLogger(__name__)

# A worker that takes longer than this for a step is considered dead.
STEP_LIMIT = timedelta(seconds=120)
PAUSE = timedelta(seconds=2)  # between two steps of a run that is waiting for something
LONGEST_PAUSE = timedelta(seconds=60)  # between two failed attempts at a step

# The connection was cut, the server restarts or fails over, a lock timed out: no reason to end a run.
DATABASE_AWAY = (OperationalError, InterfaceError)

_REASONS: Mapping[type[ProviderError], EndReason] = {
    NotAllowed: EndReason.NOT_ALLOWED,
    NoCredentials: EndReason.NOT_ALLOWED,
    InvalidPlan: EndReason.INVALID_PLAN,
}

Step = Callable[[Run], RunStatus | None]
STEPS: Mapping[str, Step] = {
    RunStatus.QUEUED: queued.step,
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
    try:
        now = now or clock.now()
        if not run.is_final and not _ends_now(run, now):
            _step(run)
    except lifecycle.LostRace:
        log.info("run %s: another worker was faster", run.pk)
    except DATABASE_AWAY as error:
        log.warning("run %s: the database failed at %s, which will be repeated: %s", run.pk, run.status, error)
        if not connection.in_atomic_block:
            connection.close()  # the next query opens a new one
        with suppress(lifecycle.LostRace, *DATABASE_AWAY):
            lifecycle.trouble(run, "waiting for the database")


def pause_of(run: Run) -> timedelta:
    """The time until the next step: that of the cloud for a look at machines, doubled with each failure in a row."""
    looks = run.status in (RunStatus.LAUNCHING, RunStatus.TEARING_DOWN)
    least = max(PAUSE, traits_of(run.provider).look_pause) if looks else PAUSE
    doublings = min(max(run.troubles - 1, 0), 10)
    pause: timedelta = least * 2**doublings
    return min(pause, LONGEST_PAUSE)


def _step(run: Run) -> None:
    """Call the step of the status, and change the status according to its result or its error."""
    try:
        to = STEPS[run.status](run)
    except TryAgain as error:
        lifecycle.trouble(run, f"waiting for the provider: {error}")
    except RetryLater as error:
        lifecycle.trouble(run, str(error))
    except NoCapacity as error:
        lifecycle.end(run, EndReason.NO_CAPACITY, str(error))
    except QuotaExceeded as error:
        lifecycle.end(run, EndReason.QUOTA_EXCEEDED, str(error))
    except RunFailed as error:
        lifecycle.end(run, error.reason, str(error))
    except (lifecycle.LostRace, *DATABASE_AWAY):
        raise
    except ProviderError as error:
        _trouble(run, str(error), _REASONS.get(type(error), EndReason.INTERNAL_ERROR))
    except Exception:
        log.exception("run %s: %s failed", run.pk, run.status)
        _trouble(run, "an internal error: the site operators can find it in the log")
    else:
        if to:
            lifecycle.advance(run, to)
        else:
            lifecycle.no_trouble(run)


def _trouble(run: Run, detail: str, reason: EndReason = EndReason.INTERNAL_ERROR) -> None:
    """Ends the run; but a tear-down continues whatever happens, and results are not lost."""
    if run.status != RunStatus.TEARING_DOWN:
        lifecycle.end(run, reason, detail)
    else:
        lifecycle.trouble(run, detail, EventKind.ERROR)


def _ends_now(run: Run, now: datetime) -> bool:
    """Whether this call moved the run towards its end: cancelled, timed out, or ended already but not moved."""
    if run.status in lifecycle.NOT_CANCELLED:
        return False
    # results are collected whatever ended the run, and past the deadline: that step has its own limit
    is_collecting = run.status == RunStatus.COLLECTING
    if run.cancel_requested_at:
        lifecycle.end(run, EndReason.CANCELLED_BY_USER)
    elif run.deadline_at and now >= run.deadline_at and not is_collecting:
        lifecycle.end(run, EndReason.TIMED_OUT, "the deadline has passed")
    elif run.end_reason and not is_collecting:
        lifecycle.end(run, EndReason(run.end_reason), run.end_detail)
    else:
        return False
    return True
