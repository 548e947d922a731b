"""Where files are stored: a folder, or S3 (`bucket.py`). Files there are whole, and their age can be set back."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils.deconstruct import deconstructible

if TYPE_CHECKING:  # its library takes half a second of each process, and most sites have a folder
    from benchsite.storage.bucket import BucketStorage

UNFINISHED = ".unfinished"  # a killed process leaves its files there


@deconstructible
class FolderStorage(FileSystemStorage):
    """Files in a folder, written beside it and moved into place: a killed process leaves no half file under a name."""

    def __init__(self, *, durable: bool = True, **options: Any):
        super().__init__(**options)
        self._durable = durable  # on disk before a row points to it; False for tests

    def _save(self, name: str, content: "File[Any]") -> str:
        final = Path(self.path(name))
        unfinished = Path(self.path(f"{UNFINISHED}/{uuid4().hex}"))
        try:
            super()._save(f"{UNFINISHED}/{unfinished.name}", content)  # type: ignore[misc]
            if self._durable:
                _flush(unfinished)
            final.parent.mkdir(parents=True, exist_ok=True)
            unfinished.replace(final)
            if self._durable:
                _flush(final.parent)
        finally:
            unfinished.unlink(missing_ok=True)
        return name

    def touch(self, name: str) -> None:
        """Count its age from now; FileNotFoundError when it is not there."""
        os.utime(self.path(name))

    def delete_unfinished(self, before: datetime) -> int:
        """Delete what killed processes have left; returns how many."""
        deleted = 0
        with suppress(FileNotFoundError):
            for path in Path(self.path(UNFINISHED)).iterdir():
                if path.stat().st_mtime < before.timestamp():
                    path.unlink(missing_ok=True)
                    deleted += 1
        return deleted


def site_storage() -> "FolderStorage | BucketStorage":
    """The default storage, which settings.py chooses of these two."""
    return cast("FolderStorage | BucketStorage", default_storage)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
