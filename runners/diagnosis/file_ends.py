"""The parts that scripts/diagnose.sh prints, however early its output ends."""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

_HEAD = re.compile(rb"part (\d{1,18}) ([!-~]{1,400})")
_LINE_BYTES = 57  # of the content in a line of base64
MOST_PARTS = 60  # of a host


@dataclass(frozen=True, slots=True)
class FileEnd:
    """The end of a file of a host, or of what a command printed there."""

    path: str  # relative to the run's folder on the host
    size: int  # of the whole file
    content: bytes

    @property
    def is_cut(self) -> bool:
        return len(self.content) < self.size

    @property
    def stored(self) -> bytes:
        """The content, with a first line that says so when it is not the whole file."""
        if not self.is_cut:
            return self.content
        return b"[the last %d of %d bytes]\n" % (len(self.content), self.size) + self.content

    @property
    def text(self) -> str:
        # PostgreSQL cannot store NUL in a text
        return self.content.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")

    @property
    def name(self) -> str:
        """A name for readers: "system.log", or "trial-0-output.log" for the output of a job."""
        path = PurePosixPath(self.path)
        return f"{path.parent.name}-output.log" if path.name == "output" else path.name


def parts_of(printed: bytes) -> list[FileEnd]:
    """In the order of the script; lines that are neither a head nor base64 are skipped."""
    return list(islice((part for part in _parts(printed.splitlines()) if part.content), MOST_PARTS))


def _parts(lines: list[bytes]) -> Iterator[FileEnd]:
    size, path, content = 0, "", bytearray()
    for line in lines:
        if head := _HEAD.fullmatch(line):
            if path:
                yield FileEnd(path, size, bytes(content))
            size, path, content = int(head[1]), head[2].decode(), bytearray()
        else:
            content += _decoded(line)
    if path:
        yield FileEnd(path, size, bytes(content))


def _decoded(line: bytes) -> bytes:
    """The last line of an output that broke off may not be whole: as much as can be read."""
    try:
        return base64.b64decode(line[: len(line) // 4 * 4], validate=True)[:_LINE_BYTES]
    except binascii.Error:
        return b""
