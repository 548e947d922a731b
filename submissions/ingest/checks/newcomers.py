"""The first submissions of a new account are public at once, but on no board until a moderator or a week has passed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.choices import Trust
from submissions.ingest.checks.quota import FIRST, Usage
from submissions.models import CompiledQuery

WAIT = timedelta(days=7)

# As `is_moderator`, of the permissions of now.
_MODERATORS = CompiledQuery(
    lambda account: User.objects.with_perm("submissions.change_submission").filter(pk=account).values("pk"),
    account=-1,
)


def unranked_until(usage: Usage | None, trusts: Sequence[Trust]) -> list[datetime | None]:
    """For each new submission of an account, in order: when it is ranked without a moderator; None: at once.

    While one of the first three waits, so does what follows: else three idle ones would open the boards to the fourth.
    Raises Refusal where the account has been closed meanwhile. Without an account nothing waits.
    """
    if usage is not None and not usage.is_active:
        raise Refusal.at("#", "this account is closed")
    if usage is None or not usage.is_new or usage.is_staff or _MODERATORS.rows(account=usage.account):
        return [None] * len(trusts)
    before, waiting, now = usage.first_results, usage.waiting_until, timezone.now()
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
