"""Tells whoever wanted to know that a run has ended; whether they can be told never matters to the run."""

from smtplib import SMTPException
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from runners.choices import EventKind
from runners.endings import receipt, webhook
from runners.models import Run, RunEvent

RETRIES = 4  # after 1, 2, 4 and 8 minutes
FIRST_PAUSE_SECONDS = 60
TIME_LIMIT_SECONDS = 60


def announce(run: Run) -> None:
    """Once the end is committed, send what the owner asked for. A plan that was never started ends in silence."""
    if run.confirmed_at is None:
        return
    if run.notify_email:
        transaction.on_commit(lambda: mail_end.delay(run.pk), robust=True)
    if run.notify_url:
        transaction.on_commit(lambda: post_end.delay(run.pk), robust=True)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail_end(self: Task, run_id: int) -> None:
    """One e-mail to the owner."""
    run = Run.objects.select_related("owner", "submission").get(pk=run_id)
    if not run.owner.email:
        _note(run, "no e-mail was sent: the account has no address any more")
        return
    try:
        send_mail(f"Run {run.pk} {_word(run)}: {run.title}", _letter(run), None, [run.owner.email])
    except (OSError, SMTPException) as error:
        _again(self, run, f"the e-mail could not be sent: {type(error).__name__}", error)
    else:
        _note(run, "an e-mail was sent")


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def post_end(self: Task, run_id: int) -> None:
    """One POST to the address that the run was placed with."""
    run = Run.objects.select_related("owner", "submission").get(pk=run_id)
    try:
        status = webhook.post(run.notify_url, content_of(run))
    except webhook.Refused as error:
        _note(run, f"the webhook was not called: its address {error}")
    except webhook.Undelivered as error:
        _again(self, run, f"the webhook was not delivered: {error}", error)
    else:
        _note(run, f"the webhook was delivered: status {status}")


def content_of(run: Run) -> dict[str, Any]:
    """What a webhook is told. `total_usd` is a string; null when a machine's price is unknown."""
    return {
        "run": run.pk,
        "url": _address(run.get_absolute_url()),
        "title": run.title,
        "status": run.status,
        "end_reason": run.end_reason,
        "ended_at": run.ended_at and run.ended_at.isoformat(),
        "submission_url": run.submission and _address(run.submission.get_absolute_url()),
        "total_usd": _total_usd(run),
    }


def _letter(run: Run) -> str:
    told = content_of(run)
    usd = "not known: a price is missing" if told["total_usd"] is None else f"{told['total_usd']} USD"
    lines = [f"{run.title}", "", f"The run {_word(run)} ({run.get_end_reason_display()}).", run.end_detail]
    lines += [f"Cost of its machines: {usd}", f"Run: {told['url']}"]
    lines += [f"Submission: {told['submission_url']}"] if told["submission_url"] else []
    return "\n".join(line for index, line in enumerate(lines) if line or index == 1) + "\n"


def _word(run: Run) -> str:
    return {"succeeded": "has succeeded", "cancelled": "was cancelled"}.get(run.status, "has failed")


def _total_usd(run: Run) -> str | None:
    if run.receipt:
        return run.receipt["total_usd"]
    usd = receipt.cost_so_far(run, run.ended_at)
    return None if usd is None else str(usd)


def _again(task: Task, run: Run, what: str, error: Exception) -> None:
    if task.request.retries >= RETRIES:
        _note(run, f"{what}; it was tried {RETRIES + 1} times")
        return
    raise task.retry(exc=error, countdown=FIRST_PAUSE_SECONDS * 2**task.request.retries)


def _note(run: Run, message: str) -> None:
    RunEvent.objects.create(run=run, kind=EventKind.NOTE, message=message[:1000])


def _address(path: str) -> str:
    return f"{settings.SITE_URL}{path}"
