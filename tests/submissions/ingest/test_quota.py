"""What an account may store: over its limits nothing is stored, by no way in."""

import pytest

from submissions.ingest.quota import usage_of
from submissions.models import Artifact, Submission, Upload
from tests.factories import UserFactory, bearer
from tests.files import uploaded
from tests.pages import faults, text
from tests.submissions.logs import QUORUM, form, log

pytestmark = pytest.mark.django_db
LIMITS = pytest.mark.parametrize(("limit", "status"), [("MAX_USER_BYTES", 413), ("MAX_USER_BYTES_DAY", 429)])


@pytest.fixture
def ada(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def upload_by_form(client):
    return client.post("/submissions/new/", {"log": [uploaded(QUORUM)]})


@LIMITS
@pytest.mark.parametrize("in_request_bytes", [10_000_000, 10])
def test_a_form_over_the_limit_stores_nothing_and_says_the_limit(
    client, ada, settings, artifacts_folder, limit, status, in_request_bytes
):
    settings.IMPORT_IN_REQUEST_BYTES = in_request_bytes
    setattr(settings, limit, 1000)

    answer = upload_by_form(client)

    assert answer.status_code == status
    assert "your account" in text(answer)
    assert "the limit is 1,000" in text(answer)
    assert faults(answer) == []
    assert not Upload.objects.exists()
    assert not [path for path in artifacts_folder.rglob("*") if path.is_file()]


@LIMITS
@pytest.mark.parametrize("in_request_bytes", [10_000_000, 10])
def test_the_api_answers_with_a_problem(client, settings, artifacts_folder, limit, status, in_request_bytes):
    settings.IMPORT_IN_REQUEST_BYTES = in_request_bytes
    setattr(settings, limit, 1000)

    answer = client.post("/api/v1/submissions/import/", form(log(QUORUM)), **bearer())

    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert "the limit is 1,000" in answer.json()["errors"][0]["detail"]
    assert not Submission.objects.exists()
    assert not Upload.objects.exists()
    assert not [path for path in artifacts_folder.rglob("*") if path.is_file()]


def test_what_is_waiting_counts_and_is_not_counted_twice_once_it_is_stored(client, ada):
    upload_by_form(client)
    size = QUORUM.stat().st_size
    waiting = usage_of(ada)

    Upload.objects.update(status=Upload.Status.DONE)

    assert (waiting.total_bytes, waiting.day_bytes) == (size, size)
    assert usage_of(ada).total_bytes == 0


def test_each_upload_counts_until_the_limit(client, ada, settings):
    settings.MAX_USER_BYTES = QUORUM.stat().st_size * 2 + 10

    answers = [upload_by_form(client).status_code for _ in range(3)]

    assert answers == [302, 302, 413]


def test_files_of_yesterday_and_files_that_were_taken_away_do_not_count_for_today(client, ada):
    answer = client.post("/api/v1/submissions/import/", form(log(QUORUM)), **bearer(ada))
    stored = sum(artifact["size_bytes"] for artifact in answer.json()["submissions"][0]["artifacts"])
    assert usage_of(ada).day_bytes == stored

    Artifact.objects.update(created_at="2020-01-01T00:00:00Z")
    assert (usage_of(ada).total_bytes, usage_of(ada).day_bytes) == (stored, 0)
    Artifact.objects.update(removed_at="2020-01-02T00:00:00Z")
    assert usage_of(ada).total_bytes == 0


def test_the_account_page_shows_what_is_used(client, ada, settings):
    settings.MAX_USER_BYTES = 1024**3
    upload_by_form(client)

    page = client.get("/account/")

    assert "of 1.00 GiB" in text(page) or "of 1 GiB" in text(page)
    assert faults(page) == []


def test_a_form_cannot_be_sent_more_often_than_the_api(client, ada, settings, clear_cache, monkeypatch):
    from submissions.api.throttles import UploadThrottle

    monkeypatch.setattr(UploadThrottle, "THROTTLE_RATES", {"upload": "2/min"})

    answers = [upload_by_form(client) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2]["Retry-After"]) > 0
    assert "Too many uploads" in text(answers[2])
    assert Upload.objects.count() == 2
