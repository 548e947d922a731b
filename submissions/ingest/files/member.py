"""One log of an upload that was opened and checked: read as often as needed, never held in memory."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from io import IncrementalNewlineDecoder
from typing import IO

from submissions.ingest.files.gunzip import open_gzip

CHUNK_BYTES = (
    240 * 1024
)  # copies of larger ones would each be new pages from the system (benchsite/processes/machine.py)

_ESCAPE = "\x1b"
# Colours and cursor movements of a terminal, its titles, and the character sets that it switches to.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,50}[ -/]{0,5}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|[ -/]{1,3}[0-~]|[0-~])"
)


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

    def open_lines(self, line_characters: int | None = None) -> "Lines":
        """The lines without their ends, from the first one at each call.

        Each is cut at `line_characters`, by default the limit that the upload was opened with.
        """
        return Lines(self._texts, line_characters or self.line_characters)

    def _texts(self) -> Iterator[str]:
        """The text in pieces, with one kind of line end."""
        decoder = IncrementalNewlineDecoder(getincrementaldecoder(self.encoding)("replace"), translate=True)
        with self.open_raw() as raw:
            stream = open_gzip(raw) if self.is_gzip else raw
            while data := stream.read(CHUNK_BYTES):
                yield decoder.decode(data)
        yield decoder.decode(b"", final=True)


class Lines:
    """The lines of a text that comes in pieces, without the codes of a terminal.

    See submissions.ingest.document.readings.BlockLines.
    """

    def __init__(self, texts: Callable[[], Iterator[str]], limit: int):
        self._texts = texts
        self._limit = limit
        self._take: Callable[[str], bool] | None = None
        self._lines = self._read()

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def __next__(self) -> str:
        return next(self._lines)

    def offer_blocks(self, take: Callable[[str], bool]) -> None:
        self._take = take

    def _read(self) -> Iterator[str]:
        limit, rest = self._limit, ""
        for text in self._texts():
            if _ESCAPE in text or _ESCAPE in rest:
                lines = (rest + text).split("\n")
                rest = lines.pop()[:limit]
                for line in lines:
                    yield _ESCAPES.sub("", line[:limit])
                continue
            if self._take is not None and (end := text.rfind("\n") + 1) and self._take(rest + text[:end]):
                rest = text[end:][:limit]
                continue
            first, *lines = text.split("\n")
            if not lines:
                rest = (rest + first)[:limit]
                continue
            yield (rest + first)[:limit]
            rest = lines.pop()[:limit]
            for line in lines:
                yield line if len(line) <= limit else line[:limit]
        if rest:
            yield _ESCAPES.sub("", rest)
