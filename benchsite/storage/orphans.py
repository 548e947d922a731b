"""Files of the storage to which no row points: of refused and forgotten uploads. They are deleted after a week."""

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from django.core.files.storage import default_storage

from benchsite.storage.backends import site_storage
from benchsite.storage.by_hash import locked, names_by_hash, stored_files

RETENTION = timedelta(days=7)  # from the last time that anybody wrote or reused the file
UNFINISHED_FOR = timedelta(days=1)
SUSPICIOUS_FILES = (
    100  # as many, and most of the storage: more likely the wrong database than so many forgotten uploads
)

log = logging.getLogger(__name__)


class WrongDatabase(Exception):
    """Most of the storage has no row: it looks like another site's. The text says how to go on."""


def files_without_rows() -> list[str]:
    """Names in the storage; those whose rows are being written are among them."""
    return without_rows(set(names_by_hash()))


def delete_orphans(now: datetime, *, even_most: bool = False) -> int:
    """Delete the files that no row has pointed to for a week, and what killed processes left; returns how many.

    Raises WrongDatabase, and deletes nothing, where that would be most of the storage, unless `even_most`.
    """
    names = set(names_by_hash())
    old = [name for name in without_rows(names) if is_past_retention(name, now)]
    if len(old) > max(SUSPICIOUS_FILES, len(names) / 2) and not even_most:
        raise WrongDatabase(
            f"no row points to {len(old)} of {len(names)} files in the storage: nothing was deleted. If this storage"
            " belongs to this database and to no other site, run manage.py check_artifacts --delete"
        )
    deleted: int = sum(_delete(name, now) for name in old)
    deleted += site_storage().delete_unfinished(before=now - UNFINISHED_FOR)
    log.info("deleted %d files of the storage without rows", deleted)
    return deleted


def without_rows(names: set[str]) -> list[str]:
    """`names` were listed before the rows are read: a file whose row is written meanwhile has its row."""
    left = set(names)
    for file in stored_files():
        left.discard(file.name)
    return sorted(left)


def is_past_retention(name: str, now: datetime) -> bool:
    with suppress(FileNotFoundError):
        return bool(default_storage.get_modified_time(name) < now - RETENTION)
    return False


def _delete(name: str, now: datetime) -> bool:
    with locked(name):
        if is_old := is_past_retention(name, now):  # nobody has reused it meanwhile
            default_storage.delete(name)
        return is_old
