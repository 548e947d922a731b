"""Turns uploaded files into checked, re-readable logs; only this opens what a stranger sent.

Nothing is held in memory but a chunk: raw bytes are kept in temporary files, a gzip is unpacked
again each time it is read. No Django here: a file is anything with `name` and `read`.
"""

import errno
import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Protocol, cast

from benchsite.refusals import Refusal, UploadTooLarge
from submissions.ingest.files import archives
from submissions.ingest.files.archives import Refused, RefusedTooLarge
from submissions.ingest.files.spool import Readable, Spooled, at_most, check_text, chunks, spool

_MIB = 1024 * 1024


class UploadedFile(Protocol):
    @property
    def name(self) -> str | None: ...

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much one upload may be; a log of stack traces packs about 20 : 1, a bomb 1000 : 1."""

    files: int = 50
    members: int = 200  # logs of all files together; also the entries of one archive
    upload_bytes: int = 256 * _MIB  # one file as it was sent
    member_bytes: int = 1024 * _MIB  # one log, unpacked
    total_bytes: int = 2048 * _MIB  # all logs together, unpacked
    ratio: int = 200  # unpacked : sent, of one file ...
    ratio_free_bytes: int = 10 * _MIB  # ... looked at once this much is unpacked
    line_characters: int = 20_000  # the rest of a longer line is dropped
    name_characters: int = 255


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One log.

    `sha256`, `size_bytes` and `open_raw` are of the file as it was sent (still packed, if it was
    a .gz); of a log in a zip or tar archive, of the log itself.
    """

    name: str
    pointer: str  # "#/files/0": the uploaded file that it came in
    sha256: str  # hexadecimal
    size_bytes: int
    warnings: tuple[str, ...]
    line_characters: int
    _raw: "Spooled" = field(repr=False)  # keeps the temporary file alive
    _is_gzip: bool = field(repr=False)
    _encoding: str = field(repr=False)

    def open_raw(self) -> BufferedReader:
        """The bytes to keep; the caller closes it."""
        return self._raw.path.open("rb")

    def open_lines(self, line_characters: int | None = None) -> Iterator[str]:
        """The lines without their ends, from the first one at each call.

        Each is cut at `line_characters`, by default the limit that the upload was opened with.
        """
        limit = line_characters or self.line_characters
        with (
            _unpacked(self._raw.path, self._is_gzip) as stream,
            TextIOWrapper(stream, self._encoding, errors="replace") as text,
        ):
            while line := text.readline(limit):
                rest = line
                while rest and not rest.endswith("\n"):
                    rest = text.readline(limit)
                yield line.removesuffix("\n")


def open_upload(files: Sequence[UploadedFile], limits: UploadLimits | None = None) -> list[Member]:
    """Check every file and return the logs in them, in order.

    Raises UploadTooLarge over a limit and Refusal for whatever else is refused; the pointer is
    the file's place, `#/files/0`, the detail names the log inside it.
    """
    limits = limits or UploadLimits()
    if not files:
        raise Refusal.at("#/files", "no file was sent")
    if len(files) > limits.files:
        raise UploadTooLarge.at("#/files", f"more than {limits.files} files in one upload")
    opener = _Opener(limits)
    for index, file in enumerate(files):
        opener.open_file(f"#/files/{index}", file)
    return opener.members


class _Opener:
    """One upload's state: the logs found so far, and how much of the limits they use."""

    def __init__(self, limits: UploadLimits):
        self.limits = limits
        self.members: list[Member] = []
        self._pointer = ""
        self._sent_bytes = 0  # of the current file
        self._unpacked_bytes = 0  # of the current file
        self._total_bytes = 0  # unpacked, of all files

    def open_file(self, pointer: str, file: UploadedFile) -> None:
        """Add the logs in one uploaded file."""
        self._pointer, self._unpacked_bytes = pointer, 0
        name = file.name or "upload"
        try:
            self._check_name(name)
            sent = spool(at_most(self.limits.upload_bytes, name, chunks(file)))
            self._sent_bytes = sent.size_bytes
            self._open_sent(name, sent)
        except RefusedTooLarge as refusal:
            raise UploadTooLarge.at(pointer, str(refusal)) from refusal
        except Refused as refusal:
            raise Refusal.at(pointer, str(refusal)) from refusal

    def _open_sent(self, name: str, sent: Spooled) -> None:
        packing = archives.packed_as(sent.start())
        if packing == "gzip":
            self._open_gzip(name, sent)
        elif packing in ("zip", "tar"):
            self._open_archive(name, sent, packing)
        elif packing:
            raise Refused(f"{name} is {packing}: pack logs as .gz, .zip, .tar or .tar.gz")
        else:
            with sent.path.open("rb") as stream:
                self._add(name, sent, self._log_chunks(name, stream))

    def _open_gzip(self, name: str, sent: Spooled) -> None:
        with _readable(name), gzip.open(sent.path) as stream:
            inner = archives.packed_as(stream.read(archives.MAGIC_BYTES))
        if inner == "tar":
            self._open_archive(name, self._unpack_tar(name, sent), inner)
        elif inner:
            raise Refused(f"{name} holds {inner} inside gzip: pack logs once")
        else:
            with _readable(name), gzip.open(sent.path) as stream:
                self._add(name, sent, self._log_chunks(name, stream), is_gzip=True)

    def _unpack_tar(self, name: str, sent: Spooled) -> Spooled:
        with _readable(name), gzip.open(sent.path) as stream:
            tar = spool(self._metered(name, chunks(stream)))
        # Its logs are counted once more when they are taken out of it.
        self._unpacked_bytes -= tar.size_bytes
        self._total_bytes -= tar.size_bytes
        return tar

    def _open_archive(self, name: str, archive: Spooled, packing: str) -> None:
        walk = archives.walk_zip if packing == "zip" else archives.walk_tar
        before = len(self.members)
        with _readable(name), closing(walk(archive.path, self.limits.members)) as found:
            for inner_name, stream in found:
                self._check_name(inner_name)
                log = spool(self._log_chunks(inner_name, stream))
                if inner := archives.packed_as(log.start()):
                    raise Refused(f"{inner_name} in {name} is {inner}: pack logs once")
                with log.path.open("rb") as unpacked:
                    self._add(inner_name, log, chunks(unpacked))
        if len(self.members) == before:
            raise Refused(f"{name} holds no file")

    def _add(self, name: str, raw: Spooled, chunks: Iterable[bytes], *, is_gzip: bool = False) -> None:
        if len(self.members) >= self.limits.members:
            raise RefusedTooLarge(f"more than {self.limits.members} logs in one upload")
        encoding, is_broken = check_text(name, chunks)
        warning = f"{name}: bytes that are not {encoding[:6].upper()} were replaced by U+FFFD"
        member = Member(
            name=name,
            pointer=self._pointer,
            sha256=raw.sha256,
            size_bytes=raw.size_bytes,
            warnings=(warning,) if is_broken else (),
            line_characters=self.limits.line_characters,
            _raw=raw,
            _is_gzip=is_gzip,
            _encoding=encoding,
        )
        self.members.append(member)

    def _check_name(self, name: str) -> None:
        archives.check_name(name, max_characters=self.limits.name_characters)

    def _log_chunks(self, name: str, stream: Readable) -> Iterator[bytes]:
        """One log's bytes, unpacked, within every limit."""
        return at_most(self.limits.member_bytes, name, self._metered(name, chunks(stream)))

    def _metered(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Stop as soon as the file's ratio or the upload's sum is over its limit."""
        limits = self.limits
        for chunk in chunks:
            self._unpacked_bytes += len(chunk)
            self._total_bytes += len(chunk)
            if self._unpacked_bytes > max(limits.ratio_free_bytes, limits.ratio * self._sent_bytes):
                raise RefusedTooLarge(f"{name} unpacks to more than {limits.ratio} times its size")
            if self._total_bytes > limits.total_bytes:
                raise RefusedTooLarge(f"the logs are over {limits.total_bytes:,} bytes unpacked")
            yield chunk


def _unpacked(path: Path, is_gzip: bool) -> BufferedReader:
    # A GzipFile is buffered and readable, which is all that TextIOWrapper asks for.
    return cast(BufferedReader, gzip.open(path)) if is_gzip else path.open("rb")


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """What a broken archive makes the libraries raise is the uploader's to know, not our bug."""
    try:
        yield
    except archives.UNREADABLE as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # our disk, not their file
        raise Refused(f"{name} cannot be unpacked: it is damaged or cut short") from error
