"""Begin a follow, pause it, go on, end it; everything that a page and the API may be asked is checked here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from benchsite.http.refusals import Fault, Refusal
from benchsite.notifications import webhook
from benchsite.notifications.addresses import verified_address
from submissions.follows.addresses import new_key
from submissions.follows.scope import narrowing
from submissions.models import Follow, Workload
from submissions.questions.history.query import lines_among
from submissions.records.lines import Line, points

MOST_DAYS = 366
MOST_PERCENT = 1000
NO_CHANNEL = "choose at least one of email, webhook and feed"
NO_MAIL = "this site sends no mail: its operator has not set a mail server"
NO_ADDRESS = "your account has no verified email address"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to follow, and how; `filters` are those of the list of results, by parameter."""

    workload: str  # fingerprint
    cluster: str = ""  # token; empty: all
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    by_email: bool = False
    webhook_url: str = ""
    has_feed: bool = False
    threshold_percent: float | None = None
    quiet_after_days: int | None = None


def begin(user: User, wish: Wish) -> Follow:
    """Raises Refusal."""
    workload = Workload.objects.open().by_fingerprint(wish.workload)
    if workload is None:
        raise Refusal.at("#/workload", "there is no such workload")
    filters = narrowing(wish.filters)
    line = _line(workload, wish.cluster)
    faults = _faults(user, wish, has_line=line is not None)
    if faults:
        raise Refusal(faults)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # or two requests at once would both be the last one allowed
        if Follow.objects.filter(user=user).count() >= Follow.MOST_PER_ACCOUNT:
            raise Refusal.at("#", f"an account can follow at most {Follow.MOST_PER_ACCOUNT} histories: end one first")
        same = Follow.objects.filter(user=user, workload=workload, cluster=wish.cluster, filters=filters)
        if same.exists():
            raise Refusal.at("#", "you follow this already")
        return Follow.objects.create(
            user=user,
            workload=workload,
            cluster=wish.cluster,
            cluster_name=line.name[:500] if line else "",
            filters=filters,
            by_email=wish.by_email,
            webhook_url=wish.webhook_url,
            webhook_nonce=new_key() if wish.webhook_url else "",
            feed_key=new_key() if wish.has_feed else None,
            threshold_percent=wish.threshold_percent,
            quiet_after_days=wish.quiet_after_days,
            since=timezone.now(),
        )


def pause(follow: Follow) -> None:
    Follow.objects.filter(pk=follow.pk, paused_at=None).update(paused_at=timezone.now())


def resume(follow: Follow) -> None:
    """What happened while it was paused is not notified."""
    paused = Follow.objects.filter(pk=follow.pk).exclude(paused_at=None)
    paused.update(paused_at=None, since=timezone.now(), has_baseline=False, failing_since=None, failure="")


def renew_feed(follow: Follow, *, has_feed: bool) -> None:
    """A new secret address, or none: the one before ends."""
    Follow.objects.filter(pk=follow.pk).update(feed_key=new_key() if has_feed else None)


def end_mails(follow_id: int) -> bool:
    """False where there is no such follow. The follow stays: its other channels go on."""
    return bool(Follow.objects.filter(pk=follow_id).update(by_email=False))


def why_no_mail(user: User) -> str:
    """Empty where mails can be sent to this account."""
    if not settings.EMAIL_HOST:
        return NO_MAIL
    return "" if verified_address(user) else NO_ADDRESS


def own(user: User) -> QuerySet[Follow]:
    return Follow.objects.filter(user=user).select_related("workload")


def _line(workload: Workload, token: str) -> Line | None:
    if not token:
        return None
    lines = lines_among(points(None).of_workload(workload.fingerprint))
    return next((line for line in lines if line.token == token), None)


def _faults(user: User, wish: Wish, *, has_line: bool) -> list[Fault]:
    faults = []
    if wish.cluster and not has_line:
        faults.append(Fault("#/cluster", "no dated result of this workload ran on such a cluster"))
    if not (wish.by_email or wish.webhook_url or wish.has_feed):
        faults.append(Fault("#", NO_CHANNEL))
    if wish.by_email and (reason := why_no_mail(user)):
        faults.append(Fault("#/email", reason))
    if wish.webhook_url and (fault := webhook.fault_of(wish.webhook_url)):
        faults.append(Fault("#/webhook_url", fault))
    return faults
