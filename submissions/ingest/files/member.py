"""One log of an upload that was opened and checked: read as often as needed, never held in memory."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from io import BufferedReader, TextIOWrapper
from typing import IO, cast


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One log.

    `sha256`, `size_bytes` and `open_raw` are of the file as it was sent (still packed, if it was
    a .gz); of a log in a zip or tar archive, of the log itself. Where it held secrets, they are of the bytes in which
    the secrets are masked, and `original_sha256` is of the file before.
    """

    name: str
    pointer: str  # "#/files/0": the uploaded file that it came in
    sha256: str  # hexadecimal
    size_bytes: int
    warnings: tuple[str, ...]
    line_characters: int
    encoding: str
    is_gzip: bool
    open_raw: Callable[[], IO[bytes]] = field(repr=False)  # the bytes to store; the caller closes it
    original_sha256: str | None = None
    modified_at: datetime | None = None  # of the file, where its archive or its sender states it; not checked

    def open_lines(self, line_characters: int | None = None) -> Iterator[str]:
        """The lines without their ends, from the first one at each call.

        Each is cut at `line_characters`, by default the limit that the upload was opened with.
        """
        limit = line_characters or self.line_characters
        with (
            self.open_raw() as raw,
            _unpacked(raw, self.is_gzip) as stream,
            TextIOWrapper(stream, self.encoding, errors="replace") as text,
        ):
            while line := text.readline(limit):
                rest = line
                while rest and not rest.endswith("\n"):
                    rest = text.readline(limit)
                yield line.removesuffix("\n")


def _unpacked(raw: IO[bytes], is_gzip: bool) -> BufferedReader:
    # Both are buffered and readable, which is all that TextIOWrapper asks for.
    return cast(BufferedReader, gzip.GzipFile(fileobj=raw) if is_gzip else raw)
