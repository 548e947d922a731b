"""Files in S3; imported by the settings of sites that have a bucket."""

from datetime import datetime
from typing import cast

from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage
from storages.utils import clean_name


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


class _not_found:  # noqa: N801  reads as a context manager
    """S3's answer 404 as FileNotFoundError."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, ClientError) and error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            raise FileNotFoundError(f"not in the storage: {self.name}") from error
