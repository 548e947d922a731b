"""Uploads that wait: staged for their facts, finished once."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage

from benchsite.http.refusals import Refusal
from submissions.ingest import uploads
from submissions.models import Submission, Upload
from tests.documents import metadata
from tests.factories import UserFactory
from tests.files import stress_log, uploaded

pytestmark = pytest.mark.django_db


def staged(start, given):
    return uploads.stage([uploaded(stress_log(start))], given, owner=UserFactory())


def test_nothing_is_stored_before_the_facts_are_complete():
    upload = staged("cs50-10-3node", {})

    with pytest.raises(Refusal) as caught:
        uploads.prepare(upload)

    assert {fault.pointer for fault in caught.value.faults} == {"#/service", "#/provider", "#/nodes"}
    assert not Submission.objects.exists()


def test_facts_that_come_later_complete_the_upload():
    upload = staged("cs50-10-3node", {})

    [prepared] = uploads.prepare(upload, metadata())
    assert prepared.document.workload.threads == 24
    [stored] = uploads.finish(upload, metadata())

    upload.refresh_from_db()
    assert (upload.status, list(upload.submissions.all())) == (Upload.Status.DONE, [stored.submission])
    assert stored.submission.submitted_by == upload.owner


def test_finishing_twice_finds_the_first():
    upload = staged("cs50-10-3node", metadata())

    [first] = uploads.finish(upload)
    [again] = uploads.finish(upload)

    assert (first.created, again.created) == (True, False)
    assert Submission.objects.count() == 1


def test_a_refusal_is_remembered_with_its_reasons():
    upload = staged("cs50-12-all", metadata())

    with pytest.raises(Refusal):
        uploads.finish(upload)

    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert upload.errors[0]["pointer"] == "#/files/0"
    assert "all 200 of 200 operations failed" in upload.errors[0]["detail"]
    assert not Submission.objects.exists()


def test_the_same_bytes_stand_once_in_the_storage():
    staged("cs50-10-3node", {})
    upload = staged("cs50-10-3node", {})

    sha256 = upload.files[0]["sha256"]
    assert default_storage.listdir(sha256[:2])[1] == [sha256]


def test_what_nobody_completed_in_a_day_is_forgotten():
    upload = staged("cs50-10-3node", {})

    assert uploads.forget_stale(upload.created_at + timedelta(hours=23)) == 0
    assert uploads.forget_stale(upload.created_at + timedelta(hours=25)) == 1
    assert not Upload.objects.exists()


def test_what_was_completed_is_kept():
    uploads.finish(staged("cs50-10-3node", metadata()))

    assert uploads.forget_stale(Upload.objects.get().created_at + timedelta(days=2)) == 0
    assert Upload.objects.exists()
