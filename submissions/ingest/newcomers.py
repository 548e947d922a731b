"""The first submissions of a new account are public at once, but on no board until a moderator or a week has passed."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from benchsite.refusals import Refusal
from submissions.choices import Trust
from submissions.models import CompiledQuery, VersionMemory

FIRST = 3  # submissions of an account that wait
WAIT = timedelta(days=7)

# As `is_moderator`, of the permissions of now.
_MODERATORS = CompiledQuery(
    lambda account: User.objects.with_perm("submissions.change_submission").filter(pk=account).values("pk"),
    account=-1,
)
_known_moderators: VersionMemory[int, bool] = VersionMemory(10_000)


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of an account when it submits."""

    is_active: bool
    is_staff: bool
    submissions: int  # at most FIRST
    waiting_until: datetime | None  # the last of those that wait


def unranked_until(
    submitted_by: User | None, account: Account | None, trusts: list[Trust], *, rights: object
) -> list[datetime | None]:
    """For each new submission of an account, in order: when it is ranked without a moderator; None: at once.

    While one of the first three waits, so does what follows: else three idle ones would open the boards to the fourth.
    Raises Refusal where the account has been closed meanwhile. `rights`: the version of what accounts may do.
    """
    if submitted_by is None:
        return [None] * len(trusts)
    if account is None or not account.is_active:
        raise Refusal.at("#", "this account is closed")
    before, waiting = account.submissions, account.waiting_until
    is_known = before >= FIRST and waiting is None
    if is_known or account.is_staff or _moderates(submitted_by.pk, rights):
        return [None] * len(trusts)
    now = timezone.now()
    answers: list[datetime | None] = []
    for trust in trusts:
        if trust == Trust.RUN_BY_US:
            answers.append(None)
            continue
        if before < FIRST:
            waiting = now + WAIT
        before += 1
        answers.append(waiting)
    return answers


def rights_seen(account: int) -> tuple[object, bool | None]:
    """The version of what accounts may do at which this process last read any, and whether this one moderated then."""
    return _known_moderators.last(account)


def _moderates(account: int, rights: object) -> bool:
    known = _known_moderators.get(rights, account)
    if known is None:
        known = bool(_MODERATORS.rows(account=account))
        _known_moderators.set(rights, account, known)
    return known
