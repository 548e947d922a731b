"""Free space: uploads stop before the disk is full, so that the database and everything that reads go on."""

import errno
import shutil
from pathlib import Path

from django.conf import settings

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
