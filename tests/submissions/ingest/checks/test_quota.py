"""What an account may store: over its limits nothing is stored, by no way in."""

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from benchsite.http.refusals import RateExceeded
from submissions import tasks
from submissions.choices import Trust
from submissions.ingest.changes.change import change
from submissions.ingest.checks.quota import usage_of
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store, store_all
from submissions.models import AccountUsage, Artifact, Submission, Upload, Workload
from tests.documents import document
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


@pytest.fixture
def eve():
    """An account that waits for a moderator."""
    return UserFactory(username="eve")


def a_day_later():
    """All that is stored was stored a day before."""
    a_day = timedelta(hours=24, minutes=10)
    AccountUsage.objects.update(since=F("since") - a_day)
    for model in (Submission, Artifact):
        model.objects.update(created_at=F("created_at") - a_day)


def result(number, **changes):
    return document({"settings": {"number": str(number)}, **changes})


def prepared(number, **changes):
    return prepare_document(result(number), **changes)


def send(client, user, number, **changes):
    body = json.dumps(result(number, **changes))
    return client.post("/api/v1/submissions/", body, content_type="application/json", **bearer(user))


def send_lines(client, user, numbers):
    body = "\n".join(json.dumps(result(number)) for number in numbers)
    answer = client.post("/api/v1/submissions/bulk/", body, content_type="application/x-ndjson", **bearer(user))
    return [json.loads(line) for line in answer.getvalue().splitlines()]


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
    document_bytes = usage_of(ada).day_bytes - stored
    assert abs(document_bytes - len(json.dumps(Submission.objects.get().document))) < 20

    a_day_later()
    assert (usage_of(ada).total_bytes, usage_of(ada).day_bytes) == (document_bytes + stored, 0)
    Artifact.objects.update(removed_at=timezone.now())
    assert usage_of(ada).total_bytes == document_bytes


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


def test_documents_count_as_they_are_stored_by_json_and_by_bulk(client, eve):
    assert send(client, eve, 1).status_code == 201
    of_one = usage_of(eve).total_bytes
    assert abs(of_one - len(json.dumps(Submission.objects.get().document))) < 20

    send_lines(client, eve, [2, 3])

    assert usage_of(eve).total_bytes == usage_of(eve).day_bytes == 3 * of_one
    assert usage_of(eve).day_results == 3


def test_what_is_there_already_counts_once(client, eve):
    send(client, eve, 1)
    before = usage_of(eve)

    assert send(client, eve, 1).status_code == 200
    assert [line["status"] for line in send_lines(client, eve, [1, 1])] == [200, 200]

    assert usage_of(eve) == before


@LIMITS
def test_a_document_over_the_limit_in_bytes_is_refused_and_leaves_no_workload(client, eve, settings, limit, status):
    send(client, eve, 1)
    setattr(settings, limit, usage_of(eve).total_bytes + 100)

    answer = send(client, eve, 2, workload={**result(2)["workload"], "columns": 77})

    assert answer.status_code == status
    assert "your account" in answer.json()["errors"][0]["detail"]
    assert (Submission.objects.count(), Workload.objects.count()) == (1, 1)
    assert [line["status"] for line in send_lines(client, eve, [1, 2])] == [200, status]


def test_a_new_account_stores_so_many_results_a_day_and_the_refusal_says_when_it_can_go_on(client, eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 4
    assert [send(client, eve, number).status_code for number in range(5)] == [201] * 4 + [429]

    answer = send(client, eve, 4)

    [error] = answer.json()["errors"]
    assert error["pointer"] == "#"
    assert error["detail"].startswith(
        "your account has stored 4 results in the last 24 hours: the limit is 4 while your first results wait for a"
        " moderator. The next one is possible at "
    )
    again_at = datetime.strptime(error["detail"].rpartition(" at ")[2], "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert timedelta(hours=23, minutes=59) < again_at - timezone.now() < timedelta(hours=24, minutes=12)
    assert abs(int(answer["Retry-After"]) - (again_at - timezone.now()).total_seconds()) < 5
    assert send(client, eve, 0).status_code == 200

    a_day_later()
    assert send(client, eve, 4).status_code == 201


def test_private_results_count_and_are_not_counted_again_when_they_are_published(client, eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 2
    for number in range(2):
        assert send(client, eve, number, visibility="private").status_code == 201

    assert send(client, eve, 2).status_code == 429
    change(Submission.objects.first(), {"visibility": "public"}, by=eve)
    assert usage_of(eve).day_results == 2


def test_an_account_that_no_longer_waits_has_a_limit_of_its_own(client, eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY, settings.MAX_USER_RESULTS_DAY = 3, 5
    send_lines(client, eve, range(3))
    assert send(client, eve, 3).status_code == 429

    Submission.objects.update(unranked_until=None)

    assert [send(client, eve, number).status_code for number in (3, 4, 5)] == [201, 201, 429]
    assert "wait" not in send(client, eve, 5).json()["errors"][0]["detail"]


def test_zero_is_no_limit_and_staff_has_none(client, eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 1
    staff = UserFactory(is_staff=True)
    assert [send(client, staff, f"staff {number}").status_code for number in range(3)] == [201] * 3

    settings.MAX_NEW_USER_RESULTS_DAY = 0
    assert [send(client, eve, number).status_code for number in range(3)] == [201] * 3


def test_in_bulk_the_lines_before_the_limit_are_stored_and_each_later_one_is_refused_by_itself(client, eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 205

    answers = send_lines(client, eve, [*range(207), 0, 207])  # more than one batch

    assert [answer["status"] for answer in answers] == [201] * 205 + [429, 429, 200, 429]
    assert [answer["line"] for answer in answers] == list(range(1, 210))
    [error] = answers[205]["errors"]
    assert error["pointer"] == "#"
    assert "your account has stored 205 results in the last 24 hours: the limit is 205" in error["detail"]
    assert Submission.objects.count() == 205


def test_what_runs_of_this_site_measured_and_what_belongs_to_no_account_is_stored_in_any_case(eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = settings.MAX_USER_BYTES = 1
    for number, trust in enumerate((Trust.RUN_BY_US, Trust.RUN_BY_OWNER)):
        assert store(prepared(number, trust=trust), submitted_by=eve).created
    assert usage_of(eve).day_results == 0
    assert usage_of(eve).day_bytes > 0

    assert all(each.created for each in store_all([prepared(number) for number in "abc"], submitted_by=None))


def test_a_batch_that_is_stored_whole_is_refused_whole(eve, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 2

    with pytest.raises(RateExceeded, match="the limit is 2"):
        store_all([prepared(number) for number in "abc"], submitted_by=eve)

    assert not Submission.objects.exists()
    assert usage_of(eve).total_bytes == 0


def test_logs_are_refused_by_the_number_of_results_too(client, ada, settings, django_capture_on_commit_callbacks):
    settings.MAX_NEW_USER_RESULTS_DAY = 1
    send(client, ada, 1)

    answer = client.post("/api/v1/submissions/import/", form(log(QUORUM)), **bearer(ada))
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 86_000

    settings.IMPORT_IN_REQUEST_BYTES = 10
    client.post("/api/v1/submissions/import/", form(log(QUORUM)), **bearer(ada))
    upload = Upload.objects.get()
    tasks.finish_upload(str(upload.pk))
    upload.refresh_from_db()
    assert upload.status == Upload.Status.FAILED
    assert "the limit is 1" in upload.errors[0]["detail"]


def test_what_is_erased_gives_its_bytes_back_but_not_the_number(client, eve):
    send(client, eve, 1)
    send(client, eve, 2, visibility="private")
    a_day_later()
    send(client, eve, 3)
    before = usage_of(eve)

    Submission.objects.filter(visibility="private").delete()

    after = usage_of(eve)
    assert before.total_bytes * 2 // 3 - 20 < after.total_bytes < before.total_bytes * 2 // 3 + 20
    assert (after.day_bytes, after.day_results) == (before.day_bytes, 1)


def test_facts_that_are_added_later_count(client, eve):
    send(client, eve, 1, jdk=None)
    before = usage_of(eve).total_bytes

    change(Submission.objects.get(), {"jdk": {"version": "17"}}, by=eve)

    assert 0 < usage_of(eve).total_bytes - before < 100


def test_older_rows_of_the_usage_go_when_a_new_one_comes(client, eve):
    for number in range(4):
        send(client, eve, number)
        a_day_later()
    send(client, eve, 4)

    assert AccountUsage.objects.count() == 2
    assert usage_of(eve).day_results == 1
    assert AccountUsage.objects.order_by("since").last().results == 5


@pytest.mark.django_db(transaction=True)
def test_of_twenty_results_at_the_same_time_no_more_are_stored_than_the_limit(settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 5
    user, statuses, ready = UserFactory(), [], threading.Barrier(20)
    headers = bearer(user)

    def upload(number):
        from django.test import Client

        try:
            ready.wait()
            body = json.dumps(result(number))
            answer = Client().post("/api/v1/submissions/", body, content_type="application/json", **headers)
            statuses.append(answer.status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=upload, args=[number]) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [201] * 5 + [429] * 15
    assert Submission.objects.count() == 5


def test_the_account_page_shows_the_results_of_the_day_and_their_limit(client, ada, settings):
    send(client, ada, 1)
    settings.MAX_NEW_USER_RESULTS_DAY, settings.MAX_USER_RESULTS_DAY = 100, 10_000

    page = text(client.get("/account/"))
    assert "Your results of the last 24 hours: 1 of 100, while the first results of your account wait" in page

    for number in (2, 3):
        send(client, ada, number)
    Submission.objects.update(unranked_until=None)
    assert "Your results of the last 24 hours: 3 of 10,000." in text(client.get("/account/"))

    settings.MAX_USER_RESULTS_DAY = 0
    assert "Your results of the last 24 hours: 3." in text(client.get("/account/"))
