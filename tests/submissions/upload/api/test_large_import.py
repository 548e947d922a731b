"""Large imports: 202, a worker, a status."""

from datetime import timedelta
from threading import Event

import pytest
from celery.signals import task_postrun
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from kombu.exceptions import OperationalError

from submissions import tasks
from submissions.models import Artifact, Submission, Upload
from tests.factories import SubmissionFactory, UserFactory
from tests.submissions.logs import LOGS, QUORUM, form, log, zipped


@pytest.fixture
def only_by_a_worker(settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1_000


@pytest.fixture
def finished():
    """Set when a worker has ended a task: its threads are this process's."""
    event = Event()

    def tell(sender, **_):
        if sender.name == "submissions.tasks.finish_upload":
            event.set()

    task_postrun.connect(tell)
    yield event
    task_postrun.disconnect(tell)


@pytest.mark.usefixtures("only_by_a_worker", "celery_worker")
def test_a_large_upload_is_read_by_a_worker_with_the_same_outcome(caller, client, finished):
    response = caller.upload(form(log(QUORUM)))

    assert finished.wait(60)
    status = client.get(response.json()["status_url"]).json()

    submission = Submission.objects.get()
    page = f"http://testserver/submissions/{submission.pk}/"
    assert response.status_code == 202
    assert status == {"status": "done", "submission": page, "submissions": [page], "errors": []}
    assert (submission.trust, submission.submitted_by.username) == ("log_verified", "demo")
    assert default_storage.open(Artifact.objects.first().storage_name).read() == QUORUM.read_bytes()


@pytest.mark.usefixtures("only_by_a_worker", "celery_worker")
def test_a_large_upload_that_is_refused_says_why(caller, client, finished):
    response = caller.upload(form(log(LOGS / "cs50-12-all-unavailable-ignored-zero-ops.log")))

    assert finished.wait(60)
    status = client.get(response.json()["status_url"]).json()

    assert (status["status"], status["submission"]) == ("failed", None)
    assert [error["pointer"] for error in status["errors"]] == ["#/log/0"]
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("only_by_a_worker")
def test_an_upload_waits_until_a_worker_comes(caller, client, redis_client):
    response = caller.upload(form(log(QUORUM)))

    assert client.get(response.json()["status_url"]).json() == {
        "status": "queued",
        "submission": None,
        "submissions": [],
        "errors": [],
    }


@pytest.mark.usefixtures("only_by_a_worker", "nothing_is_stored")
def test_a_large_file_that_cannot_be_opened_is_refused_at_once(caller, faults):
    assert list(faults(caller.upload(form(log(zipped("../x", QUORUM.read_bytes())))))) == ["#/log/0"]


@pytest.mark.django_db
def test_the_status_of_a_finished_upload_has_its_submissions_in_order_and_reads_no_documents(client):
    submissions = [SubmissionFactory(), SubmissionFactory()]
    upload = Upload.objects.create(owner=UserFactory(), status=Upload.Status.DONE)
    upload.submissions.set(submissions)

    with CaptureQueriesContext(connection) as queries:
        status = client.get(f"/api/v1/uploads/{upload.pk}/").json()

    assert status["submissions"] == [f"http://testserver/submissions/{submission.pk}/" for submission in submissions]
    assert status["submission"] == status["submissions"][0]
    assert not [query["sql"] for query in queries if '"document"' in query["sql"]]


def test_a_form_that_is_still_being_filled_in_has_no_status(caller, client, faults):
    upload = Upload.objects.create(owner=caller.user)

    faults(client.get(f"/api/v1/uploads/{upload.pk}/"), 404)


def queued(caller, hours):
    upload = Upload.objects.create(owner=caller.user, status=Upload.Status.QUEUED)
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - timedelta(hours=hours))
    return upload


@pytest.mark.usefixtures("celery_worker")
def test_what_a_lost_message_left_behind_is_delivered_again(caller, finished):
    lost, fresh = queued(caller, hours=1), queued(caller, hours=0)

    tasks.resume_uploads()

    assert finished.wait(60)
    lost.refresh_from_db()
    fresh.refresh_from_db()
    assert (lost.status, lost.errors) == ("failed", [{"pointer": "#/files", "detail": "no file was sent"}])
    assert fresh.status == "queued"


@pytest.mark.usefixtures("celery_worker")
def test_an_upload_that_breaks_the_worker_s_code_ends_as_failed(caller, client, finished):
    upload = queued(caller, hours=0)
    Upload.objects.filter(pk=upload.pk).update(
        files=[{"name": "lost.log", "sha256": "0" * 64, "size_bytes": 1, "trial": ""}]
    )

    tasks.finish_upload.delay(str(upload.pk))

    assert finished.wait(60)
    status = client.get(f"/api/v1/uploads/{upload.pk}/").json()
    assert status["status"] == "failed"
    assert "an error on our side" in status["errors"][0]["detail"]


def test_a_message_delivered_twice_does_no_harm(caller):
    upload = queued(caller, hours=0)
    Upload.objects.filter(pk=upload.pk).update(status=Upload.Status.DONE)

    tasks.finish_upload(str(upload.pk))

    upload.refresh_from_db()
    assert upload.status == "done"


def test_a_log_that_was_read_for_its_preview_has_all_attempts_left_for_storing_it(caller):
    waiting = {"status": Upload.Status.QUEUED, "for_preview": True}
    upload = tasks.uploads.stage([log(QUORUM)], {}, owner=caller.user, **waiting)
    Upload.objects.filter(pk=upload.pk).update(attempts=2)

    tasks.finish_upload(str(upload.pk))

    upload.refresh_from_db()
    assert (upload.status, upload.attempts) == ("staged", 0)


@pytest.mark.django_db
def test_while_the_site_is_busy_a_worker_reads_small_logs_too(caller, redis_client):
    response = caller.upload(form(log(QUORUM)), **{"benchsite.waited_seconds": 3.0})

    assert response.status_code == 202
    assert Upload.objects.get().status == Upload.Status.QUEUED


@pytest.mark.django_db
def test_an_upload_that_no_queue_takes_waits_in_the_database(monkeypatch):
    def refuse(upload_id):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.finish_upload, "delay", refuse)

    tasks.deliver("any")  # `resume_uploads` sends it again
