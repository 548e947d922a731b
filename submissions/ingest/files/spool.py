"""Bytes of an upload on their way to a temporary file, hashed once."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from tempfile import NamedTemporaryFile, _TemporaryFileWrapper
from typing import Protocol

from benchsite.storage.temporary import temporary_folder

_CHUNK_BYTES = 240 * 1024  # for the reason of member.py


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True, eq=False)
class Spooled:
    """Bytes on disk, deleted with the last reference."""

    file: "_TemporaryFileWrapper[bytes]"
    sha256: str  # hexadecimal
    size_bytes: int

    @property
    def path(self) -> Path:
        return Path(self.file.name)

    def open(self) -> BufferedReader:
        """The bytes from the start; the caller closes it."""
        return self.path.open("rb")


def chunks(stream: Readable) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK_BYTES):
        yield chunk


def spool(chunks: Iterable[bytes]) -> Spooled:
    file = NamedTemporaryFile(prefix="upload-", dir=temporary_folder())  # noqa: SIM115 (lives as long as its members)
    sha256, size_bytes = hashlib.sha256(), 0
    for chunk in chunks:
        file.write(chunk)
        sha256.update(chunk)
        size_bytes += len(chunk)
    file.flush()
    return Spooled(file, sha256.hexdigest(), size_bytes)
