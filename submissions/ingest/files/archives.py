"""Walks zip and tar archives of logs without trusting a name, a size or a type written in them."""

import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Generator
from contextlib import closing, suppress
from datetime import UTC, datetime
from io import BufferedReader, FileIO
from pathlib import Path
from typing import IO

from submissions.ingest.files.gunzip import Damaged
from submissions.ingest.files.limits import Refused, RefusedTooLarge

# What follows the magic bytes at offset 0 is packed; a tar has its mark at offset 257.
_PACKED_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
}
_TAR_MAGIC_AT = 257
MAGIC_BYTES = _TAR_MAGIC_AT + len(b"ustar")

# No honest header is longer: zipfile reads a central directory, and tarfile a pax header, in one
# piece whose length the archive states.
_HEADER_BYTES = 1024 * 1024
# Decompressors of other methods have no bound on how much they give at once.
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

_ZIP_UTC_TIMES = 0x5455  # "UT", the extended timestamp

UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    Damaged,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)


def packed_as(start: bytes) -> str | None:
    """The packing that the first MAGIC_BYTES of a file show: gzip, zip, tar, ..., None for none."""
    if start[_TAR_MAGIC_AT:MAGIC_BYTES] == b"ustar":
        return "tar"
    return next((kind for magic, kind in _PACKED_MAGIC.items() if start.startswith(magic)), None)


Entry = tuple[str, IO[bytes], datetime | None]


def walk_zip(path: Path, max_entries: int) -> Generator[Entry, None, None]:
    """(name, open stream, modification time) of each plain file; raises Refused, or one of UNREADABLE."""
    with _BoundedReader(path) as file, zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        _check_count(len(entries), max_entries)
        for entry in entries:
            # orig_filename: `filename` was already cut at a NUL.
            if entry.is_dir() or _is_litter(entry.orig_filename):
                continue
            _check_zip_entry(entry)
            with archive.open(entry) as stream:
                yield entry.orig_filename, stream, _zip_time(entry)


def walk_tar(path: Path, max_entries: int) -> Generator[Entry, None, None]:
    """(name, open stream, modification time) of each plain file of an uncompressed tar; raises like walk_zip."""
    with _BoundedReader(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
        for count, entry in enumerate(archive, start=1):
            _check_count(count, max_entries)
            if entry.isdir() or _is_litter(entry.name):
                continue
            _check_tar_entry(entry)
            stream = archive.extractfile(entry)
            if stream is None:
                raise Refused(f"{entry.name!a} is not a plain file")
            with closing(stream):
                yield entry.name, stream, utc_time(entry.mtime)


class _BoundedReader(BufferedReader):
    """Reads a file, but never a piece of more than _HEADER_BYTES at once."""

    def __init__(self, path: Path):
        super().__init__(FileIO(path))

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _HEADER_BYTES:
            raise RefusedTooLarge("the archive's headers are too long for an archive of logs")
        return super().read(size)


def utc_time(seconds: float) -> datetime | None:
    """Seconds since 1970 as headers state them; None where they are no time, or 0, which stands for none."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    return None


def _zip_time(entry: zipfile.ZipInfo) -> datetime | None:
    """In UTC where Info-ZIP's field of it is there; else the clock of some zone, which is taken for UTC."""
    rest = entry.extra
    while len(rest) >= 4:
        kind, size = struct.unpack_from("<HH", rest)
        field, rest = rest[4 : 4 + size], rest[4 + size :]
        if kind == _ZIP_UTC_TIMES and len(field) >= 5 and field[0] & 1:
            return utc_time(struct.unpack_from("<i", field, 1)[0])
    with suppress(ValueError):  # a month 0, in an entry without a date
        return datetime(*entry.date_time, tzinfo=UTC)
    return None


def _check_count(entries: int, max_entries: int) -> None:
    if entries > max_entries:
        raise RefusedTooLarge(f"the archive has more than {max_entries} entries")


def _check_zip_entry(entry: zipfile.ZipInfo) -> None:
    name = ascii(entry.orig_filename)
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused(f"{name} is a link")
    if entry.flag_bits & 0x1:
        raise Refused(f"{name} is encrypted")
    if entry.compress_type not in _ZIP_METHODS:
        raise Refused(f"{name} is compressed by a method other than deflate")


def _check_tar_entry(entry: tarfile.TarInfo) -> None:
    name = ascii(entry.name)
    if entry.issym() or entry.islnk():
        raise Refused(f"{name} is a link")
    if not entry.isreg() or entry.issparse() or entry.size < 0:
        raise Refused(f"{name} is not a plain file")


def _is_litter(name: str) -> bool:
    """What macOS adds to every archive."""
    base = name.rpartition("/")[2]
    return name.startswith("__MACOSX/") or base.startswith("._") or base == ".DS_Store"
