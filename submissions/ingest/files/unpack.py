"""The logs in one sent file: itself, its gzipped content, or the files in its archive."""

import errno
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from submissions.ingest.files import archives
from submissions.ingest.files.check import check_name
from submissions.ingest.files.gunzip import open_gzip
from submissions.ingest.files.limits import Meter, Refused
from submissions.ingest.files.spool import Spooled, chunks, spool


@dataclass(frozen=True, slots=True, eq=False)
class UnpackedLog:
    """One log, not yet known to be text; valid until the next one is taken."""

    name: str
    raw: Spooled  # the bytes to store: still packed, if they are a gzipped log
    content: Iterable[bytes]  # unpacked, to be read once: the limits are checked on the way
    is_gzip: bool = False
    modified_at: datetime | None = None  # as the archive, or the header of the gzip, states


def unpack(name: str, sent: Spooled, meter: Meter) -> Generator[UnpackedLog, None, None]:
    """Each log in a file, in order; raises Refused."""
    packing = _packing(sent)
    if packing == "gzip":
        yield from _unpack_gzip(name, sent, meter)
    elif packing in ("zip", "tar"):
        yield from _unpack_archive(name, sent, packing, meter)
    elif packing:
        raise Refused(f"{name} is {packing}: pack logs as .gz, .zip, .tar or .tar.gz")
    else:
        with sent.open() as stream:
            yield UnpackedLog(name, sent, meter.log(name, chunks(stream)))


def _unpack_gzip(name: str, sent: Spooled, meter: Meter) -> Iterator[UnpackedLog]:
    with _refusing_damage(name), open_gzip(sent.path) as stream:
        inner = archives.packed_as(stream.read(archives.MAGIC_BYTES))
    if inner == "tar":
        yield from _unpack_archive(name, _unpack_tar(name, sent, meter), inner, meter)
    elif inner:
        raise Refused(f"{name} contains {inner} inside gzip: pack logs once")
    else:
        with open_gzip(sent.path) as stream:
            content = _undamaged(name, meter.log(name, chunks(stream)))
            yield UnpackedLog(name, sent, content, is_gzip=True, modified_at=_gzip_time(sent))


def _gzip_time(sent: Spooled) -> datetime | None:
    """Of the file before it was packed (RFC 1952, MTIME); the header was read before."""
    with sent.open() as raw:
        return archives.utc_time(int.from_bytes(raw.read(8)[4:], "little"))


def _unpack_tar(name: str, sent: Spooled, meter: Meter) -> Spooled:
    with _refusing_damage(name), open_gzip(sent.path) as stream:
        tar = spool(meter.unpacked(name, chunks(stream)))
    meter.forget(tar.size_bytes)  # its logs are counted when they are taken out of it
    return tar


def _unpack_archive(name: str, archive: Spooled, packing: str, meter: Meter) -> Iterator[UnpackedLog]:
    walk = archives.walk_zip if packing == "zip" else archives.walk_tar
    is_empty = True
    with _refusing_damage(name), closing(walk(archive.path, meter.limits.members)) as entries:
        for inner_name, stream, modified_at in entries:
            check_name(inner_name, max_characters=meter.limits.name_characters)
            log = spool(meter.log(inner_name, chunks(stream)))
            if inner := _packing(log):
                raise Refused(f"{inner_name} in {name} is {inner}: pack logs once")
            is_empty = False
            with log.open() as unpacked:
                yield UnpackedLog(inner_name, log, chunks(unpacked), modified_at=modified_at)
    if is_empty:
        raise Refused(f"{name} contains no file")


def _packing(file: Spooled) -> str | None:
    with file.open() as stream:
        return archives.packed_as(stream.read(archives.MAGIC_BYTES))


def _undamaged(name: str, content: Iterable[bytes]) -> Iterator[bytes]:
    with _refusing_damage(name):
        yield from content


@contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    """What a damaged archive makes the libraries raise is the uploader's fault, not our bug."""
    try:
        yield
    except archives.UNREADABLE as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # our disk, not their file
        raise Refused(f"{name} cannot be unpacked: it is damaged or cut short") from error
