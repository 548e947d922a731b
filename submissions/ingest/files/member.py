"""One log of an upload that was opened and checked: read as often as needed, never held in memory."""

import gzip
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from io import IncrementalNewlineDecoder
from typing import IO, Any

_CHUNK_BYTES = 256 * 1024


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
        rest = ""
        with self.open_raw() as raw:
            for text in self._texts(raw):
                first, *lines = text.split("\n")
                if not lines:
                    rest = (rest + first)[:limit]
                    continue
                yield (rest + first)[:limit]
                rest = lines.pop()[:limit]
                for line in lines:
                    yield line if len(line) <= limit else line[:limit]
        if rest:
            yield rest

    def _texts(self, raw: IO[bytes]) -> Iterator[str]:
        """The text in pieces, with one kind of line end."""
        decoder = IncrementalNewlineDecoder(getincrementaldecoder(self.encoding)("replace"), translate=True)
        stream: Any = gzip.GzipFile(fileobj=raw) if self.is_gzip else raw
        while data := stream.read(_CHUNK_BYTES):
            yield decoder.decode(data)
        yield decoder.decode(b"", final=True)
