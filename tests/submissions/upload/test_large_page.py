"""A large log by the form: the form answers at once, a worker reads, the page shows progress and then the preview."""

from datetime import timedelta
from threading import Event

import pytest
from celery.signals import task_postrun
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from submissions import tasks
from submissions.models import Submission, Upload
from tests.factories import SubmissionFactory, UserFactory
from tests.submissions.upload.test_page import FORM, NEW, log_file, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def uploader(client, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1_000
    user = UserFactory()
    client.force_login(user)
    return user


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


@pytest.mark.usefixtures("celery_worker")
def test_a_large_log_is_previewed_once_a_worker_has_read_it_and_saved_only_by_the_user(client, uploader, finished):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]})

    assert finished.wait(60)
    response = client.get(page.url)

    assert (page.status_code, response.status_code) == (302, 200)
    assert [row["result"].operations for row in response.context["results"]] == [30000]
    assert "Review your result" in text(response)
    assert not Submission.objects.exists()

    client.post(page.url, {**FORM, "action": "save"})
    submission = Submission.objects.get()
    assert submission.submitted_by == uploader
    assert submission.artifacts.filter(kind="intervals").exists()


@pytest.mark.usefixtures("uploader", "redis_client")
def test_until_then_the_page_shows_progress_and_asks_again_with_and_without_javascript(client):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url

    whole, part = client.get(page), client.get(page, headers={"HX-Request": "true"})

    assert "Your files have been received and are waiting to be read." in text(whole)
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in text(whole)
    assert f'hx-get="{page}" hx-trigger="every 2s"' in text(whole)
    assert text(part).startswith('<div id="progress"')
    Upload.objects.update(status=Upload.Status.RUNNING)
    assert "Reading the results" in text(client.get(page))
    assert client.post(page, {**FORM, "action": "save"}).status_code == 200
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("uploader", "celery_worker")
def test_the_poll_that_finds_the_log_read_loads_the_page_again(client, finished):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url
    assert finished.wait(60)

    assert client.get(page, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"


def test_the_address_of_a_finished_upload_leads_to_what_was_published(client, uploader):
    first, second = SubmissionFactory(submitted_by=uploader), SubmissionFactory(submitted_by=uploader)
    upload = Upload.objects.create(owner=uploader, status=Upload.Status.DONE)
    upload.submissions.set([second, first])

    with CaptureQueriesContext(connection) as queries:
        response = client.get(f"{NEW}{upload.pk}/")

    assert (response.status_code, response.url) == (302, f"{NEW}{upload.pk}/published/")
    assert not [query["sql"] for query in queries if '"document"' in query["sql"]]


@pytest.mark.usefixtures("uploader", "celery_worker")
def test_a_large_log_that_cannot_be_imported_says_why_on_the_same_page(client, finished):
    page = client.post(NEW, {"log": [log_file("cs50-12-all")]}).url
    assert finished.wait(60)

    response = client.get(page)

    assert "Could not import:" in text(response)
    assert "all 200 of 200 operations failed" in text(response)
    assert 'type="file"' in text(response)


@pytest.mark.usefixtures("uploader", "celery_worker")
def test_a_log_that_a_dead_worker_left_behind_is_read_by_another(client, finished, redis_client):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url
    assert finished.wait(60)
    finished.clear()
    upload = Upload.objects.get()
    default_storage.delete(f"readings/{upload.pk}.json.gz")
    an_hour_ago = timezone.now() - timedelta(hours=1)
    Upload.objects.update(status=Upload.Status.RUNNING, heartbeat_at=an_hour_ago)

    tasks.resume_uploads()

    assert finished.wait(60)
    assert "Review your result" in text(client.get(page))


@pytest.mark.usefixtures("uploader", "celery_worker")
def test_a_large_reading_that_was_lost_is_made_again_by_a_worker_and_the_facts_stay(client, finished):
    page = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url
    assert finished.wait(60)
    finished.clear()
    default_storage.delete(f"readings/{Upload.objects.get().pk}.json.gz")

    response = client.post(page, {**FORM, "notes": "quiet night", "action": "save"})

    assert (response.status_code, response.url) == (302, page)
    assert finished.wait(60)
    assert client.get(page).context["facts"]["notes"].value() == "quiet night"
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("uploader")
def test_two_workers_with_the_same_upload_leave_what_was_saved_meanwhile(client, redis_client):
    client.post(NEW, {"log": [log_file("cs50-10-3node")]})
    upload = Upload.objects.get()
    upload.status = Upload.Status.RUNNING
    Upload.objects.update(status=Upload.Status.DONE)

    tasks.uploads.read_for_preview(upload)

    upload.refresh_from_db()
    assert upload.status == Upload.Status.DONE
