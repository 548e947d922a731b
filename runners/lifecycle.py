"""The only code that changes Run.status: legal moves, history, holds, state of steps, ends."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from runners.choices import EndReason, EventKind, RunStatus
from runners.endings import notices
from runners.models import Run, RunEvent

S = RunStatus
NEXT: dict[str, frozenset[str]] = {
    S.PLANNED: frozenset({S.QUEUED, S.CANCELLED}),
    S.QUEUED: frozenset({S.LAUNCHING, S.CANCELLED, S.FAILED}),
    S.LAUNCHING: frozenset({S.BOOTSTRAPPING, S.TEARING_DOWN}),
    S.BOOTSTRAPPING: frozenset({S.STRESSING, S.TEARING_DOWN}),
    S.STRESSING: frozenset({S.COLLECTING, S.TEARING_DOWN}),
    S.COLLECTING: frozenset({S.TEARING_DOWN}),
    S.TEARING_DOWN: frozenset({S.SUBMITTING, S.FAILED, S.CANCELLED}),
    S.SUBMITTING: frozenset({S.SUCCEEDED, S.FAILED, S.CANCELLED}),
}


class IllegalMove(Exception):
    """A step returned a status that cannot follow the current one: a bug."""


class LostRace(Exception):
    """Another worker moved the run first."""


def advance(run: Run, to: RunStatus, *, message: str = "", **changes: Any) -> None:
    """Move a run; raises IllegalMove or LostRace, and then nothing has changed."""
    if to not in NEXT.get(run.status, ()):
        raise IllegalMove(f"run {run.pk}: {run.status} -> {to}")
    now = timezone.now()
    if to in RunStatus.FINAL:
        # the keys open nothing any more, and need not be stored any longer
        changes |= {"ended_at": now, "due_at": None, "ssh_key": None, "host_key": None}
    else:
        changes |= {"due_at": now}
    with transaction.atomic():
        moved = Run.objects.filter(pk=run.pk, status=run.status).update(status=to, state={}, **changes)
        if not moved:
            raise LostRace(f"run {run.pk} is no longer {run.status}")
        RunEvent.objects.create(run=run, old_status=run.status, new_status=to, message=message[:1000])
        run.refresh_from_db()
        if run.is_final:
            notices.announce(run)


def end(run: Run, reason: EndReason, detail: str = "") -> None:
    """Move a run towards its end; the first reason is final. Machines are always deleted first."""
    Run.objects.filter(pk=run.pk, end_reason=None).update(end_reason=reason, end_detail=detail[:1000])
    run.refresh_from_db()
    first = EndReason(run.end_reason or reason)
    if run.status == RunStatus.STRESSING and first.keeps_results:
        advance(run, RunStatus.COLLECTING, message=detail)
    elif run.status in RunStatus.NODES_MAY_EXIST:
        if run.status != RunStatus.TEARING_DOWN:
            advance(run, RunStatus.TEARING_DOWN, message=detail)
    elif not run.is_final:
        advance(run, first.final_status, message=detail)


def hold(run_id: int, for_: timedelta, now: datetime | None = None) -> bool:
    """Reserve the run for a worker; False when another worker holds it, or when the run is not due.

    The hold of a dead worker expires. Messages may be late and many: those that find the run driven already do nothing.
    """
    now = now or timezone.now()
    return bool(
        Run.objects.filter(pk=run_id)
        .filter(Q(held_until=None) | Q(held_until__lte=now))
        .filter(Q(due_at=None) | Q(due_at__lte=now))
        .exclude(status__in=RunStatus.FINAL)
        .update(held_until=now + for_)
    )


def release(run_id: int, pause: timedelta, now: datetime | None = None) -> None:
    """Let other workers hold the run, and make it due after `pause`, unless it is due before."""
    now = now or timezone.now()
    Run.objects.filter(pk=run_id).exclude(status__in=RunStatus.FINAL).update(held_until=None)
    Run.objects.filter(pk=run_id, due_at__lte=now).exclude(status__in=RunStatus.FINAL).update(due_at=now + pause)


def note(run: Run, message: str, kind: EventKind = EventKind.NOTE) -> None:
    """Add to the history without changing the status."""
    RunEvent.objects.create(run=run, kind=kind, message=message[:1000])


def save_state(run: Run, **changes: Any) -> None:
    """Add to the scratch of the current step, for whichever worker goes on; a change of status clears it."""
    run.state = {**run.state, **changes}
    Run.objects.filter(pk=run.pk, status=run.status).update(state=run.state)


def time_since(run: Run, name: str) -> timedelta:
    """The time since this was first called with `name` in the current step; zero the first time."""
    now = timezone.now()
    if name not in run.state:
        save_state(run, **{name: now.isoformat()})
        return timedelta(0)
    return now - datetime.fromisoformat(run.state[name])


def request_cancel(run: Run) -> None:
    """Ask the driver to cancel the run, after the current step if a worker is in one.

    A run that was never confirmed has no driver, and ends here.
    """
    if run.status == RunStatus.PLANNED:
        end(run, EndReason.CANCELLED_BY_USER)
        return
    now = timezone.now()
    Run.objects.filter(pk=run.pk, cancel_requested_at=None).exclude(status__in=RunStatus.FINAL).update(
        cancel_requested_at=now, due_at=now
    )
