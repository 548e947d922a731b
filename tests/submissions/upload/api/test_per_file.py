"""One POST with many files: an outcome for each; what is bad stops nothing that is good."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.models import Submission
from tests.documents import metadata
from tests.files import stress_log, uploaded
from tests.submissions.logs import form

pytestmark = pytest.mark.django_db

PER_FILE = "?per_file=true"


def mixed(**fields):
    same = stress_log("cs50-10")
    again = SimpleUploadedFile("again.log", same.read_bytes() + b"\n")
    picture = SimpleUploadedFile("cluster.png", b"\x89PNG\r\n\x1a\n" + bytes(200))
    meta = {name: value for name, value in metadata().items() if name != "measured_at"}
    return form(uploaded(same), picture, uploaded(stress_log("cs50-02")), again, meta=meta, **fields)


def test_each_file_has_its_outcome_and_trials_are_grouped(caller):
    response = caller.upload(mixed(), PER_FILE)

    assert response.status_code == 207, response.content
    first, picture, other, again = response.json()["files"]
    assert (first["status"], first["tool"], first["latency_p99_ms"]) == (201, "cassandra-stress", 194.6)
    assert (first["result"], again["result"]) == (1, 1)
    assert (picture["status"], picture["result"]) == (400, None)
    assert picture["errors"][0]["detail"].startswith("cluster.png is ")
    assert other["result"] == 2
    submissions = response.json()["submissions"]
    assert Submission.objects.count() == len(submissions) == 2
    assert submissions[first["submissions"][0]]["trials_count"] == 2


def test_the_same_files_again_are_known_and_nothing_is_stored_twice(caller):
    caller.upload(mixed(), PER_FILE)
    response = caller.upload(mixed(), PER_FILE)

    assert [file["status"] for file in response.json()["files"]] == [200, 400, 200, 200]
    assert Submission.objects.count() == 2


def test_a_dry_run_stores_nothing_and_stated_results_are_followed(caller):
    response = caller.upload(mixed(result=["a", "", "", "b"]), f"{PER_FILE}&dry_run=true")

    results = [file["result"] for file in response.json()["files"]]
    assert results == [1, None, 3, 2]
    assert not Submission.objects.exists()


def test_more_than_a_request_may_hold_is_refused_as_a_whole(caller, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1000

    response = caller.upload(mixed(), PER_FILE)

    assert response.status_code == 413
    assert response.json()["errors"][0]["pointer"] == "#/log"
