"""The log files of a command: what the shell named, or all in a folder."""

import glob
import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import BinaryIO

from benchsite_cli.errors import Failure


@dataclass(frozen=True, slots=True)
class LogFile:
    """`name` is shown: the path as it was given."""

    path: Path
    name: str
    sha256: str

    def part(self, opened: ExitStack) -> tuple[str, BinaryIO, str, dict[str, str]]:
        """For a form with files. The site takes the date of the file where log and uploader state none."""
        modified = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        headers = {"Last-Modified": format_datetime(modified, usegmt=True)}
        return self.path.name, opened.enter_context(self.path.open("rb")), "application/octet-stream", headers


def collect(arguments: Sequence[str]) -> list[LogFile]:
    """Each file once, in the order given; a folder is read with all below it. Raises Failure."""
    paths: dict[Path, None] = {}
    for argument in arguments:
        for path in _paths_of(argument):
            paths.setdefault(path, None)
    if not paths:
        raise Failure(f"no file in {', '.join(arguments)}")
    return [LogFile(path, str(path), _digest(path)) for path in paths]


def _paths_of(argument: str) -> list[Path]:
    path = Path(argument)
    if path.is_dir():
        inside = (each for each in sorted(path.rglob("*")) if each.is_file())
        return [each for each in inside if not any(part.startswith(".") for part in each.relative_to(path).parts)]
    if path.is_file():
        return [path]
    matches = sorted(Path(name) for name in glob.glob(argument, recursive=True))
    if not matches:
        raise Failure(f"{argument}: no such file or folder")
    return [match for match in matches if match.is_file()]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
