"""Bytes that no row points to are deleted after a week, and never a row's."""

import hashlib
import io
import os
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from benchsite import tasks
from benchsite.storage import orphans
from benchsite.storage.by_hash import is_stored, stored_files
from runners.models import RunOutput
from submissions.ingest import uploads
from submissions.ingest.files import storage
from submissions.models import Dataset
from tests.documents import metadata
from tests.factories import ArtifactFactory, UserFactory
from tests.files import stress_log, uploaded
from tests.runners.fake_runs import queued_run

pytestmark = pytest.mark.django_db

NOW = timezone.now()
LATER = NOW + timedelta(days=8)


def stored(content):
    sha256 = storage.store_bytes(content)
    return f"{sha256[:2]}/{sha256}"


def test_what_nobody_points_to_stays_for_a_week_and_goes_then(artifacts_folder):
    name = stored(b"refused")

    assert orphans.delete_orphans(NOW + timedelta(days=6)) == 0
    assert default_storage.exists(name)
    assert orphans.delete_orphans(LATER) == 1
    assert not default_storage.exists(name)


def test_the_bytes_of_a_forgotten_upload_go_a_week_after_it():
    upload = uploads.stage([uploaded(stress_log("cs50-10-3node"))], {}, owner=UserFactory())
    [name] = [name for name, _ in stored_files()]

    assert orphans.delete_orphans(LATER) == 0
    uploads.forget_stale(upload.created_at + timedelta(days=2))
    assert orphans.delete_orphans(LATER) == 1
    assert not default_storage.exists(name)


def test_bytes_of_every_kind_of_row_stay():
    ArtifactFactory(content=b"an artifact")
    uploads.finish(uploads.stage([uploaded(stress_log("cs50-10-3node"))], metadata(), owner=UserFactory()))
    run = queued_run()
    node = run.nodes.create(name="db-1", index=0, role="database", instance_type="m5.xlarge")
    output = hashlib.sha256(b"an output").hexdigest()
    RunOutput.objects.create(run=run, node=node, path="/x", name="x", sha256=output)
    stored(b"an output")
    Dataset.objects.create(
        made_at=NOW,
        folder="datasets/1",
        files=[{"name": "a", "stored_as": default_storage.save("datasets/1/a", ContentFile(b"a")), "sha256": "0"}],
    )

    assert orphans.delete_orphans(LATER) == 0
    assert all(default_storage.exists(file.name) for file in stored_files())


def test_every_model_with_a_hash_says_which_files_it_points_to():
    silent = [
        model.__name__
        for model in apps.get_models()
        if any(field.name == "sha256" for field in model._meta.get_fields()) and not hasattr(model, "stored_files")
    ]

    assert silent == []


def test_bytes_that_are_used_again_stay_for_another_week(artifacts_folder):
    name = stored(b"sent twice")
    long_ago = (NOW - timedelta(days=30)).timestamp()
    os.utime(artifacts_folder / name, (long_ago, long_ago))

    stored(b"sent twice")

    assert orphans.delete_orphans(NOW + timedelta(days=6)) == 0


def test_bytes_that_are_used_again_while_they_are_being_deleted_stay(artifacts_folder, monkeypatch):
    name = stored(b"sent twice")
    long_ago = (NOW - timedelta(days=30)).timestamp()
    os.utime(artifacts_folder / name, (long_ago, long_ago))
    without_rows = orphans.without_rows

    def then_used_again(names):
        orphaned = without_rows(names)
        monkeypatch.setattr(orphans, "is_past_retention", used_after(orphans.is_past_retention))
        return orphaned

    def used_after(is_old):
        def look(name, now):
            seen = is_old(name, now)
            assert is_stored(name)  # an upload, just after the first look
            return seen

        return look

    monkeypatch.setattr(orphans, "without_rows", then_used_again)

    assert orphans.delete_orphans(NOW) == 0
    assert default_storage.exists(name)


def test_a_storage_whose_rows_are_elsewhere_is_left_alone(monkeypatch, caplog):
    monkeypatch.setattr(orphans, "SUSPICIOUS_FILES", 2)
    monkeypatch.setattr(orphans, "RETENTION", timedelta(days=-1))
    names = [stored(b"%d" % number) for number in range(3)]

    with pytest.raises(orphans.WrongDatabase, match="no row points to 3 of 3 files"):
        orphans.delete_orphans(NOW)
    tasks.delete_orphaned_files()

    assert "check_artifacts --delete" in caplog.text
    assert all(default_storage.exists(name) for name in names)
    call_command("check_artifacts", delete=True, stdout=io.StringIO())
    assert not any(default_storage.exists(name) for name in names)
