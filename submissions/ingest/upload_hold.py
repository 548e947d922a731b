"""An upload is read by one worker at a time, which signs the row while it lives; the hold of a dead one ends."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from submissions.models import Upload

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3  # a log that ends its worker would be delivered again for ever
HEARTBEAT_SECONDS = 15.0
LOST_AFTER = timedelta(minutes=1)  # four heartbeats are missing: the worker is dead, or no better than dead
_STOP_SECONDS = 5  # for a heartbeat that just waits for the database


def take(upload_id: str) -> Upload | None:
    """Hold a queued upload and count the attempt before it begins: a killed worker cannot count.

    None where another worker holds it, where it waits no more, and after the last attempt, which fails it.
    """
    queued = Upload.objects.filter(pk=upload_id, status=Upload.Status.QUEUED)
    held = {"status": Upload.Status.RUNNING, "attempts": F("attempts") + 1, "heartbeat_at": Now()}
    if queued.filter(attempts__lt=MAX_ATTEMPTS).update(**held):
        return Upload.objects.get(pk=upload_id)
    reason = (
        f"reading it was interrupted {MAX_ATTEMPTS} times, probably because it needs more memory than a worker has:"
        " split it into smaller logs, or remove what is not the tool's output, and upload it again"
    )
    failed = {"status": Upload.Status.FAILED, "errors": [{"pointer": "#", "detail": reason}]}
    queued.filter(attempts__gte=MAX_ATTEMPTS).update(**failed)
    return None


@contextmanager
def heartbeat(upload: Upload) -> Iterator[None]:
    """Sign the row meanwhile, from a thread: the work may be minutes in one loop without a place for it.

    The time limits of the task bound it: a worker that hangs is killed with its thread.
    """
    stop = Event()
    thread = Thread(target=_sign, args=(upload.pk, stop), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_STOP_SECONDS)


def _sign(pk: UUID, stop: Event) -> None:
    while not stop.wait(HEARTBEAT_SECONDS):
        try:
            # by the database's clock: those of workers may differ
            Upload.objects.filter(pk=pk, status=Upload.Status.RUNNING).update(heartbeat_at=Now())
        except DatabaseError as error:
            log.warning("no heartbeat of upload %s: %s", pk, error)
        finally:
            connection.close()  # this thread's own


def queue_again(queued_for: timedelta) -> list[UUID]:
    """Put back what lost its worker, and what has waited for so long since it was last sent; each is to be sent."""
    signed_at = Coalesce("heartbeat_at", "created_at")
    lost = Q(status=Upload.Status.RUNNING, signed_at__lt=Now() - LOST_AFTER)
    overdue = Q(status=Upload.Status.QUEUED, signed_at__lt=Now() - queued_for)
    due = Upload.objects.alias(signed_at=signed_at).filter(lost | overdue)
    # each by itself and only while it is due: several workers may look at once
    return [
        pk
        for pk in due.order_by("created_at").values_list("pk", flat=True)
        if due.filter(pk=pk).update(status=Upload.Status.QUEUED, heartbeat_at=Now())
    ]
