"""Notifies by email and webhook that a run has ended; a failed notice never affects the run."""

from smtplib import SMTPException
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.core.mail import mail_admins, send_mail
from django.db import transaction

from benchsite.notifications import webhook
from benchsite.notifications.addresses import verified_address
from runners.choices import EventKind, RunStatus
from runners.endings.receipt import cost_so_far
from runners.models import Run, RunEvent

RETRIES = 4  # after 1, 2, 4 and 8 minutes
FIRST_PAUSE_SECONDS = 60
TIME_LIMIT_SECONDS = 60


def announce(run: Run) -> None:
    """Once the end is committed, send the notices of the run; none for a plan that was never started."""
    if run.confirmed_at is None:
        return
    if run.notify_email:
        transaction.on_commit(lambda: mail_end.delay(run.pk), robust=True)
    if run.notify_url:
        transaction.on_commit(lambda: post_end.delay(run.pk), robust=True)


def announce_blocked(run: Run, detail: str) -> None:
    """Once it is committed that the run cannot be torn down: its owner as at the end, and the operators."""
    if run.notify_email:
        transaction.on_commit(lambda: mail_blocked.delay(run.pk, detail), robust=True)
    if run.notify_url:
        transaction.on_commit(lambda: post_end.delay(run.pk), robust=True)
    if settings.ADMINS:
        transaction.on_commit(lambda: mail_operators.delay(run.pk, detail), robust=True)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail_blocked(self: Task, run_id: int, detail: str) -> None:
    """One email to the owner of a run that cannot be torn down."""
    run = Run.objects.select_related("owner").get(pk=run_id)
    address = verified_address(run.owner)
    if address is None:
        _note(run, "no email was sent: the account no longer has a verified address")
        return
    try:
        send_mail(_blocked_subject(run), _blocked_body(run, detail), None, [address])
    except (OSError, SMTPException) as error:
        _retry(self, run, f"the email could not be sent: {type(error).__name__}", error)
    else:
        _note(run, "an email was sent: the run cannot be torn down")


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail_operators(self: Task, run_id: int, detail: str) -> None:
    """One email to ADMINS about a run that cannot be torn down."""
    run = Run.objects.get(pk=run_id)
    try:
        mail_admins(_blocked_subject(run), _blocked_body(run, detail))
    except (OSError, SMTPException) as error:
        _retry(self, run, f"the email to the operators could not be sent: {type(error).__name__}", error)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail_end(self: Task, run_id: int) -> None:
    """One email to the owner."""
    run = Run.objects.select_related("owner", "submission").get(pk=run_id)
    address = verified_address(run.owner)
    if address is None:
        _note(run, "no email was sent: the account no longer has a verified address")
        return
    try:
        send_mail(f"Run {run.pk} {_outcome(run)}: {run.title}", _body(run), None, [address])
    except (OSError, SMTPException) as error:
        _retry(self, run, f"the email could not be sent: {type(error).__name__}", error)
    else:
        _note(run, "an email was sent")


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def post_end(self: Task, run_id: int) -> None:
    """One POST to the webhook of the run."""
    run = Run.objects.select_related("owner", "submission").get(pk=run_id)
    try:
        status = webhook.post(run.notify_url, content_of(run))
    except webhook.Refused as error:
        _note(run, f"the webhook was not called: its URL {error}")
    except webhook.Undelivered as error:
        _retry(self, run, f"the webhook was not delivered: {error}", error)
    else:
        _note(run, f"the webhook was delivered: status {status}")


def content_of(run: Run) -> dict[str, Any]:
    """The body of a webhook. `total_usd` is a string; null when the price of a machine is unknown."""
    return {
        "run": run.pk,
        "url": _address(run.get_absolute_url()),
        "title": run.title,
        "status": run.status,
        "end_reason": run.end_reason,
        "ended_at": run.ended_at and run.ended_at.isoformat(),
        "blocked_since": run.blocked_since and run.blocked_since.isoformat(),
        "submission_url": run.submission and _address(run.submission.get_absolute_url()),
        "total_usd": _total_usd(run),
    }


def _body(run: Run) -> str:
    content = content_of(run)
    usd = "unknown, because a price is missing" if content["total_usd"] is None else f"{content['total_usd']} USD"
    lines = [f"The run {_outcome(run)} ({run.get_end_reason_display()})."]
    lines += [run.end_detail] if run.end_detail else []
    lines += [f"Cost of its machines: {usd}", f"Run: {content['url']}"]
    lines += [f"Result: {content['submission_url']}"] if content["submission_url"] else []
    return "\n".join([run.title, "", *lines]) + "\n"


def _blocked_subject(run: Run) -> str:
    return f"Run {run.pk} cannot be torn down: {run.title}"


def _blocked_body(run: Run, detail: str) -> str:
    lines = [
        f"The run {detail}.",
        "It may cost money: delete what is left, or restore this site's access. The site keeps trying.",
        f"Run: {_address(run.get_absolute_url())}",
    ]
    return "\n".join([run.title, "", *lines]) + "\n"


def _outcome(run: Run) -> str:
    return {RunStatus.SUCCEEDED: "succeeded", RunStatus.CANCELLED: "was cancelled"}.get(RunStatus(run.status), "failed")


def _total_usd(run: Run) -> str | None:
    if run.receipt:
        total: str | None = run.receipt["total_usd"]
        return total
    usd = cost_so_far(run, run.ended_at)
    return None if usd is None else str(usd)


def _retry(task: Task, run: Run, what: str, error: Exception) -> None:
    if task.request.retries >= RETRIES:
        _note(run, f"{what} ({RETRIES + 1} attempts)")
        return
    raise task.retry(exc=error, countdown=FIRST_PAUSE_SECONDS * 2**task.request.retries)


def _note(run: Run, message: str) -> None:
    RunEvent.objects.create(run=run, kind=EventKind.NOTE, message=message[:1000])


def _address(path: str) -> str:
    return f"{settings.SITE_URL}{path}"
