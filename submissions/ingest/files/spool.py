"""Bytes on their way from an upload to a temporary file: counted, hashed, checked to be text."""

import codecs
import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, _TemporaryFileWrapper
from typing import Protocol

from submissions.ingest.files.archives import MAGIC_BYTES, Refused, RefusedTooLarge

_CHUNK_BYTES = 64 * 1024
# PowerShell's `>` writes UTF-16; without a mark a log is UTF-8.
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True, eq=False)
class Spooled:
    """Bytes on disk, deleted with the last reference."""

    file: "_TemporaryFileWrapper[bytes]"
    sha256: str
    size_bytes: int

    @property
    def path(self) -> Path:
        return Path(self.file.name)

    def start(self) -> bytes:
        with self.path.open("rb") as file:
            return file.read(MAGIC_BYTES)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def chunks(stream: Readable) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK_BYTES):
        yield chunk


def at_most(max_bytes: int, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    size_bytes = 0
    for chunk in chunks:
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            raise RefusedTooLarge(f"{name} is over {max_bytes:,} bytes")
        yield chunk


def spool(chunks: Iterable[bytes]) -> Spooled:
    file = NamedTemporaryFile(prefix="upload-")  # noqa: SIM115 (lives as long as its members)
    sha256, size_bytes = hashlib.sha256(), 0
    for chunk in chunks:
        file.write(chunk)
        sha256.update(chunk)
        size_bytes += len(chunk)
    file.flush()
    return Spooled(file, sha256.hexdigest(), size_bytes)


def check_text(name: str, chunks: Iterable[bytes]) -> tuple[str, bool]:
    """The log's encoding, and whether some bytes are not of it; Refused if it is no text at all."""
    stream = iter(chunks)
    start = next(stream, b"")
    encoding = next((name for bom, name in _BOMS.items() if start.startswith(bom)), "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    is_broken, is_empty = False, True
    for chunk in itertools.chain([start], stream, [b""]):
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            is_broken = True
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            text = decoder.decode(chunk)
        if "\0" in text:
            raise Refused(f"{name} is a binary file, not a log")
        is_empty = is_empty and not text.strip()
    if is_empty:
        raise Refused(f"{name} is empty")
    return encoding, is_broken
