"""What waits for a moderator, and what is known of an account."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from submissions.choices import HELD_FLAGS, Flag
from submissions.models import ModerationDecision, Report, Submission, is_public

SHOWN = 50  # of the queue, oldest first


@dataclass(frozen=True, slots=True)
class Waiting:
    """A submission in the queue, and why it is there."""

    submission: Submission
    reports: Sequence[Report]
    flags: Sequence[Flag]
    is_newcomer: bool


@dataclass(frozen=True, slots=True)
class Queue:
    waiting: Sequence[Waiting]
    total: int


def queue() -> Queue:
    rows = waiting_submissions()
    open_reports = Prefetch("reports", Report.objects.filter(resolved_at=None).order_by("pk"), to_attr="open_reports")
    shown = rows.order_by("pk").select_related("submitted_by").prefetch_related(open_reports)[:SHOWN]
    return Queue([_waiting(submission) for submission in shown], rows.count())


def waiting_submissions() -> QuerySet[Submission]:
    """Reported ones; of the public ones those of new accounts, and flagged ones that no moderator has looked at."""
    reported = Exists(Report.objects.filter(submission=OuterRef("pk"), resolved_at=None))
    decided = Exists(ModerationDecision.objects.filter(submission=OuterRef("pk")))
    flagged = Q(flags__overlap=HELD_FLAGS, unranked_at=None) & ~Q(decided)
    newcomers = Q(unranked_until__gt=timezone.now(), unranked_at=None)
    rows: QuerySet[Submission] = Submission.objects.filter(hidden_at=None, retracted_at=None)
    return rows.filter(Q(reported) | (is_public() & (flagged | newcomers))).defer("document", "notes")


@dataclass(frozen=True, slots=True)
class AccountSummary:
    account: User
    listed: int
    hidden: int
    unranked: int
    retracted: int
    reports: int
    decisions: Sequence[ModerationDecision]


def account_summary(account: User) -> AccountSummary:
    own = Submission.objects.filter(submitted_by=account)
    counts = own.aggregate(
        listed=Count("pk", filter=Q(hidden_at=None, retracted_at=None)),
        hidden=Count("pk", filter=Q(hidden_at__isnull=False)),
        unranked=Count("pk", filter=Q(unranked_at__isnull=False) | Q(unranked_until__gt=timezone.now())),
        retracted=Count("pk", filter=Q(retracted_at__isnull=False)),
    )
    reports = Report.objects.filter(submission__submitted_by=account).count()
    about = Q(account=account) | Q(submission__submitted_by=account)
    decisions = ModerationDecision.objects.filter(about).select_related("moderator", "submission")[:SHOWN]
    return AccountSummary(account, **counts, reports=reports, decisions=list(decisions))


def _waiting(submission: Submission) -> Waiting:
    until = submission.unranked_until
    return Waiting(
        submission,
        submission.open_reports,  # type: ignore[attr-defined] # by the prefetch
        [Flag(flag) for flag in submission.flags if flag in HELD_FLAGS],
        until is not None and until > timezone.now(),
    )
