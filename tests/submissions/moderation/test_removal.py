"""Taking bytes away: gone from the storage and from every answer, with the reason; what others have stays."""

import json

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from submissions.choices import Outcome
from submissions.dataset import write
from submissions.ingest.changes.retract import retract
from submissions.models import Artifact, Dataset, IntervalCurves, ModerationDecision, Submission, Upload
from submissions.moderation.decisions import decide
from submissions.pricing.bill import bill_of
from tests.factories import ArtifactFactory, SubmissionFactory, UserFactory
from tests.pages import text
from tests.submissions.caller import Caller
from tests.submissions.logs import QUORUM, form, log

SECRET = "hunter2-do-not-publish"


@pytest.fixture
def leaky(db):
    """A submission whose file and whose words hold a secret."""
    submission = SubmissionFactory(notes=f"ask {SECRET}", title=SECRET, source=SECRET)
    submission.document |= {"notes": SECRET, "title": SECRET, "settings": {"x": SECRET}}
    submission.document["workload"]["command"] = f"stress -p {SECRET}"
    item = {"label": SECRET, "quantity": 48, "unit": "hour", "unit_usd": "0.68"}
    submission.document["bill"] = {"items": [item]}
    submission.bill = bill_of({"items": [item]}).as_json()
    submission.save()
    ArtifactFactory(submission=submission, content=f"password={SECRET}\n".encode())
    return submission


def takedown(submission, *options):
    call_command("takedown", str(submission.pk), "--reason", "A password is in the log.", *options)


def download(client, artifact, base="/submissions"):
    return client.get(f"{base}/{artifact.submission_id}/artifacts/{artifact.pk}/")


def test_a_takedown_deletes_the_bytes_and_every_word(leaky, client, django_capture_on_commit_callbacks, capsys):
    artifact = Artifact.objects.get()

    with django_capture_on_commit_callbacks(execute=True):
        takedown(leaky)

    assert not default_storage.exists(artifact.storage_name)
    assert SECRET not in client.get(f"/submissions/{leaky.pk}/").content.decode()
    assert SECRET not in client.get(f"/api/v1/submissions/{leaky.pk}/").content.decode()
    artifact.refresh_from_db()
    assert artifact.removed_at
    assert artifact.sha256 in client.get(f"/submissions/{leaky.pk}/").content.decode()
    assert "1 files removed" in capsys.readouterr().out
    assert client.get(f"/api/v1/submissions/{leaky.pk}/bill/").json()["total_usd"] == "32.64"


def test_a_takedown_deletes_what_charts_draw_of_the_intervals(client, db):
    caller = Caller(client, UserFactory())
    submission = Submission.objects.get(pk=caller.upload(form(log(QUORUM))).json()["submissions"][0]["id"])
    assert IntervalCurves.objects.exists()

    takedown(submission)

    assert not IntervalCurves.objects.exists()
    assert client.get(f"/submissions/{submission.pk}/").context["detail"].intervals is None


def test_a_download_answers_410_with_the_reason(leaky, client):
    takedown(leaky)
    artifact = Artifact.objects.get()

    page, problem = download(client, artifact), download(client, artifact, "/api/v1/submissions")

    assert (page.status_code, problem.status_code) == (410, 410)
    assert "A password is in the log." in text(page)
    assert problem["Content-Type"] == "application/problem+json"
    assert "A password is in the log." in problem.json()["errors"][0]["detail"]


def test_the_numbers_stay_and_leave_the_boards(leaky):
    rate = leaky.throughput_ops_s

    takedown(leaky)

    leaky.refresh_from_db()
    assert leaky.throughput_ops_s == rate
    assert leaky.unranked_at


def test_bytes_that_another_submission_has_stay_with_it(leaky, client, django_capture_on_commit_callbacks, capsys):
    other = ArtifactFactory(content=f"password={SECRET}\n".encode())

    with django_capture_on_commit_callbacks(execute=True):
        takedown(leaky)

    assert download(client, other).status_code == 200
    assert f"stay with submissions {other.submission_id}" in capsys.readouterr().out


def test_bytes_that_somebody_is_uploading_stay(leaky, django_capture_on_commit_callbacks):
    artifact = Artifact.objects.get()
    entry = {"name": "a.log", "sha256": artifact.sha256, "size_bytes": 1, "trial": ""}
    Upload.objects.create(owner=UserFactory(), status=Upload.Status.QUEUED, files=[entry])

    with django_capture_on_commit_callbacks(execute=True):
        takedown(leaky)

    assert default_storage.exists(artifact.storage_name)


def test_a_refused_takedown_takes_nothing(leaky, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(CommandError, match="reason"):
        call_command("takedown", str(leaky.pk), "--reason", " ")

    assert default_storage.exists(Artifact.objects.get().storage_name)
    assert not ModerationDecision.objects.exists()


def test_a_takedown_of_nothing_says_so(db):
    with pytest.raises(CommandError, match="there is no submission 7"):
        call_command("takedown", "7", "--reason", "x")


def test_dumps_that_hold_its_words_are_deleted(leaky):
    dump = write.write(leaky.created_at)
    before = [file["stored_as"] for file in dump.files]

    takedown(leaky)

    assert not Dataset.objects.exists()
    assert not any(default_storage.exists(name) for name in before)


def test_a_hidden_takedown_shows_the_page_to_nobody_else(leaky):
    takedown(leaky, "--hide")

    leaky.refresh_from_db()
    assert leaky.hidden_at
    assert list(ModerationDecision.objects.values_list("outcome", flat=True)) == ["hidden", "bytes_removed"]


def test_the_readings_of_its_upload_go_too(leaky):
    upload = Upload.objects.create(owner=UserFactory(), status=Upload.Status.DONE, metadata={"notes": SECRET})
    upload.submissions.add(leaky)

    decide(leaky, Outcome.BYTES_REMOVED, reason="A password.", by=None)

    upload.refresh_from_db()
    assert SECRET not in json.dumps(upload.metadata)


@pytest.mark.django_db
def test_raw_files_of_a_retracted_result_are_for_its_owner_and_moderators(client):
    owner, moderator = UserFactory(), UserFactory(is_superuser=True)
    artifact = ArtifactFactory(submission=SubmissionFactory(submitted_by=owner))
    retract(artifact.submission, reason="wrong machine")

    anonymous = download(client, artifact)
    assert anonymous.status_code == 410
    assert "wrong machine" in text(anonymous)
    for user in (owner, moderator):
        client.force_login(user)
        answer = download(client, artifact)
        assert answer.status_code == 200
        assert "private" in answer["Cache-Control"]
