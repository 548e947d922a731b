"""Restores a snapshot into an empty site: files first, then the database in one transaction, then the secret keys.

Whatever stops it, the database is empty or complete, and the same command can be given again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from benchsite.backup import database
from benchsite.backup.errors import BackupError
from benchsite.backup.files import Copied, copy_in, damaged_or_missing, sha256_of_path
from benchsite.backup.folder import BackupFolder
from benchsite.backup.snapshot import Manifest, Snapshot
from benchsite.keys import signing_key
from benchsite.keys.secret_key import replace_secret_key, secret_key_file
from benchsite.postgresql.older_sites import refusal_of, replaced_migrations
from benchsite.storage.by_hash import StoredFile, names_by_hash


@dataclass(frozen=True)
class Options:
    """What the operator has decided."""

    incomplete: bool = False  # go on although files of the backup are missing or damaged
    keep_files: bool = False  # the storage has files that are not in the snapshot, and they are this site's
    keep_key: bool = False  # the site's own SECRET_KEY and signing key instead of those of the backup


@dataclass(frozen=True)
class Restored:
    """A finished restore."""

    snapshot: Snapshot
    manifest: Manifest
    copied: Copied
    damaged: list[str]  # files that the backup does not have unchanged


def restore(root: Path, name: str | None, options: Options) -> Restored:
    """Restore this snapshot, by default the newest. Raises BackupError."""
    folder = BackupFolder.to_read(root)
    snapshot = folder.snapshot(name)
    manifest = snapshot.manifest()
    _refuse_unknown_migrations(manifest)
    if reason := refusal_of(manifest.migrations):
        raise BackupError(reason)
    _refuse_older_server(manifest)
    _refuse_used_database()
    key = _key_to_write(snapshot, options)
    damaged = _check(folder, snapshot, manifest, options)
    if not options.keep_files:
        _refuse_strange_files(snapshot)
    copied = copy_in(folder, _without(snapshot, [*manifest.absent, *damaged]))
    _load(snapshot, manifest)
    if key:
        replace_secret_key(settings.DATA_DIR, key)
    if snapshot.signing_key.exists() and not (settings.SIGNING_KEY or options.keep_key):
        signing_key.replace_key(snapshot.signing_key.read_text())
    return Restored(snapshot, manifest, copied, damaged)


def _without(snapshot: Snapshot, names: Iterable[str]) -> Iterator[StoredFile]:
    left_out = set(names)
    return (file for file in snapshot.files() if file.name not in left_out)


def _refuse_unknown_migrations(manifest: Manifest) -> None:
    known = MigrationLoader(None).disk_migrations or {}
    ours = {app for app, _ in known}
    readable = {*known, *replaced_migrations()}
    unknown = [f"{app}.{name}" for app, name in manifest.migrations if app in ours and (app, name) not in readable]
    if unknown:
        raise BackupError(
            f"the backup is of version {manifest.site_version}, which is newer than this one:"
            f" {', '.join(unknown)} is unknown here. Restore it with that version"
        )


def _refuse_older_server(manifest: Manifest) -> None:
    if (version := database.server_version()) < manifest.postgres_version:
        raise BackupError(
            f"the backup is of PostgreSQL {manifest.postgres_version}, and this server is version {version}:"
            f" restore it into {manifest.postgres_version} or newer"
        )


def _refuse_used_database() -> None:
    with connection.cursor() as cursor:
        if tables := connection.introspection.table_names(cursor):
            raise BackupError(
                f"the database of this site is not empty ({len(tables)} tables): restore into a new DATA_DIR,"
                " or into a new database"
            )


def _key_to_write(snapshot: Snapshot, options: Options) -> str | None:
    """None where the site has the right key, or keeps its own."""
    key = snapshot.secret_key.read_text()
    if options.keep_key or key == settings.SECRET_KEY:
        return None
    file = secret_key_file(settings.DATA_DIR)
    if file.exists() and file.read_text() == settings.SECRET_KEY:
        return key
    raise BackupError(
        f"SECRET_KEY is not that of the backup: set it to the text of {snapshot.secret_key}. With --keep-key the"
        " site keeps its own: the keys of runs that were open cannot be read then, and everybody must sign in again"
    )


def _check(folder: BackupFolder, snapshot: Snapshot, manifest: Manifest, options: Options) -> list[str]:
    """Read everything before anything is written; files that are damaged or missing, where that is accepted."""
    for path, sha256 in (
        (snapshot.database, manifest.database_sha256),
        (snapshot.file_list, manifest.file_list_sha256),
    ):
        if not path.exists() or sha256_of_path(path) != sha256:
            raise BackupError(f"{path} is missing or damaged: restore another snapshot")
    damaged = damaged_or_missing(folder, _without(snapshot, manifest.absent))  # what the site had when it was backed up
    if damaged and not options.incomplete:
        names = ", ".join(damaged[:10]) + (", ..." if len(damaged) > 10 else "")
        raise BackupError(
            f"{len(damaged)} of {manifest.files} files of the backup are missing or damaged: {names}."
            " With --incomplete everything else is restored"
        )
    return damaged


def _refuse_strange_files(snapshot: Snapshot) -> None:
    """Files of another site, or of this one after the backup: the operator must know which."""
    names = set(names_by_hash())
    for file in snapshot.files():
        names.discard(file.name)
    if names:
        raise BackupError(
            f"the storage of this site is not empty: {len(names)} files are not in the snapshot. If they belong to"
            " another site, choose another folder or bucket. If they are this site's own, whose database was lost,"
            " --keep-files leaves them there"
        )


def _load(snapshot: Snapshot, manifest: Manifest) -> None:
    arguments = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", str(snapshot.database)]
    database.run(database.RESTORE, *arguments, at_least=manifest.postgres_version)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("ANALYZE")
        counts = database.count_rows(cursor)
    different = [table for table in chain(counts, manifest.tables) if counts.get(table) != manifest.tables.get(table)]
    if different:
        raise BackupError(f"the restored tables have other row counts than the backup: {', '.join(different)}")
