"""Bytes in the storage: raw files for ever, once for each sum and before the rows that point to them; scratch files."""

import hashlib
from typing import IO

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from benchsite.storage.by_hash import is_stored
from submissions.ingest.files.member import Member
from submissions.models.artifact import storage_name

CHUNK_BYTES = 64 * 1024


def store_member(member: Member) -> str:
    """Store a log's raw bytes unless they are there; their sum in hexadecimal."""
    if not is_stored(storage_name(member.sha256)):
        with member.open_raw() as raw:
            _save(storage_name(member.sha256), File(raw))
    return member.sha256


def store_file(file: "File[bytes]") -> str:
    """Store a file unless it is there; its sum in hexadecimal."""
    digest = hashlib.sha256()
    for chunk in file.chunks(CHUNK_BYTES):
        digest.update(chunk)
    sha256 = digest.hexdigest()
    if not is_stored(storage_name(sha256)):
        file.seek(0)
        _save(storage_name(sha256), file)
    return sha256


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
