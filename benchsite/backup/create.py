"""Makes a backup while the site goes on: all rows of one moment, then the files of those rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

import benchsite
from benchsite.backup import database
from benchsite.backup.errors import BackupError
from benchsite.backup.files import Copied, copy_out, sha256_of_path
from benchsite.backup.folder import BackupFolder
from benchsite.backup.record import LastBackup, write_last_backup
from benchsite.backup.snapshot import Manifest, Snapshot
from benchsite.keys import signing_key
from benchsite.storage.by_hash import stored_files


@dataclass(frozen=True)
class Backup:
    """A finished backup; `lost` are files that rows still point to and whose bytes are missing or damaged."""

    snapshot: Snapshot
    manifest: Manifest
    copied: Copied
    lost: list[str]
    pruned: list[str]


@dataclass(frozen=True)
class _Rows:
    """What is known about the rows that were dumped."""

    moment: datetime
    postgres_version: int
    tables: dict[str, int]
    migrations: list[tuple[str, str]]


def back_up(root: Path, *, keep: int) -> Backup:
    """Add a snapshot to the folder, and keep the newest `keep`. Raises BackupError."""
    if root.resolve().is_relative_to(settings.DATA_DIR.resolve()):
        raise BackupError(f"{root} is inside DATA_DIR: whatever destroys the site would also destroy its backup")
    folder = BackupFolder.to_write(root)
    with folder.locked(), folder.new_snapshot() as unfinished:
        rows = _dump(unfinished)
        copied = copy_out(folder, unfinished)
        unfinished.secret_key.write_text(settings.SECRET_KEY)
        if pem := signing_key.stored_pem():
            unfinished.signing_key.write_text(pem)
        manifest = _manifest(unfinished, rows, copied)
        unfinished.write_manifest(manifest)
        snapshot = folder.finish(unfinished, rows.moment)
        pruned = folder.prune(keep)
    absent = set(copied.absent)
    lost = sorted({file.name for file in stored_files() if file.name in absent}) if absent else []
    _record(folder, snapshot, manifest, lost)
    return Backup(snapshot, manifest, copied, lost, pruned)


def _dump(snapshot: Snapshot) -> _Rows:
    """Rows, the files that they point to, and their counts: pg_dump and we read the same snapshot of the database."""
    with _one_moment() as cursor:
        cursor.execute("SELECT pg_export_snapshot(), now()")
        shared, moment = cursor.fetchone()
        version = database.server_version()
        arguments = ["--format=custom", f"--snapshot={shared}", f"--file={snapshot.database}"]
        database.run(database.DUMP, *arguments, at_least=version)
        with snapshot.file_list.open("w", encoding="utf-8") as lines:
            for name, sha256 in sorted(set(stored_files())):
                lines.write(f"{sha256}  {name}\n")
        migrations = sorted(MigrationRecorder(connection).applied_migrations())
        return _Rows(moment, version, database.count_rows(cursor), migrations)


@contextmanager
def _one_moment() -> Iterator[CursorWrapper]:
    """A transaction that sees one moment, however long it takes."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield cursor


def _manifest(snapshot: Snapshot, rows: _Rows, copied: Copied) -> Manifest:
    return Manifest(
        moment=rows.moment,
        finished_at=timezone.now(),
        site_version=benchsite.__version__,
        postgres_version=rows.postgres_version,
        tables=rows.tables,
        migrations=rows.migrations,
        database_sha256=sha256_of_path(snapshot.database),
        file_list_sha256=sha256_of_path(snapshot.file_list),
        files=copied.files,
        file_bytes=copied.file_bytes,
        absent=copied.absent,
    )


def _record(folder: BackupFolder, snapshot: Snapshot, manifest: Manifest, lost: list[str]) -> None:
    write_last_backup(
        LastBackup(
            moment=manifest.moment,
            finished_at=manifest.finished_at,
            snapshot=snapshot.name,
            folder=str(folder.root),
            rows=manifest.rows,
            files=manifest.files,
            file_bytes=manifest.file_bytes,
            lost_files=len(lost),
        )
    )
