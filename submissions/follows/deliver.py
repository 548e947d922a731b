"""Sends a notice by mail and webhook; whoever claims it sends it, and nobody sends it twice."""

from collections.abc import Sequence
from smtplib import SMTPException
from typing import Any

from celery import Task, shared_task
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone

from benchsite.notifications import webhook
from benchsite.notifications.addresses import verified_address
from submissions.follows import addresses, sentences
from submissions.models import Follow, LevelChange, Notice

RETRIES = 4  # after 1, 2, 4 and 8 minutes
FIRST_PAUSE_SECONDS = 60
TIME_LIMIT_SECONDS = 60


def send(notice: Notice) -> None:
    """Once it is committed."""
    if notice.mail == Notice.State.WAITING:
        transaction.on_commit(lambda: mail_notice.delay(notice.pk), robust=True)
    if notice.webhook == Notice.State.WAITING:
        transaction.on_commit(lambda: post_notice.delay(notice.pk), robust=True)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail_notice(self: Task, notice_id: int) -> None:
    """One mail to the follower's verified address; none where everything in it was withdrawn meanwhile."""
    notice = _claim(notice_id, "mail")
    if notice is None:
        return
    address = verified_address(notice.follow.user)
    lines = lines_of(notice)
    if not lines or not address or not notice.follow.by_email:
        _settle(notice, "mail", Notice.State.UNWANTED)
        return
    message = EmailMessage(
        sentences.subject(lines), mail_body(notice, lines), None, [address], headers=_unsubscribe_headers(notice.follow)
    )
    try:
        message.send()
    except (OSError, SMTPException) as error:
        _retry(self, notice, "mail", f"the email could not be sent: {type(error).__name__}", error)
    else:
        _settle(notice, "mail", Notice.State.SENT)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def post_notice(self: Task, notice_id: int) -> None:
    """One signed POST to the webhook of the follow."""
    notice = _claim(notice_id, "webhook")
    if notice is None:
        return
    follow = notice.follow
    if not lines_of(notice) or not follow.webhook_url:
        _settle(notice, "webhook", Notice.State.UNWANTED)
        return
    try:
        webhook.post(follow.webhook_url, content_of(notice), addresses.webhook_secret(follow))
    except webhook.Refused as error:
        _fail(notice, "webhook", f"the webhook was not called: its URL {error}")
    except webhook.Undelivered as error:
        _retry(self, notice, "webhook", f"the webhook was not delivered: {error}", error)
    else:
        _settle(notice, "webhook", Notice.State.SENT)


def content_of(notice: Notice) -> dict[str, Any]:
    """The body of a webhook. Means are in the unit of the metric; times are ISO 8601, UTC."""
    follow = notice.follow
    return {
        "follow": follow.pk,
        "kind": notice.kind,
        "workload": follow.workload.fingerprint,
        "created_at": notice.created_at.isoformat(),
        "sentences": lines_of(notice),
        "changes": [change_content(change) for change in notice.changes],
        "quiet_since": notice.quiet_since and notice.quiet_since.isoformat(),
        "url": addresses.on_site(addresses.history_address(follow)),
    }


def change_content(change: LevelChange) -> dict[str, Any]:
    return {
        "metric": change.metric,
        "latency_kind": change.latency_kind or None,
        "cluster": change.cluster,
        "cluster_name": change.cluster_name,
        "submission": change.after_id,
        "at": change.at.isoformat(),
        "percent": change.percent,
        "verdict": "better" if change.is_better else "worse",
        "mean_before": change.mean_before,
        "mean_after": change.mean_after,
        "n_before": change.n_before,
        "n_after": change.n_after,
        "url": addresses.on_site(addresses.change_in_history(change)),
    }


def lines_of(notice: Notice) -> list[str]:
    """A sentence for each change that can still be seen, or about the silence."""
    if notice.quiet_since is None:
        return [sentences.change_sentence(change) for change in notice.changes]
    days = (notice.created_at - notice.quiet_since).days
    return [sentences.quiet_sentence(notice.follow, notice.quiet_since, days)]


def mail_body(notice: Notice, lines: Sequence[str]) -> str:
    """Plain text: what happened, where to see it, how to stop it."""
    follow = notice.follow
    parts = []
    changes = list(notice.changes[: sentences.MOST_IN_MAIL]) if notice.quiet_since is None else []
    for change in changes:
        address = addresses.on_site(addresses.change_in_history(change))
        parts += [sentences.change_sentence(change), address, ""]
    if not changes:
        parts += [*lines, addresses.on_site(addresses.history_address(follow)), ""]
    elif len(lines) > len(changes):
        parts += [f"{len(lines) - len(changes):,} more changes are on the page of the history.", ""]
    parts += [
        f"You follow {sentences.scope_name(follow)}.",
        f"Stop these emails: {addresses.on_site(addresses.unsubscribe_address(follow))}",
        f"Everything you follow: {addresses.on_site(addresses.follows_address())}",
    ]
    return "\n".join(parts) + "\n"


def _unsubscribe_headers(follow: Follow) -> dict[str, str]:
    """RFC 8058: a mail client unsubscribes by one POST."""
    address = addresses.on_site(addresses.unsubscribe_address(follow))
    return {"List-Unsubscribe": f"<{address}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _claim(notice_id: int, channel: str) -> Notice | None:
    """None where somebody else sends it, or has sent it."""
    waiting = Notice.objects.filter(**{"pk": notice_id, channel: Notice.State.WAITING})
    if not waiting.filter(follow__in=Follow.objects.active()).update(**{channel: Notice.State.SENDING}):
        return None
    return Notice.objects.select_related("follow__workload", "follow__user").get(pk=notice_id)


def _settle(notice: Notice, channel: str, state: Notice.State) -> None:
    Notice.objects.filter(pk=notice.pk).update(**{channel: state})
    if state == Notice.State.SENT:
        Follow.objects.filter(pk=notice.follow_id).update(failing_since=None, failure="")


def _retry(task: Task, notice: Notice, channel: str, what: str, error: Exception) -> None:
    if task.request.retries >= RETRIES:
        _fail(notice, channel, f"{what} ({RETRIES + 1} attempts)")
        return
    Notice.objects.filter(pk=notice.pk).update(**{channel: Notice.State.WAITING})
    raise task.retry(exc=error, countdown=FIRST_PAUSE_SECONDS * 2**task.request.retries)


def _fail(notice: Notice, channel: str, what: str) -> None:
    """The follow goes on; its page says what is wrong until something is delivered again."""
    Notice.objects.filter(pk=notice.pk).update(**{channel: Notice.State.FAILED})
    failing = Follow.objects.filter(pk=notice.follow_id)
    failing.filter(failing_since=None).update(failing_since=timezone.now())
    failing.update(failure=what[:200])
