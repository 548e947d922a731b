"""The form of a bundle's zip: around the files there is, byte for byte, what a site writes (docs/bundles.md)."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any
from zipfile import ZipInfo

from benchsite_cli.errors import Failure

VERSION, VERSION_64 = 20, 45  # of the format that a reader must understand
BY_UNIX = 3
DESCRIPTOR, UTF_8 = 0x8, 0x800  # flags: sums follow the bytes; the name is not ASCII
DAY = 1 << 5 | 1  # 1980-01-01, the first that a zip can name
PLAIN_FILE = 0o100644 << 16
MOST_SHORT = 2**31 - 1  # larger sizes and offsets have eight bytes
MOST_COUNTED = 2**16 - 1
LONG, LONG_COUNT = 2**32 - 1, 2**16 - 1  # stand for a value in the field of eight bytes

_SIGNATURE, _NAME, _EXTRA, _MODE = "signature", "name", "extra fields", "mode"
_OF_BYTES = {_SIGNATURE, _NAME, _EXTRA}

Field = tuple[str, str, Any]  # name, layout for struct, the value that a site writes


@dataclass(frozen=True, slots=True)
class _Record:
    place: str  # "the header of logs/a.log"
    fields: Sequence[Field]

    @property
    def content(self) -> bytes:
        return b"".join(_packed(layout, value) for _, layout, value in self.fields)

    def difference(self, content: bytes) -> str:
        start = 0
        for name, layout, value in self.fields:
            packed = _packed(layout, value)
            end = start + len(packed)
            if content[start:end] != packed:
                value_here, written = _shown(name, content[start:end]), _shown(name, packed)
                return f"{self.place}: {name} is {value_here}, where a site writes {written}"
            start = end
        return f"{self.place} is longer"


def check(file: IO[bytes], entries: Sequence[ZipInfo]) -> None:
    """The first file begins at byte 0, each follows the last, then the directory and its end. Raises Failure."""
    place = 0
    for entry in entries:
        name = entry.orig_filename
        if entry.header_offset != place:
            raise _strange(f"{name} begins at byte {entry.header_offset:,}, and what comes before it ends at {place:,}")
        place += _read(file, place, _headers(entry))
        place += entry.file_size
        place += _read(file, place, [_descriptor(entry)])
    start = place
    for entry in entries:
        place += _read(file, place, [_directory_entry(entry)])
    _read(file, place, [_end(len(entries), place - start, start)])
    if file.read(1):
        raise _strange("bytes follow its end")


def _read(file: IO[bytes], place: int, allowed: Sequence[_Record]) -> int:
    """The length of the record here, which is one of `allowed`."""
    file.seek(place)
    first = allowed[0]
    content = file.read(len(first.content))
    if all(content != record.content for record in allowed):
        raise _strange(first.difference(content))
    return len(content)


def _headers(entry: ZipInfo) -> list[_Record]:
    """What may be before the bytes of a file: of a large one Python before 3.11.4 writes sizes of 0."""
    if not _is_large(entry):
        return [_header(entry, VERSION, 0, b"")]
    extra = struct.pack("<HHQQ", 1, 16, 0, 0)
    return [_header(entry, VERSION_64, LONG, extra), _header(entry, VERSION, 0, extra)]


def _header(entry: ZipInfo, version: int, size: int, extra: bytes) -> _Record:
    name = _name(entry)
    fields = [
        (_SIGNATURE, "L", 0x04034B50),
        ("version", "H", version),
        *_common(entry),
        ("sum", "L", 0),
        ("compressed size", "L", size),
        ("size", "L", size),
        ("length of the name", "H", len(name)),
        ("length of extra fields", "H", len(extra)),
        (_NAME, "s", name),
        (_EXTRA, "s", extra),
    ]
    return _Record(f"the header of {entry.orig_filename}", fields)


def _descriptor(entry: ZipInfo) -> _Record:
    layout = "Q" if _is_large(entry) else "L"
    fields = [
        (_SIGNATURE, "L", 0x08074B50),
        ("sum", "L", entry.CRC),
        ("compressed size", layout, entry.file_size),
        ("size", layout, entry.file_size),
    ]
    return _Record(f"the end of {entry.orig_filename}", fields)


def _directory_entry(entry: ZipInfo) -> _Record:
    name, is_far = _name(entry), entry.header_offset > MOST_SHORT
    long = [entry.file_size] * 2 if _is_large(entry) else []
    long += [entry.header_offset] if is_far else []
    extra = struct.pack(f"<HH{len(long)}Q", 1, 8 * len(long), *long) if long else b""
    version = VERSION_64 if long else VERSION
    size = LONG if _is_large(entry) else entry.file_size
    fields = [
        (_SIGNATURE, "L", 0x02014B50),
        ("version of the writer", "B", version),
        ("system", "B", BY_UNIX),
        ("version", "H", version),
        *_common(entry),
        ("sum", "L", entry.CRC),
        ("compressed size", "L", size),
        ("size", "L", size),
        ("length of the name", "H", len(name)),
        ("length of extra fields", "H", len(extra)),
        ("length of the comment", "H", 0),
        ("disk", "H", 0),
        ("internal attributes", "H", 0),
        (_MODE, "L", PLAIN_FILE),
        ("place", "L", LONG if is_far else entry.header_offset),
        (_NAME, "s", name),
        (_EXTRA, "s", extra),
    ]
    return _Record(f"the directory, at {entry.orig_filename}", fields)


def _end(count: int, size: int, start: int) -> _Record:
    far: list[Field] = []
    if count > MOST_COUNTED or max(size, start) > MOST_SHORT:
        far = [
            (_SIGNATURE, "L", 0x06064B50),
            ("length", "Q", 44),
            ("version of the writer", "H", VERSION_64),
            ("version", "H", VERSION_64),
            ("disk", "L", 0),
            ("disk of the directory", "L", 0),
            ("number of files of the disk", "Q", count),
            ("number of files", "Q", count),
            ("size of the directory", "Q", size),
            ("place of the directory", "Q", start),
            ("second signature", "L", 0x07064B50),
            ("disk of the long end", "L", 0),
            ("place of the long end", "Q", start + size),
            ("number of disks", "L", 1),
        ]
    fields = [
        (_SIGNATURE, "L", 0x06054B50),
        ("disk", "H", 0),
        ("disk of the directory", "H", 0),
        ("number of files of the disk", "H", min(count, LONG_COUNT)),
        ("number of files", "H", min(count, LONG_COUNT)),
        ("size of the directory", "L", min(size, LONG)),
        ("place of the directory", "L", min(start, LONG)),
        ("length of the comment", "H", 0),
    ]
    return _Record("its end", [*far, *fields])


def _common(entry: ZipInfo) -> Iterator[Field]:
    yield ("flags", "H", DESCRIPTOR | (0 if entry.orig_filename.isascii() else UTF_8))
    yield ("method", "H", 0)  # stored
    yield ("time", "H", 0)
    yield ("date", "H", DAY)


def _name(entry: ZipInfo) -> bytes:
    return entry.orig_filename.encode()


def _is_large(entry: ZipInfo) -> bool:
    return entry.file_size > MOST_SHORT


def _packed(layout: str, value: Any) -> bytes:
    return value if layout == "s" else struct.pack(f"<{layout}", value)


def _shown(name: str, content: bytes) -> str:
    if name in _OF_BYTES:
        return repr(content)
    value = int.from_bytes(content, "little")
    return f"{value >> 16:06o}" if name == _MODE else f"{value:,}"


def _strange(reason: str) -> Failure:
    return Failure(f"the zip is not as a site writes it: {reason}")
