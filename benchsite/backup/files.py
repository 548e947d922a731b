"""Copies files between the storage and the folder of a backup; each copy is checked against its hash."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import default_storage

from benchsite.backup.folder import BackupFolder
from benchsite.backup.snapshot import Snapshot
from benchsite.storage.by_hash import CHUNK_BYTES, StoredFile, sha256_of

COPIES_AT_ONCE = 8  # an object store answers slowly, and many at a time
BATCH_FILES = 1000


@dataclass
class Copied:
    """What became of the files of a snapshot."""

    files: int = 0
    file_bytes: int = 0
    new_files: int = 0
    new_bytes: int = 0
    absent: list[str] = field(default_factory=list)  # no bytes of that hash where they were looked for


@dataclass(frozen=True, slots=True)
class _Outcome:
    file: StoredFile
    size: int | None  # None: absent
    is_new: bool = False


def copy_out(folder: BackupFolder, snapshot: Snapshot) -> Copied:
    """Copy what the backup does not have yet. A file that is gone meanwhile is noted, and the rest is copied."""
    return _copied(snapshot.files(), partial(_into_backup, folder))


def copy_in(folder: BackupFolder, files: Iterable[StoredFile]) -> Copied:
    """Copy into the storage what it does not have yet; the backup was checked before."""
    return _copied(files, partial(_into_storage, folder))


def damaged_or_missing(folder: BackupFolder, files: Iterable[StoredFile]) -> list[str]:
    """Names of files whose bytes the backup does not have unchanged."""
    return _copied(files, partial(_checked, folder)).absent


def sha256_of_path(path: Path) -> str:
    with path.open("rb") as file:
        return sha256_of(file)


def _copied(files: Iterable[StoredFile], copy: Callable[[StoredFile], _Outcome]) -> Copied:
    result = Copied()
    with ThreadPoolExecutor(COPIES_AT_ONCE) as workers:
        for batch in _batches(files):
            for outcome in workers.map(copy, batch):
                result.files += 1
                if outcome.size is None:
                    result.absent.append(outcome.file.name)
                    continue
                result.file_bytes += outcome.size
                result.new_files += outcome.is_new
                result.new_bytes += outcome.size if outcome.is_new else 0
    return result


def _batches(files: Iterable[StoredFile]) -> Iterator[list[StoredFile]]:
    """Few enough to hold in memory."""
    left = iter(files)
    while batch := list(islice(left, BATCH_FILES)):
        yield batch


def _into_backup(folder: BackupFolder, file: StoredFile) -> _Outcome:
    final = folder.path_of(file.sha256)
    with suppress(FileNotFoundError):
        return _Outcome(file, final.stat().st_size)
    try:
        with default_storage.open(file.name) as content:
            size = _write_checked(content, final, file)
    except FileNotFoundError:
        return _Outcome(file, None)
    return _Outcome(file, size, is_new=True)


def _write_checked(content: "File[bytes]", final: Path, file: StoredFile) -> int | None:
    """The number of bytes; None, and nothing is written, where they have another hash."""
    final.parent.mkdir(mode=0o700, exist_ok=True)
    # two names of the same bytes may be copied at the same time
    unfinished = final.with_name(f".{file.sha256}.{hashlib.sha256(file.name.encode()).hexdigest()[:8]}")
    digest, size = hashlib.sha256(), 0
    try:
        with unfinished.open("wb") as out:
            while chunk := content.read(CHUNK_BYTES):
                out.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != file.sha256:
            return None
        unfinished.replace(final)
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def _checked(folder: BackupFolder, file: StoredFile) -> _Outcome:
    path = folder.path_of(file.sha256)
    with suppress(FileNotFoundError):
        if sha256_of_path(path) == file.sha256:
            return _Outcome(file, path.stat().st_size)
    return _Outcome(file, None)


def _into_storage(folder: BackupFolder, file: StoredFile) -> _Outcome:
    path = folder.path_of(file.sha256)
    size = path.stat().st_size
    if default_storage.exists(file.name):
        with default_storage.open(file.name) as stored:
            if sha256_of(stored) == file.sha256:
                return _Outcome(file, size)
        default_storage.delete(file.name)
    with path.open("rb") as content:
        default_storage.save(file.name, File(content))
    return _Outcome(file, size, is_new=True)
