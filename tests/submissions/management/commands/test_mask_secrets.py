"""`manage.py mask_secrets`: what an earlier version has stored with its secrets."""

from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command

from runners.models import Run, RunNode, RunOutput
from submissions.dataset import write
from submissions.ingest.secrets import mask
from submissions.models import Artifact, Dataset, Submission, Upload
from tests.documents import document, metadata
from tests.factories import UserFactory
from tests.submissions.ingest.secrets.credentials import WORD
from tests.submissions.logs import QUORUM, form, log
from tests.submissions.upload.test_secrets import in_files, in_tables, remains

pytestmark = pytest.mark.django_db

LOG = f"cassandra-stress -mode user=a password={WORD}\n".encode() + QUORUM.read_bytes()
NOTES = {"notes": f"see https://me:{WORD}@example.org"}
COMMAND = {"workload": {"tool": "own-tool", "command": f"own-tool --password {WORD}"}}


def mask_secrets(*options):
    out = StringIO()
    call_command("mask_secrets", *options, stdout=out)
    assert remains(out.getvalue()) == []
    return out.getvalue()


@pytest.fixture
def stored_before(caller, settings, monkeypatch):
    """An import, a document, a waiting upload, a run's output and a dump, of a version that masked nothing."""
    with monkeypatch.context() as earlier:
        earlier.setattr(mask, "literals_in", lambda lower: [])
        imported = caller.upload(form(log(LOG, "a.log"), meta=metadata(NOTES)))
        caller.submit(document(NOTES | COMMAND))
        settings.IMPORT_IN_REQUEST_BYTES = 1
        caller.upload(form(log(LOG + b"more", "b.log"), meta=metadata(NOTES)))
        _run_output(imported.json()["submissions"][0]["artifacts"][0]["sha256"])
        write.write(datetime.now(UTC))
    return Submission.objects.get(pk=imported.json()["submissions"][0]["id"])


def _run_output(sha256):
    plan = {"title": "", "workload": {"profile": f"password: {WORD}"}}
    run = Run.objects.create(owner=UserFactory(), provider="local", plan=plan, max_usd=1, tag="a-run")
    run.events.create(message=f"ended with --password {WORD}")
    node = RunNode.objects.create(run=run, name="db-0", role="database", index=0)
    RunOutput.objects.create(run=run, node=node, kind="log", path="x", tail=f"PGPASSWORD={WORD}", sha256=sha256)


def test_a_dry_run_names_what_holds_secrets_and_changes_nothing(stored_before, artifacts_folder):
    files, tables = in_files(artifacts_folder), in_tables()

    said = mask_secrets()

    assert f"submission {stored_before.pk}, a.log: 1 secret masked: line 1 (password)" in said
    assert "b.log" not in said  # no submission yet: the file has its sum for a name
    assert f"submission {stored_before.pk}: document, notes" in said
    assert "--apply" in said
    assert (in_files(artifacts_folder), in_tables()) == (files, tables)
    assert files
    assert tables


def test_nothing_of_the_secrets_is_left_and_the_results_are(stored_before, artifacts_folder):
    first = Artifact.objects.get(name="a.log")

    mask_secrets("--apply")

    assert in_tables() == []
    assert in_files(artifacts_folder) == []
    assert not Dataset.objects.exists()
    masked = Artifact.objects.get(name="a.log")
    assert (masked.pk, masked.original_sha256) == (first.pk, first.sha256)
    assert masked.sha256 != first.sha256
    output = RunOutput.objects.get()
    assert (output.sha256, output.original_sha256) == (masked.sha256, first.sha256)
    assert {tuple(flags) for flags in Submission.objects.values_list("flags", flat=True)} == {
        ("short", "secrets_masked")
    }
    assert mask_secrets("--apply") == "no secrets found\n"


def test_the_same_upload_finds_the_masked_submission(stored_before, caller, settings):
    mask_secrets("--apply")
    settings.IMPORT_IN_REQUEST_BYTES = 10**9

    again = caller.upload(form(log(LOG, "a.log"), meta=metadata(NOTES)))
    document_again = caller.submit(document(NOTES | COMMAND))

    assert (again.status_code, again.json()["submissions"][0]["id"]) == (200, stored_before.pk)
    assert document_again.status_code == 200


def test_a_waiting_upload_is_completed_from_its_masked_file(stored_before):
    from submissions.tasks import finish_upload

    mask_secrets("--apply")
    upload = Upload.objects.get()

    finish_upload(str(upload.pk))

    upload.refresh_from_db()
    assert upload.status == Upload.Status.DONE, upload.errors
    artifact = upload.submissions.get().artifacts.get(name="b.log")
    assert artifact.original_sha256
