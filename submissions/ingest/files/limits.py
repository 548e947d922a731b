"""How much one upload may be, and the meter that stops it there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MIB = 1024 * 1024


class Refused(Exception):
    """A file, or a log in it, that is not opened; the text is for the uploader."""


class RefusedTooLarge(Refused):
    """Over a limit of size, number or compression ratio."""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much one upload may be; a log of stack traces packs about 20 : 1, a bomb 1000 : 1."""

    files: int = 50
    members: int = 200  # logs of all files together; also the entries of one archive
    member_bytes: int = 1024 * _MIB  # one log, unpacked: the same whether it came packed or not
    total_bytes: int = 2048 * _MIB  # all logs together, unpacked
    ratio: int = 200  # unpacked : sent, of one file ...
    ratio_free_bytes: int = 10 * _MIB  # ... looked at once this much is unpacked
    line_characters: int = 20_000  # the rest of a longer line is dropped
    name_characters: int = 255


class Meter:
    """Counts the bytes of one upload as they pass; over a limit it raises RefusedTooLarge."""

    def __init__(self, limits: UploadLimits):
        self.limits = limits
        self._sent_bytes = 0  # of the current file
        self._unpacked_bytes = 0  # of the current file
        self._total_bytes = 0  # unpacked, of all files

    def start_file(self) -> None:
        self._sent_bytes = self._unpacked_bytes = 0

    def sent(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The current file as it was sent, of which the web server has limited the size."""
        for chunk in chunks:
            self._sent_bytes += len(chunk)
            yield chunk

    def log(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """One log, unpacked, within every limit."""
        return _at_most(self.limits.member_bytes, name, self.unpacked(name, chunks))

    def unpacked(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Bytes unpacked from the current file, within its ratio and the upload's sum."""
        limits = self.limits
        for chunk in chunks:
            self._unpacked_bytes += len(chunk)
            self._total_bytes += len(chunk)
            if self._unpacked_bytes > max(limits.ratio_free_bytes, limits.ratio * self._sent_bytes):
                raise RefusedTooLarge(f"{name} unpacks to more than {limits.ratio} times its size")
            if self._total_bytes > limits.total_bytes:
                raise RefusedTooLarge(f"the logs are over {limits.total_bytes:,} bytes unpacked")
            yield chunk

    def forget(self, size_bytes: int) -> None:
        """Take back bytes that will be counted again, as the logs of a tar that had to be unpacked first."""
        self._unpacked_bytes -= size_bytes
        self._total_bytes -= size_bytes


def _at_most(max_bytes: int, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    size_bytes = 0
    for chunk in chunks:
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            raise RefusedTooLarge(f"{name} is over {max_bytes:,} bytes unpacked")
        yield chunk
