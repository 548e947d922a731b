"""Files as a zip on its way: the same bytes for the same files, never more than a chunk in memory.

The files are stored as they are: what zlib would make of them differs between its versions. `benchsite verify` reads
this form alone (`benchsite_cli/bundles/zip_form.py`, docs/bundles.md): change both, and read the old one on.
"""

from collections.abc import Iterable, Iterator
from typing import IO, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from submissions.bundles.file import BundleFile

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name
_LARGE = 2**31 - 1  # bytes; beyond them a file needs the fields of ZIP64


class _Pipe:
    """Takes what ZipFile writes; it has no `tell`, so ZipFile never goes back."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def taken(self) -> bytes:
        written, self._written = b"".join(self._written), []
        return written


def zipped(files: Iterable[BundleFile]) -> Iterator[bytes]:
    """The bytes of the zip. Raises Changed, and FileNotFoundError where bytes of the storage are gone meanwhile."""
    pipe = _Pipe()
    with ZipFile(cast(IO[bytes], pipe), "w", ZIP_STORED) as archive:  # it needs `write` and `flush` only
        for file in files:
            entry = ZipInfo(file.path, EPOCH)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # Unix; a file that all may read
            with archive.open(entry, "w", force_zip64=file.size_bytes > _LARGE) as member:
                for chunk in file.chunks():
                    member.write(chunk)
                    yield pipe.taken()
    yield pipe.taken()
