"""Background work on submissions: translates an id into a row and calls the flow."""

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from benchsite.http.refusals import Refusal
from submissions import password_reset
from submissions.aggregates import check, store
from submissions.dataset import first, write
from submissions.follows import detect, notices
from submissions.ingest import upload_hold, uploads
from submissions.ingest.changes import change
from submissions.ingest.checks import reproduced_trust
from submissions.ingest.curves import stored_curves
from submissions.models import ShortLink, Upload
from submissions.packs import slices
from submissions.pricing.book import book_file, refresh
from submissions.records.list.counts import count_ages

log = logging.getLogger(__name__)

WAITING = (Upload.Status.QUEUED, Upload.Status.RUNNING)
READ_LIMIT_SECONDS = 20 * 60
FIRST_PAGE_SECONDS = 5  # it comes first
# A message that waits as long behind others is not lost; sent again all the same, it finds its upload read
LONG_QUEUE = timedelta(minutes=10)
JUST_SENT_SECONDS = 10  # several workers may start at once


class _UploadTask(Task):
    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Our bug, which Celery has logged: the uploader must not wait for ever."""
        Upload.objects.filter(pk=args[0], status__in=WAITING).update(
            status=Upload.Status.FAILED,
            errors=[{"pointer": "#", "detail": "an error on our side: it was logged and will be investigated"}],
        )


# the soft limit ends as a failure that the uploader sees; the hard one is for what ignores it
@shared_task(base=_UploadTask, soft_time_limit=READ_LIMIT_SECONDS, time_limit=READ_LIMIT_SECONDS + 60)
def finish_upload(upload_id: str) -> None:
    """Read a large upload, for its preview or to store it. Safe to deliver twice: one worker at a time holds it."""
    upload = upload_hold.take(upload_id)
    if upload is None:
        return
    try:
        with upload_hold.heartbeat(upload):
            if upload.for_preview:
                uploads.read_for_preview(upload)
            else:
                uploads.finish(upload)
    except Refusal:
        return  # the upload's errors have the reasons


def deliver(upload_id: object) -> None:
    """Send an upload to a worker. Where no queue can be reached it waits for `resume_uploads`: it is stored already."""
    try:
        finish_upload.delay(str(upload_id))
    except (BrokerError, RedisError) as error:
        log.warning("upload %s waits: %s", upload_id, error)


@worker_ready.connect(dispatch_uid="submissions")
def go_on(sender: Any, **_: Any) -> None:
    """With what an earlier worker or version of the site has left. Workers of runs leave it to the others."""
    if settings.DEFAULT_QUEUE not in sender.app.amqp.queues.consume_from:
        return
    # messages that a killed worker had taken come back only after an hour
    resume_uploads.delay(queued_for_seconds=JUST_SENT_SECONDS)
    for task in (write_price_files, make_interval_curves):
        task.apply_async(countdown=FIRST_PAGE_SECONDS)
    if settings.PACKS:
        load_packs.apply_async(countdown=slices.FIRST_AFTER_SECONDS)


@shared_task(soft_time_limit=READ_LIMIT_SECONDS, time_limit=READ_LIMIT_SECONDS + 60)
def load_packs() -> None:
    """A slice of the measurements that come with the site, then the next: uploads get their turn between them."""
    again_after = slices.load_slice()
    if again_after is not None:
        load_packs.apply_async(countdown=again_after)
    else:
        dump_first_data.apply_async(countdown=first.AFTER_SECONDS)


@shared_task(soft_time_limit=READ_LIMIT_SECONDS, time_limit=READ_LIMIT_SECONDS + 60)
def make_interval_curves(after: int = 0) -> None:
    """A slice of those that are missing, then the next: uploads get their turn between them."""
    last = stored_curves.fill_slice(after)
    if last is not None:
        make_interval_curves.apply_async(kwargs={"after": last})


@shared_task(ignore_result=True)
def resume_uploads(queued_for_seconds: float | None = None) -> None:
    """Deliver again what a killed worker has left behind, and, when no message waits, what a lost one has."""
    if queued_for_seconds is not None:
        queued_for = timedelta(seconds=queued_for_seconds)
    else:
        queued_for = LONG_QUEUE if _messages_wait() else upload_hold.LOST_AFTER
    for pk in upload_hold.queue_again(queued_for):
        deliver(pk)


def _messages_wait() -> bool:
    with resume_uploads.app.connection_for_read() as broker:
        queue = broker.default_channel.queue_declare(settings.DEFAULT_QUEUE, passive=False)
    return bool(queue.message_count)


@shared_task(ignore_result=True)
def forget_stale_uploads() -> None:
    """Delete what was staged and never completed."""
    uploads.forget_stale(timezone.now())


@shared_task(ignore_result=True, autoretry_for=(OSError, SMTPException), retry_backoff=5, max_retries=5)
def mail_reset_link(email: str, site: str) -> None:
    """The link to choose a new password, to whoever has an account with this address."""
    password_reset.mail_link(email, site)


@shared_task(ignore_result=True)
def forget_unused_short_links() -> None:
    """Delete those of visitors that nobody has used for a year."""
    ShortLink.objects.forgotten(timezone.now().date()).delete()


@shared_task(ignore_result=True)
def look_for_reproductions_again() -> None:
    """Accounts that became old enough or verified since, or count no more."""
    reproduced_trust.look_again()


@shared_task(ignore_result=True)
def publish_embargoed() -> None:
    """What is to be done when an embargo ends; everybody sees the submission from that moment, done or not."""
    change.publish_embargoed()


@shared_task(ignore_result=True)
def refresh_figures() -> None:
    """Of workloads that have changed, or whose embargoes or waits have ended: readers have little to count."""
    store.refresh_all()
    count_ages()


@shared_task(ignore_result=True)
def check_figures() -> None:
    """Compare as many workloads, in random order, as a few minutes allow; `manage.py check_aggregates` compares all."""
    check.check_some()


@shared_task(ignore_result=True)
def refresh_prices() -> None:
    """Today's prices of the clouds, where credentials and the network allow."""
    refresh.load_nightly()
    write_price_files.delay()


@shared_task(ignore_result=True)
def write_price_files() -> None:
    """The price book as files, so that no reader waits for them."""
    book_file.make_current()


@shared_task(ignore_result=True)
def dump_dataset() -> None:
    """Write everything public to files, once a day."""
    write.write_nightly(timezone.now())


@shared_task(ignore_result=True)
def dump_first_data() -> None:
    """The first one of a new site, which does not wait for the night."""
    first.write_first(timezone.now())


@shared_task(ignore_result=True)
def watch_followed() -> None:
    """What changed in followed histories, and the notices about it."""
    detect.check_due()
    notices.notify_pending()
    notices.resume()


@shared_task(ignore_result=True)
def notify_quiet() -> None:
    """Once a day: followed histories without a new result for as long as their followers chose."""
    notices.notify_quiet()
