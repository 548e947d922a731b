"""A bundle on disk: read without unpacking it, and compared with what its statement says."""

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from benchsite_cli.bundles import zip_form
from benchsite_cli.bundles.signatures import NotVerified
from benchsite_cli.errors import Failure

PATH = "statement.intoto.jsonl"
MAX_STATEMENT_BYTES = 64 * 1024 * 1024
MAX_FILES = 100_000
CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not as it was signed."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


class Bundle:
    """An open zip; nothing of it is unpacked, and of no file more is read than is asked for."""

    def __init__(self, archive: ZipFile, file: IO[bytes]):
        """Raises Failure for a zip that is not byte for byte in the form in which sites write them."""
        self._archive = archive
        self._entries: dict[str, ZipInfo] = {}
        infos = archive.infolist()
        if len(infos) > MAX_FILES:
            raise Failure(f"the zip has more than {MAX_FILES:,} files: no bundle has")
        for info in infos:
            # the raw name: ZipInfo cuts a name at its first NUL
            name = info.orig_filename
            if not _is_plain(name):
                raise Failure(f"the zip has a file with the name {name!r}: no bundle has")
            if name in self._entries:
                raise Failure(f"the zip has two files with the name {name}: no bundle has")
            self._entries[name] = info
        zip_form.check(file, infos)

    def statement(self) -> bytes:
        """Raises NotVerified."""
        if PATH not in self._entries:
            raise NotVerified(f"it has no {PATH}: this is no bundle, or its statement was removed")
        content = b"".join(self.chunks(PATH, MAX_STATEMENT_BYTES))
        if len(content) > MAX_STATEMENT_BYTES:
            raise NotVerified(f"{PATH} is too large")
        return content

    def differences(self, statement: dict[str, Any]) -> list[Difference]:
        """By hashing every byte of every file that the statement names. Raises NotVerified."""
        signed = _subjects(statement)
        found = [difference for path, said in signed.items() if (difference := self._difference(path, *said))]
        extra = sorted(set(self._entries) - set(signed) - {PATH})
        found += [Difference(path, "is not in the statement: it was added") for path in extra]
        moved = [path for path, signed_path in zip(self._entries, (PATH, *signed), strict=False) if path != signed_path]
        return found or [Difference(path, "is not at its place: the order is that of the statement") for path in moved]

    def chunks(self, path: str, most_bytes: int) -> Iterator[bytes]:
        """The bytes of a file, at most one more than `most_bytes`. Raises NotVerified where they cannot be read."""
        left = most_bytes + 1
        try:
            with self._archive.open(self._entries[path]) as file:
                while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
                    left -= len(chunk)
                    yield chunk
        except (BadZipFile, EOFError, zlib.error, OSError, NotImplementedError, RuntimeError) as error:
            raise NotVerified(f"{path} cannot be read: {error}") from error

    def _difference(self, path: str, sha256: str, size: int) -> Difference | None:
        if path not in self._entries:
            return Difference(path, "is missing")
        digest, length = hashlib.sha256(), 0
        try:
            for chunk in self.chunks(path, size):
                digest.update(chunk)
                length += len(chunk)
        except NotVerified as error:
            return Difference(path, f"is damaged ({error})")
        if length > size:
            return Difference(path, f"has more than the {size:,} bytes that were signed")
        if digest.hexdigest() != sha256:
            shorter = f", and {size - length:,} bytes are missing" if length < size else ""
            return Difference(path, f"sha256 differs: signed {sha256}, is {digest.hexdigest()}{shorter}")
        return None


@contextmanager
def opened(path: Path) -> Iterator[Bundle]:
    """Raises Failure for what is no zip, or one that no site has made."""
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            yield Bundle(archive, file)
    except (BadZipFile, EOFError, ValueError) as error:
        raise Failure(f"{path} is no whole zip file ({error})") from error
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror or error}") from error


def _is_plain(name: str) -> bool:
    """Whether a file of this name stays where it is unpacked, and a terminal can show it."""
    parts = name.split("/")
    is_inside = not any(part in ("", ".", "..") for part in parts) and "\\" not in name and ":" not in parts[0]
    return is_inside and name.isprintable()


def _subjects(statement: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """path -> (sha256, size). Raises NotVerified."""
    try:
        return {
            entry["name"]: (str(entry["digest"]["sha256"]), int(entry["annotations"]["size_bytes"]))
            for entry in statement["subject"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise NotVerified("the signed statement names files without their sums") from error
