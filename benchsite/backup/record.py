"""When the site was last backed up: written into its storage, where every process of the site can read it."""

from contextlib import suppress
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from pydantic import BaseModel, ValidationError

NAME = "backup/last.json"  # in the storage


class LastBackup(BaseModel):
    """The last backup that was finished."""

    moment: datetime  # all that was committed before it is in the backup
    finished_at: datetime
    snapshot: str
    folder: str  # on the machine where it was made
    rows: int
    files: int
    file_bytes: int
    lost_files: int  # rows whose bytes the storage did not have


def last_backup() -> LastBackup | None:
    """None when there was none."""
    with suppress(FileNotFoundError, ValidationError), default_storage.open(NAME) as file:
        return LastBackup.model_validate_json(file.read())
    return None


def write_last_backup(record: LastBackup) -> None:
    default_storage.delete(NAME)
    default_storage.save(NAME, ContentFile(record.model_dump_json().encode()))
