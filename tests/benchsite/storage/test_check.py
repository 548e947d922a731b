"""Every row has its bytes, with the right hash, or the check says which has not."""

import io

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from runners.models import RunOutput
from submissions.ingest.files import storage
from tests.factories import ArtifactFactory
from tests.runners.fake_runs import queued_run

pytestmark = pytest.mark.django_db


def check(**options):
    """What it prints, and its exit status."""
    out, status = io.StringIO(), 0
    try:
        call_command("check_artifacts", stdout=out, **options)
    except SystemExit as end:
        status = end.code
    return out.getvalue(), status


def test_a_whole_storage_passes_and_bytes_without_rows_are_listed():
    artifact = ArtifactFactory(content=b"good")
    sha256 = storage.store_bytes(b"refused")

    printed, status = check()

    assert status == 0
    assert "1 of 1 files have the right hash: 0 missing, 0 damaged." in printed
    assert f"no row points to it: {sha256[:2]}/{sha256}" in printed
    assert artifact.sha256 not in printed


def test_bytes_that_a_moderator_took_away_are_not_missing():
    artifact = ArtifactFactory(content=b"not ours to publish", removed_at=timezone.now())
    run = queued_run()
    node = run.nodes.create(name="db-1", index=0, role="database", instance_type="m5.xlarge")
    RunOutput.objects.create(run=run, node=node, path="/x", name="x", sha256=artifact.sha256)
    default_storage.delete(artifact.storage_name)

    printed, status = check()

    assert (status, "0 of 0 files" in printed) == (0, True), printed


def test_changed_and_missing_bytes_are_named(artifacts_folder):
    changed, missing = ArtifactFactory(content=b"one"), ArtifactFactory(content=b"two")
    (artifacts_folder / changed.storage_name).write_bytes(b"One")
    default_storage.delete(missing.storage_name)

    printed, status = check()

    assert status == 1
    assert f"damaged: {changed.storage_name}" in printed
    assert f"missing: {missing.storage_name}" in printed
    assert "0 of 2 files have the right hash: 1 missing, 1 damaged." in printed
    assert check(quick=True)[0].startswith(f"missing: {missing.storage_name}\n1 of 2 files exist")
