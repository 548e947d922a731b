"""The runs, series, schedules and cloud accounts of an account that is closed: by its owner, a ban or the admin."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from benchsite.http.refusals import Refusal
from runners.choices import RunStatus
from runners.lifecycle import request_cancel
from runners.models import CloudAccess, Run, Schedule, Series
from runners.series import progress
from submissions.accounts.closing import account_closing, private_submissions


@receiver(post_save, sender=User, dispatch_uid="cancel_runs_of_closed_account")
def cancel_runs(sender: type[User], instance: User, created: bool, **_: Any) -> None:
    """However it is closed: by a moderator's ban, or in the admin."""
    if not instance.is_active and not created:
        Schedule.objects.filter(owner=instance).delete()
        for series in Series.objects.open().filter(owner=instance):
            progress.request_cancel(series)
        for run in Run.objects.open().filter(owner=instance):
            request_cancel(run)


@receiver(account_closing)
def leave(sender: object, user: User, **kwargs: Any) -> None:
    """Plans are cancelled, schedules and cloud accounts erased.

    Raises Refusal while a run or a series is in progress: its machines cost.
    """
    runs = Run.objects.filter(owner=user)
    if runs.open().exclude(status=RunStatus.PLANNED).exists():
        raise Refusal.at("#", "A run of yours is in progress: cancel it, or wait until it ends.")
    if Series.objects.open().filter(owner=user).exists():
        raise Refusal.at("#", "A series of yours is in progress: cancel it, or wait until it ends.")
    Schedule.objects.filter(owner=user).delete()
    Series.objects.filter(owner=user).update(notify_email=False)
    for plan in runs.filter(status=RunStatus.PLANNED):
        request_cancel(plan)
    runs.filter(submission__in=private_submissions(user)).update(submission=None)
    runs.update(notify_url="", notify_email=False)
    accesses = CloudAccess.objects.filter(owner=user)
    accesses.filter(removed_at=None).update(removed_at=timezone.now())
    accesses.update(principal="", external_id="")
