"""Who may run where, and how much: what the form says before anything is planned."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from runners.accounts.cloud_accounts import account_of
from runners.choices import RunStatus
from runners.creation import MAY_NOT_START, NOT_ON_THIS_MACHINE, may_run_on, may_start
from runners.limits import budget
from runners.models import Run
from runners.plans.faults import longest_minutes
from runners.providers.registry import offered, traits_of


@dataclass(frozen=True, slots=True)
class PlaceToRun:
    """A provider of this site, for one user."""

    slug: str
    terms: str  # whose account, or how long
    reason: str = ""  # why the user may not run there


@dataclass(frozen=True, slots=True)
class Allowance:
    """`left_usd`, `waiting` and the places' reasons are the user's own; None without an account."""

    places: Sequence[PlaceToRun]
    reason: str  # why the user may start nothing; "" otherwise
    run_usd: Decimal
    month_usd: Decimal
    left_usd: Decimal | None
    open_runs: int
    waiting: int | None
    queued_runs: int

    @property
    def has_cloud(self) -> bool:
        return any(not traits_of(place.slug).is_this_machine for place in self.places)


def allowance_of(user: User | AnonymousUser) -> Allowance:
    """A few small queries; none about money for who is not signed in."""
    if not user.is_authenticated:
        reason = MAY_NOT_START if settings.RUNS_NEED_PERMISSION else ""
    else:
        reason = "" if may_start(user) else MAY_NOT_START
    return Allowance(
        places=[_place(slug, user) for slug in offered()],
        reason=reason,
        run_usd=settings.MAX_RUN_USD,
        month_usd=settings.MAX_USER_MONTH_USD,
        left_usd=_left_usd(user) if user.is_authenticated else None,
        open_runs=settings.MAX_USER_OPEN_RUNS,
        waiting=_waiting(user) if user.is_authenticated else None,
        queued_runs=settings.MAX_USER_QUEUED_RUNS,
    )


def _place(slug: str, user: User | AnonymousUser) -> PlaceToRun:
    if traits_of(slug).is_this_machine:
        reason = "" if not user.is_authenticated or may_run_on(slug, user) else NOT_ON_THIS_MACHINE
        return PlaceToRun(slug, f"free, at most {longest_minutes(slug)} minutes per run", reason)
    access = account_of(user, slug) if user.is_authenticated else None
    return PlaceToRun(slug, f"in your own account, {access.principal}" if access else "in the site's account")


def _left_usd(user: User) -> Decimal:
    """What a new run of the user may cost this month: the least of the user's budget and the site's."""
    now = timezone.now()
    own: Decimal = settings.MAX_USER_MONTH_USD - budget.committed_usd(Run.objects.filter(owner=user), now)
    site: Decimal = settings.MAX_MONTH_USD - budget.committed_usd(Run.objects.all(), now)
    return max(min(own, site), Decimal(0))


def _waiting(user: User) -> int:
    return Run.objects.filter(owner=user, status=RunStatus.QUEUED).count()
