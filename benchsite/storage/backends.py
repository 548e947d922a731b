"""Where files are stored: a folder or S3. Under its name a file is always whole, and its age can be set back."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

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


class BucketStorage(S3Storage):
    """Files in a bucket, which are whole by themselves."""

    def touch(self, name: str) -> None:
        """Count its age from now; FileNotFoundError when it is not there."""
        key = self._normalize_name(clean_name(name))
        with _not_found(name):
            self.bucket.Object(key).copy_from(
                CopySource={"Bucket": self.bucket_name, "Key": key}, MetadataDirective="REPLACE"
            )

    def get_modified_time(self, name: str) -> datetime:
        with _not_found(name):
            return cast(datetime, super().get_modified_time(name))

    def delete_unfinished(self, before: datetime) -> int:
        return 0


def site_storage() -> FolderStorage | BucketStorage:
    """The default storage, which settings.py chooses of these two."""
    return cast(FolderStorage | BucketStorage, default_storage)


class _not_found:  # noqa: N801  reads as a context manager
    """S3's answer 404 as FileNotFoundError."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, ClientError) and error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            raise FileNotFoundError(f"not in the storage: {self.name}") from error


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
