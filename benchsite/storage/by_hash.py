"""Files that are named by their hash, and the rows that point to stored files.

A model whose rows point to files of the storage has a class method `stored_files` that yields (name, sha256) of each.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import IO, NamedTuple

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.utils import timezone

from benchsite.storage.backends import site_storage

CHUNK_BYTES = 1024 * 1024
TOUCH_AFTER = timedelta(days=1)

_FOLDER = re.compile(r"[0-9a-f]{2}")
_NAME = re.compile(r"([0-9a-f]{64})(_\w+)?")  # with an ending: a second writer's copy, of older versions


class StoredFile(NamedTuple):
    """A file to which a row points."""

    name: str  # in the storage
    sha256: str


def stored_files() -> Iterator[StoredFile]:
    """All files to which rows point, in no order; those of several rows come several times."""
    for model in apps.get_models():
        if files := getattr(model, "stored_files", None):
            yield from (StoredFile(name, sha256) for name, sha256 in files())


def names_by_hash() -> Iterator[str]:
    """Every file of the storage that is named by its hash, whether or not a row points to it."""
    with suppress(FileNotFoundError):  # a new site has no folder
        for folder in sorted(default_storage.listdir("")[0]):
            if _FOLDER.fullmatch(folder):
                for name in default_storage.listdir(folder)[1]:
                    if _NAME.fullmatch(name):
                        yield f"{folder}/{name}"


def sha256_of(file: IO[bytes]) -> str:
    """The sum of what is left to read, in hexadecimal."""
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


def is_stored(name: str) -> bool:
    """Whether the file is there; if so, it is safe from deletion until the caller's row points to it."""
    if not default_storage.exists(name):
        return False
    with locked(name):
        with suppress(FileNotFoundError):
            if default_storage.get_modified_time(name) < timezone.now() - TOUCH_AFTER:
                site_storage().touch(name)
            return True
        return False


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Who looks at the age of a file and then deletes it, and who counts on it, take turns.

    Inside the caller's transaction the lock is given back at once: it may need several, in any order. Outside of one
    it has a transaction of its own, since a pooler keeps a connection for no longer.
    """
    if not connection.in_atomic_block:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
