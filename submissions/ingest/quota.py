"""How many bytes an account may store: the raw files of its submissions, and its uploads in progress."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, Sum
from django.utils import timezone

from benchsite.refusals import RateExceeded, UploadTooLarge
from submissions.models import Artifact, Upload

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes, and their limits; a limit of 0 is none."""

    total_bytes: int
    day_bytes: int
    most_bytes: int
    most_day_bytes: int


def usage_of(owner: User) -> Usage:
    """What the account stores now. Two queries."""
    since = timezone.now() - DAY
    files = Artifact.objects.filter(submission__submitted_by=owner.pk, removed_at=None).aggregate(
        total=Sum("size_bytes", default=0), day=Sum("size_bytes", default=0, filter=Q(created_at__gt=since))
    )
    waiting = list(Upload.objects.filter(owner=owner.pk).exclude(status=Upload.Status.DONE))
    return Usage(
        total_bytes=files["total"] + sum(upload.size_bytes for upload in waiting),
        day_bytes=files["day"] + sum(upload.size_bytes for upload in waiting if upload.created_at > since),
        most_bytes=settings.MAX_USER_BYTES,
        most_day_bytes=settings.MAX_USER_BYTES_DAY,
    )


def check(owner: User, new_bytes: int) -> None:
    """Raises Refusal where `new_bytes` more are over a limit of the account."""
    usage = usage_of(owner)
    if usage.most_bytes and usage.total_bytes + new_bytes > usage.most_bytes:
        raise UploadTooLarge.at(
            "#",
            f"these files have {new_bytes:,} bytes and your account stores {usage.total_bytes:,}: "
            f"the limit is {usage.most_bytes:,}",
        )
    if usage.most_day_bytes and usage.day_bytes + new_bytes > usage.most_day_bytes:
        raise RateExceeded.at(
            "#",
            f"these files have {new_bytes:,} bytes and your account has stored {usage.day_bytes:,} in the last"
            f" 24 hours: the limit is {usage.most_day_bytes:,}",
        )
