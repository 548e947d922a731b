"""Bytes in the storage: raw files for ever, once for each sum and before the rows that point to them; scratch files."""

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from benchsite.storage.by_hash import is_stored
from submissions.ingest.files.member import Member
from submissions.ingest.files.spool import spool
from submissions.ingest.secrets.stream import Opener, Spot, masked_chunks, spots_in
from submissions.models.results.artifact import storage_name


def store_member(member: Member) -> str:
    """Store a log's raw bytes unless they are there; their sum in hexadecimal."""
    _store(member.sha256, member.open_raw)
    return member.sha256


@dataclass(frozen=True, slots=True)
class StoredFile:
    sha256: str  # hexadecimal
    size_bytes: int
    original_sha256: str | None  # before secrets were masked; None: stored as it was


def store_path(path: Path) -> StoredFile:
    """Store a file, its secrets masked, unless it is there."""

    def opener() -> IO[bytes]:
        return path.open("rb")

    with path.open("rb") as raw:
        original = hashlib.file_digest(raw, "sha256").hexdigest()
    if spots_in(opener):
        masked = spool(masked_chunks(opener))
        _store(masked.sha256, masked.open)
        return StoredFile(masked.sha256, masked.size_bytes, original)
    _store(original, opener)
    return StoredFile(original, path.stat().st_size, None)


def spots_in_stored(sha256: str) -> tuple[Spot, ...]:
    """Where the bytes of this sum hold secrets; FileNotFoundError when they are not there."""
    return spots_in(partial(open_stored, sha256))


def store_masked(sha256: str) -> StoredFile:
    """Store the bytes of this sum once more, with their secrets masked."""
    masked = spool(masked_chunks(partial(open_stored, sha256)))
    _store(masked.sha256, masked.open)
    return StoredFile(masked.sha256, masked.size_bytes, sha256)


def delete_stored(sha256: str) -> None:
    default_storage.delete(storage_name(sha256))


def _store(sha256: str, opener: Opener) -> None:
    if not is_stored(storage_name(sha256)):
        with opener() as raw:
            _save(storage_name(sha256), File(raw))


def store_bytes(data: bytes) -> str:
    """Store bytes unless they are there; their sum in hexadecimal."""
    sha256 = hashlib.sha256(data).hexdigest()
    if not is_stored(storage_name(sha256)):
        _save(storage_name(sha256), ContentFile(data))
    return sha256


def open_stored(sha256: str) -> IO[bytes]:
    """The bytes of this sum; FileNotFoundError when they are not there. The caller closes it."""
    return default_storage.open(storage_name(sha256))


def write_scratch(name: str, file: IO[bytes]) -> None:
    """Write or replace a file that can be made again; of two writers at once one wins."""
    default_storage.delete(name)
    _save(name, File(file))


def open_scratch(name: str) -> IO[bytes]:
    """FileNotFoundError when it is not there. The caller closes it."""
    return default_storage.open(name)


def delete_scratch(name: str) -> None:
    default_storage.delete(name)


def _save(name: str, file: "File[bytes]") -> None:
    """Of two writers at once one wins."""
    written = default_storage.save(name, file)
    if written != name:
        default_storage.delete(written)
