"""Django's router: a request reads from the database chosen for it, everything else from the primary."""

from contextvars import ContextVar
from typing import Any

from benchsite.postgresql.databases import PRIMARY

_reading_from: ContextVar[str] = ContextVar("reading_from", default=PRIMARY)
_has_written: ContextVar[bool] = ContextVar("has_written", default=False)


def read_from(alias: str) -> None:
    """From now on, in this thread."""
    _reading_from.set(alias)
    _has_written.set(False)


def reading_from() -> str:
    """The database that the request of this thread reads."""
    return _reading_from.get()


def has_written() -> bool:
    """Whether the request of this thread has written by a model."""
    return _has_written.get()


class ReplicaRouter:
    def db_for_read(self, model: Any, **hints: Any) -> str:
        return _reading_from.get()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """Who writes reads from the primary for the rest of the request, where the rows are."""
        _reading_from.set(PRIMARY)
        _has_written.set(True)
        return PRIMARY

    def allow_relation(self, first: Any, second: Any, **hints: Any) -> bool:
        return True  # the databases hold the same rows

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return None if db == PRIMARY else False
