"""Notices to followers: pending changes together, at most once an hour, and silences; written first, sent after."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from benchsite.notifications.addresses import verified_address
from submissions.follows import deliver
from submissions.follows.scope import points_chosen
from submissions.models import Follow, FollowedChange, LevelChange, Notice, Workload
from submissions.questions.history.query import lines_among

MOST_AT_ONCE = 500  # follows of one round
PAUSE = timedelta(hours=1)  # between notices of changes to one follow: what comes meanwhile is in the next one
RESUME_AFTER = timedelta(minutes=30)  # a message that was lost: retries take 15 minutes
FORGET_AFTER = timedelta(days=2)


def notify_pending() -> int:
    """Of the follows with pending changes each gets one notice; how many."""
    recent = Notice.objects.filter(
        follow=OuterRef("pk"), kind=Notice.Kind.CHANGES, created_at__gt=timezone.now() - PAUSE
    )
    pending = FollowedChange.objects.filter(
        follow=OuterRef("pk"), state=FollowedChange.State.PENDING, change__in=LevelChange.objects.seen()
    )
    due = Follow.objects.active().filter(Exists(pending)).exclude(Exists(recent)).order_by("pk")
    return sum(_notify_changes(pk) for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE])


def notify_quiet() -> int:
    """Of the follows that wait for results for too long each gets one notice, until a new result comes; how many."""
    waiting = Follow.objects.active().filter(quiet_after_days__gt=0, workload__in=Workload.objects.open())
    waiting = waiting.select_related("workload", "user")
    return sum(_notify_quiet(follow) for follow in waiting.order_by("pk").iterator())


def resume() -> None:
    """Send what a lost message or a killed worker has left behind."""
    now = timezone.now()
    left = Notice.objects.filter(created_at__range=(now - FORGET_AFTER, now - RESUME_AFTER))
    for notice in left.filter(mail=Notice.State.WAITING):
        deliver.mail_notice.delay(notice.pk)
    for notice in left.filter(webhook=Notice.State.WAITING):
        deliver.post_notice.delay(notice.pk)


def newest_of(follow: Follow) -> datetime | None:
    """When the newest result that it covers was published."""
    rows = points_chosen(follow.workload, follow.filters)
    if follow.cluster:
        line = next((line for line in lines_among(rows) if line.token == follow.cluster), None)
        rows = rows.filter(line.condition) if line else rows.none()
    newest: datetime | None = rows.aggregate(newest=Max("published_at"))["newest"]
    return newest


def _notify_changes(follow_id: int) -> bool:
    with transaction.atomic():
        # of two workers the second leaves it to the first, and finds nothing pending later
        follow = Follow.objects.active().select_for_update(skip_locked=True, of=("self",)).filter(pk=follow_id).first()
        if follow is None:
            return False
        pending = FollowedChange.objects.filter(
            follow=follow, state=FollowedChange.State.PENDING, change__in=LevelChange.objects.seen()
        )
        pks = list(pending.values_list("pk", flat=True))
        if not pks:
            return False
        notice = Notice.objects.create(follow=follow, kind=Notice.Kind.CHANGES, **_channels(follow))
        FollowedChange.objects.filter(pk__in=pks).update(state=FollowedChange.State.NOTIFIED, notice=notice)
        deliver.send(notice)
    return True


def _notify_quiet(follow: Follow) -> bool:
    since = newest_of(follow) or follow.since
    if max(since, follow.since) > timezone.now() - timedelta(days=follow.quiet_after_days or 0):
        return False
    with transaction.atomic():
        notice, is_new = Notice.objects.get_or_create(
            follow=follow, quiet_since=since, defaults={"kind": Notice.Kind.QUIET, **_channels(follow)}
        )
        if is_new:
            deliver.send(notice)
    return is_new


def _channels(follow: Follow) -> dict[str, Notice.State]:
    """Which of them have something to send; a feed shows the notice as it is."""
    has_mail = follow.by_email and settings.EMAIL_HOST and verified_address(follow.user)
    wanted = {True: Notice.State.WAITING, False: Notice.State.UNWANTED}
    return {"mail": wanted[bool(has_mail)], "webhook": wanted[bool(follow.webhook_url)]}
