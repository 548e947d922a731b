"""The runs, series and schedules of an account that is closed: cancelled, and machines torn down."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save
from django.dispatch import receiver

from runners.lifecycle import request_cancel
from runners.models import Run, Schedule, Series
from runners.series import progress


@receiver(post_save, sender=User, dispatch_uid="cancel_runs_of_closed_account")
def cancel_runs(sender: type[User], instance: User, created: bool, **_: Any) -> None:
    """However it is closed: by a moderator's ban, or in the admin."""
    if not instance.is_active and not created:
        Schedule.objects.filter(owner=instance).delete()
        for series in Series.objects.open().filter(owner=instance):
            progress.request_cancel(series)
        for run in Run.objects.open().filter(owner=instance):
            request_cancel(run)
