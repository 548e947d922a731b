"""Temporary files in the data folder: a folder for each process, which others delete once that process is gone.

A process holds a lock on its folder, which the kernel drops however the process ends: what a killed worker leaves
behind is known for certain, also among containers that share the data folder.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

LOCK = "lock"

_own: dict[tuple[int, Path], Path] = {}  # (process, temporary folder of the site) -> its own folder there


def temporary_folder() -> Path:
    """Of this process; made at the first call, deleted when the process ends in order."""
    place = settings.DATA_DIR / "tmp"
    mine = (os.getpid(), place)
    if mine not in _own or not _own[mine].is_dir():
        _own[mine] = _make(place)
    return _own[mine]


def clear_abandoned() -> int:
    """Delete the folders of processes that are gone; returns how many."""
    cleared = 0
    for folder in (settings.DATA_DIR / "tmp").glob("[!.]*"):
        with suppress(OSError), (folder / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while its process lives
            shutil.rmtree(folder, ignore_errors=True)
            cleared += 1
    return cleared


def _make(place: Path) -> Path:
    """Locked before it has its name there, so that nobody takes it for an abandoned one."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    unnamed = Path(tempfile.mkdtemp(dir=place, prefix="."))
    lock = os.open(unnamed / LOCK, os.O_CREAT | os.O_RDWR, 0o600)  # open as long as the process lives
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder = unnamed.rename(place / f"{os.getpid()}-{unnamed.name.removeprefix('.')}")
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, pid: int) -> None:
    if pid == os.getpid():  # a forked child inherits the exit handlers
        shutil.rmtree(folder, ignore_errors=True)


class TemporaryUploads(TemporaryFileUploadHandler):
    """The larger files of a request: without a name, so that the system deletes them with the process."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super(TemporaryFileUploadHandler, self).new_file(*args, **kwargs)
        content = tempfile.TemporaryFile(dir=temporary_folder())  # noqa: SIM115 closed with the request
        self.file = UploadedFile(  # type: ignore[assignment]
            content, self.file_name, self.content_type, 0, self.charset, self.content_type_extra
        )

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
