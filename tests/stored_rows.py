"""Rows that many tests begin with: made once in a process by the code that makes them, then copied in."""

from collections.abc import Callable

from django.apps import apps
from django.db import connection, transaction
from psycopg import sql

from benchsite.redis.cache import evictable_cache

OURS = ("submissions", "runners", "auth")
OF_MIGRATIONS = {"auth_permission"}  # there already, in every database

_kept: dict[str, dict[str, bytes]] = {}  # of each name: the rows of each table, as COPY writes them


def stored(name: str, store: Callable[[], object]) -> None:
    """What `store` stores in an empty database, with the same keys each time. It stores no files."""
    if name in _kept:
        _put(_kept[name])
        return
    before = _rows()
    assert not before, f"{sorted(before)}: rows of a test would be kept for the next"
    store()
    _kept[name] = _rows()


def _tables() -> list[str]:
    models = (model for app in OURS for model in apps.get_app_config(app).get_models(include_auto_created=True))
    return [model._meta.db_table for model in models if model._meta.db_table not in OF_MIGRATIONS]


def _rows() -> dict[str, bytes]:
    rows = {}
    with connection.cursor() as cursor:
        for table in _tables():
            with cursor.cursor.copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as lines:
                content = b"".join(bytes(line) for line in lines)
            if content:
                rows[table] = content
    return rows


def _put(rows: dict[str, bytes]) -> None:
    # The counters of the keys are beyond these rows: no test takes them back.
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # they were checked when they were made
        for table, content in rows.items():
            with cursor.cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as lines:
                lines.write(content)
        cursor.execute("SET LOCAL session_replication_role = origin")  # a test in a transaction goes on in this one
    evictable_cache.clear()  # the keys of these rows are those of an earlier test
