"""Which queued run is next, and how many a user may have waiting."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Max, OuterRef, Subquery

from runners.choices import RunStatus
from runners.models import Run
from runners.providers.registry import offered, provider_for

# Runs of a user that cannot be torn down and take no place of the user; more of them do.
MOST_BLOCKED = 2


def refusal(run: Run) -> str | None:
    """Why the run may not wait in the queue, in one sentence; None when it may."""
    waiting = Run.objects.exclude(pk=run.pk).filter(status=RunStatus.QUEUED, owner_id=run.owner_id).count()
    limit = settings.MAX_USER_QUEUED_RUNS
    if waiting < limit:
        return None
    return f"you have {waiting} runs in the queue, and the limit is {limit}: wait for one to start, or cancel one"


def has_turn(run: Run, in_place_of: Run | None = None) -> bool:
    """Whether the run is the next to start, where another one makes room for it.

    The users take turns: of the runs that could start now, the first is that of the user who has waited longest
    since the start of an earlier run; a user without any comes before all others.
    """
    return next(_startable(in_place_of), None) == run.pk


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The oldest queued run of a user."""

    owner: int
    pk: int
    provider: str
    created_at: datetime
    launched_at: datetime | None  # of the user's latest start

    @property
    def turn(self) -> tuple[bool, datetime, int]:
        return self.launched_at is not None, self.launched_at or self.created_at, self.pk


def _startable(leaving: Run | None) -> Iterator[int]:
    """The oldest queued run of each user that nothing but the order holds back, in the order of their turns.

    Two queries, however many wait.
    """
    fields = ("owner_id", "provider", "blocked_since")
    open_runs = Run.objects.filter(status__in=RunStatus.NODES_MAY_EXIST)
    if leaving is not None:
        open_runs = open_runs.exclude(pk=leaving.pk)
    busy = list(open_runs.values_list(*fields))
    of_owner = Counter(owner for owner, _, blocked_since in busy if blocked_since is None)
    if of_owner.total() >= settings.MAX_OPEN_RUNS:
        return
    for owner, blocked in Counter(owner for owner, _, blocked_since in busy if blocked_since).items():
        of_owner[owner] += max(0, blocked - MOST_BLOCKED)
    of_provider = Counter(provider for _, provider, _ in busy)
    for run in sorted(_oldest_of_each_owner(), key=lambda run: run.turn):
        is_within_own = of_owner[run.owner] < settings.MAX_USER_OPEN_RUNS
        if is_within_own and _has_room(run.provider, of_provider[run.provider]):
            yield run.pk


def _oldest_of_each_owner() -> list[_Waiting]:
    """A run that was cancelled while it waited is nobody's turn any more."""
    same_owner = Run.objects.filter(owner_id=OuterRef("owner_id")).order_by().values("owner_id")
    rows = (
        Run.objects.filter(status=RunStatus.QUEUED, cancel_requested_at=None)
        .annotate(latest_launch=Subquery(same_owner.annotate(at=Max("launched_at")).values("at")))
        .order_by("owner_id", "id")
        .distinct("owner_id")
    )
    return [_Waiting(*row) for row in rows.values_list("owner_id", "pk", "provider", "created_at", "latest_launch")]


def _has_room(provider: str, busy: int) -> bool:
    """Whether the provider allows another run: two runs on one machine would disturb each other."""
    if provider not in offered():
        return False
    limit = provider_for(provider).abilities.runs_at_once
    return limit is None or busy < limit
