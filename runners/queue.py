"""Which queued run is next, and how many a user may have waiting."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import Max

from runners.choices import RunStatus
from runners.models import Run, RunQuerySet
from runners.providers.registry import offered, provider_for


def refusal(run: Run) -> str | None:
    """Why the run may not wait in the queue, in one sentence; None when it may."""
    waiting = Run.objects.exclude(pk=run.pk).filter(status=RunStatus.QUEUED, owner_id=run.owner_id).count()
    limit = settings.MAX_USER_QUEUED_RUNS
    if waiting < limit:
        return None
    return f"you have {waiting} runs in the queue, and the limit is {limit}: wait for one to start, or cancel one"


def has_turn(run: Run) -> bool:
    """Whether the run is the next to start.

    The users take turns: of the runs that could start now, the first is that of the user who has waited longest
    since the start of an earlier run; a user without any comes before all others.
    """
    return next(_startable(), None) == run.pk


def _startable() -> Iterator[int]:
    """The oldest queued run of each user that nothing but the order holds back, in the order of their turns."""
    busy = Run.objects.filter(status__in=RunStatus.NODES_MAY_EXIST)
    if busy.count() >= settings.MAX_OPEN_RUNS:
        return
    for run in sorted(_oldest_of_each_owner(), key=_turn):
        is_within_own = busy.filter(owner_id=run.owner_id).count() < settings.MAX_USER_OPEN_RUNS
        if is_within_own and _provider_has_room(run, busy):
            yield run.pk


def _oldest_of_each_owner() -> RunQuerySet:
    """A run that was cancelled while it waited is nobody's turn any more."""
    queued = Run.objects.filter(status=RunStatus.QUEUED, cancel_requested_at=None)
    return queued.order_by("owner_id", "id").distinct("owner_id")


def _turn(run: Run) -> tuple[bool, datetime, int]:
    launched = Run.objects.filter(owner_id=run.owner_id).aggregate(at=Max("launched_at"))["at"]
    return launched is not None, launched or run.created_at, run.pk


def _provider_has_room(run: Run, busy: RunQuerySet) -> bool:
    """Whether the provider allows another run: two runs on one machine would disturb each other."""
    if run.provider not in offered():
        return False
    limit = provider_for(run.provider).abilities.runs_at_once
    return limit is None or busy.filter(provider=run.provider).count() < limit
