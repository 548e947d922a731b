"""Free space: uploads stop before the disk is full, so that the database and everything that reads go on."""

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from django.conf import settings

MIB = 1024 * 1024
RESERVE_BYTES = 64 * MIB
NO_SPACE_BYTES = 16 * MIB  # one file of PostgreSQL's log of changes
_FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(Exception):
    """Nothing more can be stored for now."""


def free_bytes() -> int:
    """On the disk of DATA_DIR."""
    folder: Path = settings.DATA_DIR
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def is_low() -> bool:
    return free_bytes() < int(settings.MIN_FREE_BYTES)


def require_space() -> None:
    """Raises DiskFull where less than MIN_FREE_BYTES are free: before anything is stored."""
    if is_low():
        raise DiskFull


class Reserve:
    """A file of DATA_DIR that gives way when others have filled the disk: PostgreSQL writes a little even to be read.

    Without that it takes no connection: "could not write init file".
    """

    def __init__(self) -> None:
        self.is_given = False
        self._path: Path = settings.DATA_DIR / "reserve"

    def look(self) -> None:
        """Give the file when nothing is left, and take it again once uploads are accepted again."""
        free = free_bytes()
        if free < NO_SPACE_BYTES:
            self._path.unlink(missing_ok=True)
            self.is_given = True
        elif free >= max(int(settings.MIN_FREE_BYTES), 2 * RESERVE_BYTES):
            self.is_given = False
            if not self._path.exists():
                self._take()

    def _take(self) -> None:
        unfinished = self._path.with_name(f"{self._path.name}.unfinished")
        try:
            with open(unfinished, "wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
            unfinished.replace(self._path)
        except (OSError, AttributeError):  # the next look may find more space; macOS has no such call
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)


def is_full(error: BaseException | None) -> bool:
    """Whether an error says that the disk is full: our own check, the system's or the database's."""
    while error is not None:
        if isinstance(error, DiskFull):
            return True
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if getattr(error, "sqlstate", None) == "53100":  # disk_full of PostgreSQL
            return True
        error = error.__cause__
    return False
