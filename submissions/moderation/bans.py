"""Everything of an account at once: decisions about its submissions, and closing it."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from benchsite.http.refusals import Refusal
from benchsite.http.streams import by_key
from submissions.choices import Outcome
from submissions.models import ApiToken, ModerationDecision, Submission, Upload, is_moderator
from submissions.moderation.decisions import checked_reason, decide_all

ALL_AT_ONCE = (Outcome.APPROVED, Outcome.UNRANKED, Outcome.HIDDEN, Outcome.RESTORED)
_BATCH = 1000  # sessions in memory
_CLOSED = [{"pointer": "#", "detail": "this account is closed"}]


def decide_account(account: User, outcome: Outcome, *, reason: str, by: User | None) -> int:
    """The same decision about each submission of an account that is not retracted; how many. Raises Refusal."""
    if outcome not in ALL_AT_ONCE:
        raise Refusal.at("#/outcome", "cannot be decided about all submissions at once")
    own = list(Submission.objects.filter(submitted_by=account, retracted_at=None).order_by("pk"))
    decide_all(own, outcome, reason=reason, by=by)
    return len(own)


def ban(account: User, *, reason: str, by: User | None, submissions: Outcome = Outcome.UNRANKED) -> int:
    """Close an account, and decide about its submissions; how many those are. Raises Refusal.

    Its tokens, its sessions and what it is uploading end with it; the app of the runs cancels them by the same signal.
    """
    reason = checked_reason(reason)
    if account == by:
        raise Refusal.at("#/account", "is your own")
    if account.is_staff or is_moderator(account):
        raise Refusal.at("#/account", "belongs to a moderator or operator: take that role away first")
    with transaction.atomic():
        count = decide_account(account, submissions, reason=reason, by=by)
        ModerationDecision.objects.create(moderator=by, account=account, outcome=Outcome.BANNED.value, reason=reason)
        account.is_active = False
        account.save(update_fields=["is_active"])
    return count


@receiver(post_save, sender=User, dispatch_uid="end_access_of_closed_account")
def end_access(sender: type[User], instance: User, created: bool, **_: Any) -> None:
    """However an account is closed (a ban, the admin): its keys stop working for good, even if it is opened again."""
    if instance.is_active or created:
        return
    ApiToken.objects.filter(user=instance).delete()
    Upload.objects.filter(
        owner=instance, status__in=(Upload.Status.STAGED, Upload.Status.QUEUED, Upload.Status.RUNNING)
    ).update(status=Upload.Status.FAILED, errors=_CLOSED)
    for session in by_key(Session.objects.filter(expire_date__gt=timezone.now()), _BATCH):
        if session.get_decoded().get("_auth_user_id") == str(instance.pk):
            session.delete()
