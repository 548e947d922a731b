"""The only code that changes Run.status: legal moves, history, holds, ends."""

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
    """A step asked for a status that does not follow from the current one: our bug."""


class LostRace(Exception):
    """Another worker moved the run first."""


def advance(run: Run, to: RunStatus, *, message: str = "", **changes: Any) -> None:
    """Move a run; raises IllegalMove or LostRace, and then nothing has changed."""
    if to not in NEXT.get(run.status, ()):
        raise IllegalMove(f"run {run.pk}: {run.status} -> {to}")
    now = timezone.now()
    if to in RunStatus.FINAL:
        # a key of machines that are gone opens nothing, and still has no business staying
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
    """Turn a run towards its end; the first reason stays. Machines go first, whatever happened."""
    Run.objects.filter(pk=run.pk, end_reason=None).update(end_reason=reason, end_detail=detail[:1000])
    run.refresh_from_db()
    kept = EndReason(run.end_reason)
    if run.status == RunStatus.STRESSING and kept.keeps_measurements:
        advance(run, RunStatus.COLLECTING, message=detail)
    elif run.status in RunStatus.NODES_MAY_EXIST:
        if run.status != RunStatus.TEARING_DOWN:
            advance(run, RunStatus.TEARING_DOWN, message=detail)
    elif not run.is_final:
        advance(run, kept.final_status, message=detail)


def hold(run_id: int, for_: timedelta, now: datetime | None = None) -> bool:
    """Take the run for a while; False when another worker has it. A dead worker's hold runs out."""
    now = now or timezone.now()
    return bool(
        Run.objects.filter(pk=run_id)
        .filter(Q(held_until=None) | Q(held_until__lte=now))
        .exclude(status__in=RunStatus.FINAL)
        .update(held_until=now + for_)
    )


def release(run_id: int, pause: timedelta, now: datetime | None = None) -> None:
    """Let others take the run, and look again after `pause` unless it is due before."""
    now = now or timezone.now()
    Run.objects.filter(pk=run_id).exclude(status__in=RunStatus.FINAL).update(held_until=None)
    Run.objects.filter(pk=run_id, due_at__lte=now).exclude(status__in=RunStatus.FINAL).update(due_at=now + pause)


def note(run: Run, message: str, kind: EventKind = EventKind.NOTE) -> None:
    """Add to the history without moving."""
    RunEvent.objects.create(run=run, kind=kind, message=message[:1000])


def request_cancel(run: Run) -> None:
    """The user's wish: seen by the driver at once, kept if a worker is in the middle of a step.

    A run that was never confirmed has no driver and ends here.
    """
    if run.status == RunStatus.PLANNED:
        end(run, EndReason.CANCELLED_BY_USER)
        return
    now = timezone.now()
    Run.objects.filter(pk=run.pk, cancel_requested_at=None).exclude(status__in=RunStatus.FINAL).update(
        cancel_requested_at=now, due_at=now
    )
