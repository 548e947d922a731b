"""Raw bytes in the storage, once for each sum; written before the rows that point to them."""

import hashlib
from collections.abc import Iterator
from typing import IO

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from submissions.ingest.files.open import Member
from submissions.models.artifact import storage_name

CHUNK_BYTES = 64 * 1024


def keep(member: Member) -> str:
    """Store a raw file unless it is there; its sum in hexadecimal."""
    if not default_storage.exists(storage_name(member.sha256)):
        with member.open_raw() as raw:
            default_storage.save(storage_name(member.sha256), File(raw))
    return member.sha256


def keep_file(file: "File[bytes]") -> str:
    """Store a file unless it is there; its sum in hexadecimal."""
    digest = hashlib.sha256()
    for chunk in file.chunks(CHUNK_BYTES):
        digest.update(chunk)
    sha256 = digest.hexdigest()
    if not default_storage.exists(storage_name(sha256)):
        file.seek(0)
        default_storage.save(storage_name(sha256), file)
    return sha256


def keep_bytes(data: bytes) -> str:
    """Store bytes unless they are there; their sum in hexadecimal."""
    sha256 = hashlib.sha256(data).hexdigest()
    if not default_storage.exists(storage_name(sha256)):
        default_storage.save(storage_name(sha256), ContentFile(data))
    return sha256


def open_kept(sha256: str) -> IO[bytes]:
    """The bytes of this sum; FileNotFoundError when they are not there. The caller closes it."""
    return default_storage.open(storage_name(sha256))


def chunks_of(sha256: str) -> Iterator[bytes]:
    with open_kept(sha256) as raw:
        while chunk := raw.read(CHUNK_BYTES):
            yield chunk
