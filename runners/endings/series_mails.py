"""Mails about more than a single run: a series that has ended, a schedule without the result that was due."""

from smtplib import SMTPException

from celery import Task, shared_task
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction

from benchsite.notifications.addresses import verified_address
from runners.choices import RunStatus
from runners.endings.run_notices import FIRST_PAUSE_SECONDS, RETRIES, TIME_LIMIT_SECONDS
from runners.models import Series


def announce_series(series: Series) -> None:
    """Once the end is committed, one mail to the owner, where the order asks for it."""
    if not series.notify_email:
        return
    cells = list(series.cells.filter(is_current=True).select_related("run"))
    good = sum(cell.status == RunStatus.SUCCEEDED for cell in cells)
    lines = [
        series.title,
        "",
        f"{good} of {len(cells)} runs have a result.",
        f"{settings.SITE_URL}{series.get_absolute_url()}",
    ]
    send(series.owner, f"Series {series.pk} {series.get_status_display()}: {series.title}", "\n".join(lines) + "\n")


def send(user: User, subject: str, body: str) -> None:
    """Once the transaction is committed, to the verified address of the account, if it has any."""
    transaction.on_commit(lambda: mail.delay(user.pk, subject, body), robust=True)


@shared_task(bind=True, ignore_result=True, max_retries=RETRIES, time_limit=TIME_LIMIT_SECONDS)
def mail(self: Task, user_id: int, subject: str, body: str) -> None:
    """A mail server that does not answer is tried again."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    address = verified_address(user) if user else None
    if address is None:
        return
    try:
        send_mail(subject, body, None, [address])
    except (OSError, SMTPException) as error:
        if self.request.retries < RETRIES:
            raise self.retry(exc=error, countdown=FIRST_PAUSE_SECONDS * 2**self.request.retries) from error
