"""One worker at a time reads an upload; one that is killed is followed by another within two minutes."""

import multiprocessing
import os
import signal
import threading
from datetime import timedelta
from threading import Event

import pytest
from celery.signals import task_postrun, worker_ready
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from submissions import tasks
from submissions.ingest import upload_hold, uploads
from submissions.models import Submission, Upload
from tests.factories import UserFactory
from tests.lab.waiting import wait_for
from tests.submissions.logs import QUORUM, log, metadata

MINUTE = timedelta(minutes=1)
BEATS_EACH_SECONDS = settings.CELERY_BEAT_SCHEDULE["resume uploads"]["schedule"]


@pytest.fixture
def queued(transactional_db):
    return uploads.stage([log(QUORUM)], metadata(), owner=UserFactory(), status=Upload.Status.QUEUED)


@pytest.fixture
def finished():
    """Set when a worker has ended a reading: its threads are this process's."""
    event = Event()

    def tell(sender, **_):
        if sender.name == "submissions.tasks.finish_upload":
            event.set()

    task_postrun.connect(tell)
    yield event
    task_postrun.disconnect(tell)


def later(upload, by):
    """As if so much time had passed since."""
    signed_at = Upload.objects.get(pk=upload.pk).heartbeat_at or upload.created_at
    Upload.objects.filter(pk=upload.pk).update(heartbeat_at=signed_at - by)


def status_and_attempts(upload):
    return Upload.objects.values_list("status", "attempts").get(pk=upload.pk)


@pytest.fixture
def killed_in(queued):
    """A function: a worker that is killed -9 while it reads the upload."""

    def kill():
        reading, writing = os.pipe()

        def be_the_worker():
            connection.connection = None  # the parent's: to close it would close it for both
            uploads.finish = lambda upload: (os.write(writing, b"."), signal.pause())
            tasks.finish_upload(str(queued.pk))

        worker = multiprocessing.get_context("fork").Process(target=be_the_worker)
        worker.start()
        os.close(writing)
        assert os.read(reading, 1) == b"."
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        os.close(reading)

    return kill


def test_what_a_killed_worker_was_reading_is_read_by_another_within_two_minutes(
    queued, killed_in, celery_worker, finished
):
    killed_in()
    tasks.resume_uploads()
    assert status_and_attempts(queued) == ("running", 1)  # it may live: there is a sign of a moment ago

    later(queued, by=2 * MINUTE - timedelta(seconds=BEATS_EACH_SECONDS))
    tasks.resume_uploads()

    assert finished.wait(60)
    assert status_and_attempts(queued) == ("done", 2)
    assert Submission.objects.count() == 1


def test_a_log_that_kills_its_worker_again_and_again_ends_as_failed(queued, killed_in, redis_client):
    for _ in range(upload_hold.MAX_ATTEMPTS):
        killed_in()
        later(queued, by=2 * MINUTE)
        tasks.resume_uploads()

    tasks.finish_upload(str(queued.pk))

    queued.refresh_from_db()
    assert (queued.status, queued.attempts) == ("failed", upload_hold.MAX_ATTEMPTS)
    assert "interrupted 3 times" in queued.errors[0]["detail"]


def test_a_second_message_does_nothing_while_a_living_worker_reads(queued, monkeypatch):
    seen = []

    def finish(upload):
        tasks.finish_upload(str(upload.pk))  # the same upload comes to another worker
        seen.append(status_and_attempts(upload))

    monkeypatch.setattr(uploads, "finish", finish)

    tasks.finish_upload(str(queued.pk))

    assert seen == [("running", 1)]


def test_a_worker_that_reads_for_long_keeps_its_hold(queued, monkeypatch):
    monkeypatch.setattr(upload_hold, "HEARTBEAT_SECONDS", 0.01)
    upload = upload_hold.take(str(queued.pk))

    with upload_hold.heartbeat(upload):
        later(queued, by=10 * MINUTE)
        signed = Upload.objects.filter(pk=queued.pk, heartbeat_at__gt=Now() - MINUTE)
        wait_for(signed.exists, "a heartbeat")
        assert upload_hold.queue_again(10 * MINUTE) == []

    assert heartbeats() == []


def test_a_heartbeat_survives_an_outage_of_the_database(queued, monkeypatch, caplog):
    monkeypatch.setattr(upload_hold, "HEARTBEAT_SECONDS", 0.01)
    upload = upload_hold.take(str(queued.pk))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE submissions_upload RENAME TO away")
        with upload_hold.heartbeat(upload):
            wait_for(lambda: "no heartbeat" in caplog.text, "an error")
            cursor.execute("ALTER TABLE away RENAME TO submissions_upload")
            later(queued, by=10 * MINUTE)
            wait_for(Upload.objects.filter(pk=queued.pk, heartbeat_at__gt=Now() - MINUTE).exists, "a heartbeat")


def test_a_lost_message_is_sent_again_after_a_minute_and_no_sooner(queued, redis_client):
    assert upload_hold.queue_again(MINUTE) == []

    later(queued, by=MINUTE)

    assert upload_hold.queue_again(MINUTE) == [queued.pk]
    assert upload_hold.queue_again(MINUTE) == []  # it was just sent


def test_while_messages_wait_in_a_long_queue_none_is_sent_twice(queued, redis_client):
    tasks.deliver(queued.pk)
    later(queued, by=5 * MINUTE)

    tasks.resume_uploads()

    assert redis_client.llen(f"{settings.REDIS_PREFIX}:{settings.DEFAULT_QUEUE}") == 1


def test_with_an_empty_queue_what_waits_is_sent_again(queued, redis_client):
    later(queued, by=5 * MINUTE)

    tasks.resume_uploads()
    tasks.resume_uploads()

    assert redis_client.llen(f"{settings.REDIS_PREFIX}:{settings.DEFAULT_QUEUE}") == 1


def test_a_worker_that_starts_sends_everything_again_that_waits(queued, celery_worker, finished):
    later(queued, by=timedelta(seconds=30))  # its message went with the worker before

    worker_ready.send(sender=celery_worker)

    assert finished.wait(60)
    assert status_and_attempts(queued) == ("done", 1)


def heartbeats():
    return [thread for thread in threading.enumerate() if thread.name == "heartbeat"]
