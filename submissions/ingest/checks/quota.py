"""How much an account may store: bytes of documents, files and uploads in progress, and results in 24 hours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, connections, router
from django.utils import timezone

from benchsite.http.refusals import Fault, RateExceeded, Refusal, UploadTooLarge
from submissions.choices import Trust
from submissions.ingest.pipeline import Prepared
from submissions.models import AccountUsage
from submissions.models.accounts.usage import SPAN

DAY = timedelta(days=1)
FIRST = 3  # results of an account that wait for a moderator
OF_RUNS = (Trust.RUN_BY_US, Trust.RUN_BY_OWNER)  # what a run of this site measured is stored in any case


@dataclass(frozen=True, slots=True)
class Usage:
    """What an account stores now: a row of submissions_usage() of the database. Limits of 0 are none."""

    account: int
    total_bytes: int
    day_bytes: int
    day_results: int
    is_active: bool
    is_staff: bool
    first_results: int  # at most FIRST
    waiting_until: datetime | None  # the last of those that wait for a moderator

    @property
    def is_new(self) -> bool:
        """Whether its next result waits for a moderator."""
        return self.first_results < FIRST or self.waiting_until is not None

    @property
    def most_bytes(self) -> int:
        most: int = settings.MAX_USER_BYTES
        return most

    @property
    def most_day_bytes(self) -> int:
        most: int = settings.MAX_USER_BYTES_DAY
        return most

    @property
    def most_day_results(self) -> int:
        if self.is_staff:
            return 0
        most: int = settings.MAX_NEW_USER_RESULTS_DAY if self.is_new else settings.MAX_USER_RESULTS_DAY
        return most


def usage_of(owner: User) -> Usage:
    """One query."""
    with connections[router.db_for_read(AccountUsage)].cursor() as cursor:
        cursor.execute("SELECT * FROM submissions_usage(%s)", [owner.pk])
        return Usage(*cursor.fetchone())


def lock(owner: User) -> None:
    """Until the transaction ends nobody else stores or erases anything of the account."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT submissions_lock_usage(%s)", [owner.pk])


def check(owner: User, new_bytes: int) -> None:
    """Raises Refusal where files of `new_bytes` more are over a limit of the account."""
    if refusal := _refusal_of_bytes(usage_of(owner), "these files have", new_bytes):
        raise refusal


def refusals(usage: Usage | None, batch: Sequence[Prepared]) -> list[Refusal | None]:
    """Of each new result, in order, why it may not be stored; None: it may. The bytes of its files were checked before.

    What is refused takes nothing from those after it. Without an account there are no limits.
    """
    answers: list[Refusal | None] = []
    new_bytes = new_results = 0
    for prepared in batch:
        refusal = None
        if usage is not None and prepared.trust not in OF_RUNS:
            document = prepared.document_bytes
            refusal = _refusal_of_number(usage, new_results)
            refusal = refusal or _refusal_of_bytes(usage, "this document has", document, new_bytes)
            if refusal is None:
                new_bytes, new_results = new_bytes + document, new_results + 1
        answers.append(refusal)
    return answers


def _refusal_of_bytes(usage: Usage, what_has: str, size: int, new_bytes: int = 0) -> Refusal | None:
    """`new_bytes`: of the same account, accepted a moment ago and not yet written."""
    total, day = usage.total_bytes + new_bytes, usage.day_bytes + new_bytes
    if usage.most_bytes and total + size > usage.most_bytes:
        return UploadTooLarge.at(
            "#", f"{what_has} {size:,} bytes and your account stores {total:,}: the limit is {usage.most_bytes:,}"
        )
    if usage.most_day_bytes and day + size > usage.most_day_bytes:
        return RateExceeded.at(
            "#",
            f"{what_has} {size:,} bytes and your account has stored {day:,} in the last 24 hours:"
            f" the limit is {usage.most_day_bytes:,}",
        )
    return None


def _refusal_of_number(usage: Usage, new_results: int) -> Refusal | None:
    most, day = usage.most_day_results, usage.day_results + new_results
    if not most or day < most:
        return None
    again_at = _again_at(usage.account, most - new_results)
    wait = " while your first results wait for a moderator" if usage.is_new else ""
    detail = (
        f"your account has stored {day:,} results in the last 24 hours: the limit is {most:,}{wait}."
        f" The next one is possible at {again_at:%Y-%m-%d %H:%M} UTC"
    )
    refusal = RateExceeded([Fault("#", detail)])
    refusal.retry_seconds = ceil((again_at - timezone.now()).total_seconds())
    return refusal


def _again_at(account: int, most: int) -> datetime:
    """When fewer than `most` of what is stored are of the last 24 hours. Two queries."""
    stored = AccountUsage.objects.filter(account=account).order_by("since")
    last = stored.last()
    first_over = last and stored.filter(results__gt=last.results - most).first()
    # to the minute, as it is shown
    over_at = (first_over.since if first_over and most > 0 else timezone.now()) + SPAN + DAY
    return over_at.replace(second=0, microsecond=0) + timedelta(minutes=1)
