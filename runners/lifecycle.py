"""The only code that changes Run.status: legal moves, history, holds, state of steps, ends."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Greatest
from django.utils.crypto import get_random_string

from runners import clock
from runners.choices import EndReason, EventKind, RunStatus
from runners.endings import run_notices
from runners.models import Run, RunEvent, RunQuerySet

S = RunStatus
NEXT: dict[str, frozenset[str]] = {
    S.PLANNED: frozenset({S.QUEUED, S.CANCELLED}),
    S.QUEUED: frozenset({S.LAUNCHING, S.CANCELLED, S.FAILED}),
    S.LAUNCHING: frozenset({S.BOOTSTRAPPING, S.TEARING_DOWN}),
    S.BOOTSTRAPPING: frozenset({S.LAUNCHING, S.STRESSING, S.TEARING_DOWN}),  # back: a machine is replaced
    S.STRESSING: frozenset({S.COLLECTING, S.TEARING_DOWN}),
    S.COLLECTING: frozenset({S.TEARING_DOWN}),
    S.TEARING_DOWN: frozenset({S.SUBMITTING, S.FAILED, S.CANCELLED}),
    S.SUBMITTING: frozenset({S.SUCCEEDED, S.FAILED, S.CANCELLED}),
}


# A cancel changes nothing at these: the machines are being deleted already, or are gone.
NOT_CANCELLED = (S.TEARING_DOWN, S.SUBMITTING)
_IS_TO_CANCEL = Q(cancel_requested_at__isnull=False, end_reason=None) & ~Q(status__in=NOT_CANCELLED)
NOTES_A_STATUS = 50  # of failed attempts; no answer of a cloud may fill the history


class IllegalMove(Exception):
    """A step returned a status that cannot follow the current one: a bug."""


class LostRace(Exception):
    """Another worker moved the run first, or holds it now."""


def advance(run: Run, to: RunStatus, *, message: str = "", **changes: Any) -> None:
    """Move a run; raises IllegalMove or LostRace, and then nothing has changed."""
    if to not in NEXT.get(run.status, ()):
        raise IllegalMove(f"run {run.pk}: {run.status} -> {to}")
    now = clock.now()
    if to in RunStatus.FINAL:
        # the keys open nothing any more, and need not be stored any longer
        changes |= {"ended_at": run.ended_at or now, "due_at": None, "ssh_key": None, "host_key": None}
        changes |= {"held_until": None, "held_by": None}
    else:
        changes |= {"due_at": now}
    with transaction.atomic():
        moved = _own(run).update(status=to, state={}, troubles=0, **changes)
        if not moved:
            raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
        RunEvent.objects.create(run=run, old_status=run.status, new_status=to, message=message[:1000])
        run.refresh_from_db()
        if run.is_final:
            run_notices.announce(run)


def end(run: Run, reason: EndReason, detail: str = "") -> None:
    """Move a run towards its end; the first reason is final. Machines are always deleted first.

    The reason and the status change together: a run with a reason and without a move would continue to its end.
    """
    with transaction.atomic():
        if not _own(run).select_for_update().exists():
            raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
        _own(run).filter(end_reason=None).update(end_reason=reason, end_detail=detail[:1000])
        run.refresh_from_db()
        first = EndReason(run.end_reason or reason)
        if run.status == RunStatus.STRESSING and first.keeps_results:
            advance(run, RunStatus.COLLECTING, message=detail)
        elif run.status in RunStatus.NODES_MAY_EXIST:
            if run.status != RunStatus.TEARING_DOWN:
                advance(run, RunStatus.TEARING_DOWN, message=detail)
        elif not run.is_final:
            advance(run, first.final_status, message=detail)


def _own(run: Run) -> RunQuerySet:
    """The row, as long as the run has the status that its worker knows and nobody else has taken it over."""
    return Run.objects.filter(pk=run.pk, status=run.status, held_by=run.held_by)


def hold(run_id: int, for_: timedelta, now: datetime | None = None) -> str | None:
    """Reserve the run for a worker: the token of its hold, or None when another worker holds it, or it is not due.

    The hold of a dead worker expires. A worker that only seemed dead finds another token than its own, and can no
    longer change the run. Messages may be late and many: those that find the run driven already do nothing.
    """
    now = now or clock.now()
    token = get_random_string(16)
    is_mine = (
        Run.objects.filter(pk=run_id)
        .filter(Q(held_until=None) | Q(held_until__lte=now))
        .filter(Q(due_at=None) | Q(due_at__lte=now))
        .exclude(status__in=RunStatus.FINAL)
        .update(held_until=now + for_, held_by=token)
    )
    return token if is_mine else None


def release(run_id: int, token: str, pause: timedelta, now: datetime | None = None) -> None:
    """Let other workers hold the run, and make it due after `pause`, or when its step has asked to be repeated.

    Nothing changes when another worker holds the run by now. A cancel does not wait for the pause.
    """
    now = now or clock.now()
    mine = Run.objects.filter(pk=run_id, held_by=token).exclude(status__in=RunStatus.FINAL)
    mine.exclude(_IS_TO_CANCEL).update(due_at=Greatest("due_at", Value(now + pause)))
    mine.update(held_until=None, held_by=None)


def ask_again(run: Run, pause: timedelta) -> None:
    """The next step need not come before this pause; a cancel does not wait for it."""
    _own(run).exclude(_IS_TO_CANCEL).update(due_at=clock.now() + pause)


def is_still_needed(run: Run) -> bool:
    """Whether the machines of the run are: another worker may have begun to delete them meanwhile."""
    return Run.objects.filter(pk=run.pk).exclude(status__in={*NOT_CANCELLED, *RunStatus.FINAL}).exists()


def refresh(run: Run) -> None:
    """Read the run again. Raises LostRace when another worker has taken it over."""
    token = run.held_by
    run.refresh_from_db()
    if run.held_by != token:
        raise LostRace(f"another worker holds run {run.pk}")


def note(run: Run, message: str, kind: EventKind = EventKind.NOTE) -> None:
    """Add to the history without changing the status."""
    RunEvent.objects.create(run=run, kind=kind, message=message[:1000])


def trouble(run: Run, detail: str, kind: EventKind = EventKind.NOTE) -> None:
    """Count a failed attempt at the step: the pause before the next one grows with the count.

    The history notes each detail once in a status, however often and in which order the attempts fail.
    """
    if not _own(run).update(troubles=F("troubles") + 1):
        raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
    run.troubles += 1
    last_move = run.events.filter(new_status__isnull=False).last()
    notes = run.events.filter(new_status=None, pk__gt=last_move.pk if last_move else 0)
    if not notes.filter(message=detail[:1000]).exists() and notes.count() < NOTES_A_STATUS:
        note(run, detail, kind)


def block(run: Run, detail: str) -> None:
    """The run cannot be torn down: it no longer takes a place, and its owner and the operators are told why."""
    with transaction.atomic():
        now = clock.now()
        if not _own(run).update(blocked_since=now):
            raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
        note(run, detail, EventKind.ERROR)
        run.blocked_since = now
        run_notices.announce_blocked(run, detail[:1000])


def no_trouble(run: Run) -> None:
    """The step works again: the next pause is the shortest."""
    if run.troubles:
        _own(run).update(troubles=0)
        run.troubles = 0


def save_state(run: Run, **changes: Any) -> None:
    """Add to the scratch of the current step, for whichever worker goes on; a change of status clears it.

    Raises LostRace when another worker has moved the run or holds it now.
    """
    state = {**run.state, **changes}
    if not _own(run).update(state=state):
        raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
    run.state = state


def save_progress(run: Run, **changes: Any) -> None:
    """Add to what the live page shows, and later steps read. Raises LostRace as `save_state` does."""
    progress = {**run.progress, **changes}
    if not _own(run).update(progress=progress):
        raise LostRace(f"run {run.pk} is no longer {run.status}, or another worker holds it")
    run.progress = progress


def time_since(run: Run, name: str) -> timedelta:
    """The time since this was first called with `name` in the current step; zero the first time."""
    now = clock.now()
    if name not in run.state:
        save_state(run, **{name: now.isoformat()})
        return timedelta(0)
    return now - datetime.fromisoformat(run.state[name])


def submit_again(run: Run) -> bool:
    """Let a worker read the kept outputs of an ended run once more; False when the run is not `can_submit_again`.

    An error of the site is forgotten with this; any other reason for the end stays the reason.
    """
    if not run.can_submit_again:
        return False
    changes: dict[str, Any] = {"state": {}, "troubles": 0, "due_at": clock.now()}
    if run.end_reason in (EndReason.INTERNAL_ERROR, EndReason.RESULTS_REJECTED) and run.has_all_trials:
        changes |= {"end_reason": None, "end_detail": ""}
    with transaction.atomic():
        if not Run.objects.filter(pk=run.pk, status=run.status, submission=None).update(
            status=RunStatus.SUBMITTING, **changes
        ):
            return False
        RunEvent.objects.create(run=run, old_status=run.status, new_status=RunStatus.SUBMITTING)
    run.refresh_from_db()
    return True


def request_cancel(run: Run) -> None:
    """Ask the driver to cancel the run, after the current step if a worker is in one.

    A run that was never confirmed has no driver, and ends here.
    """
    if run.status == RunStatus.PLANNED:
        with suppress(LostRace):  # confirmed meanwhile, in another window
            end(run, EndReason.CANCELLED_BY_USER)
            return
    now = clock.now()
    Run.objects.filter(pk=run.pk, cancel_requested_at=None).exclude(status__in=RunStatus.FINAL).update(
        cancel_requested_at=now, due_at=now
    )
