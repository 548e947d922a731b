"""The first submissions of a new account are public at once, but on no board until a moderator or a week has passed."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.utils import timezone

from benchsite.refusals import Refusal
from submissions.choices import Trust
from submissions.models import Submission, is_moderator

FIRST = 3  # submissions of an account that wait
WAIT = timedelta(days=7)


def unranked_until(submitted_by: User | None, trusts: list[Trust]) -> list[datetime | None]:
    """For each new submission of an account, in order: when it is ranked without a moderator; None: at once.

    While one of the first three waits, so does what follows: else three idle ones would open the boards to the fourth.
    Raises Refusal where the account has been closed meanwhile.
    """
    if submitted_by is None:
        return [None] * len(trusts)
    now = timezone.now()
    own = Submission.objects.filter(submitted_by=OuterRef("pk")).order_by("pk")
    waiting_until = own.filter(unranked_until__gt=now).order_by("-unranked_until").values("unranked_until")
    account = User.objects.annotate(first=ArraySubquery(own.values("pk")[:FIRST]), waiting=waiting_until[:1]).get(
        pk=submitted_by.pk  # as it is now: a large log takes a worker minutes
    )
    if not account.is_active:
        raise Refusal.at("#", "this account is closed")
    before, waiting = len(account.first), account.waiting
    is_known = before >= FIRST and waiting is None
    if is_known or account.is_staff or is_moderator(account):
        return [None] * len(trusts)
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
