"""The module that Django looks for in a database backend: its wrapper of a connection."""

import itertools
import re
import select
from functools import lru_cache
from typing import Any

import psycopg
from django.db.backends.postgresql import base as _base

base: Any = _base  # of whose classes the types are incomplete

_PREPARED = "prepared"  # a name that asks for such a cursor, where Django passes the name of a server-side one
_NEVER_UNASKED = 2**31  # executions after which psycopg would prepare a statement by itself
# What is prepared, and what functions of the database run, finds rows by an index whatever its parameters are: else
# each is planned five times a connection, and some every time. Those of other statements are not cached at all.
_PLANNED_ONCE = "-c plan_cache_mode=force_generic_plan"


class _PreparedCursor(base.CursorMixin, psycopg.RawCursor[Any]):
    """Each statement is parsed and planned once a connection: the small ones of an upload take longer to plan than run.

    A parameter has a type of its own here, so that SQL must say which where nothing else does (`%s::bigint[]`).
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        text = query if params is None else _numbered(query)
        return super().execute(text, params, prepare=True, **options)

    def executemany(self, query: Any, params_seq: Any, *, returning: bool = False) -> None:
        super().executemany(_numbered(query), params_seq, returning=returning)  # psycopg prepares it, too

    def _convert_query(self, query: Any, params: Any = None) -> Any:
        self._query = super()._convert_query(query, params)  # what Django's log of queries shows
        return self._query


@lru_cache(maxsize=500)
def _numbered(query: str) -> bytes:
    """With PostgreSQL's own names of parameters. psycopg looks for them at each execution of a long statement."""
    numbers = itertools.count(1)
    return re.sub("%[s%]", lambda found: f"${next(numbers)}" if found[0] == "%s" else "%", query).encode()


class _SchemaEditor(base.DatabaseWrapper.SchemaEditorClass):
    def alter_field(self, model: Any, old_field: Any, new_field: Any, strict: bool = False) -> None:
        """Django refuses another expression of a generated column; PostgreSQL computes the column of all rows again."""
        if not self._has_other_expression(old_field, new_field):
            super().alter_field(model, old_field, new_field, strict)
            return
        expression, params = new_field.generated_sql(self.connection)
        table, column = self.quote_name(model._meta.db_table), self.quote_name(new_field.column)
        self.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET EXPRESSION AS ({expression})", params)

    def _has_other_expression(self, old_field: Any, new_field: Any) -> bool:
        if not (old_field.generated and new_field.generated):
            return False
        old, new = (field.generated_sql(self.connection) for field in (old_field, new_field))
        return bool(old_field.column == new_field.column and old != new)


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = _SchemaEditor
    connection: Any
    health_check_done: bool

    @property
    def is_pooled(self) -> bool:
        """A pooler in transaction mode gives each transaction another server connection: nothing may be prepared."""
        return bool(self.settings_dict["DISABLE_SERVER_SIDE_CURSORS"])

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        if not self.is_pooled:
            params["prepare_threshold"] = _NEVER_UNASKED
            params["options"] = f"{params.get('options') or ''} {_PLANNED_ONCE}".strip()
        return params

    def prepared_cursor(self) -> Any:
        """A cursor whose statements are prepared; an ordinary one behind a pooler."""
        return self._cursor(None if self.is_pooled else _PREPARED)

    def create_cursor(self, name: str | None = None) -> Any:
        if name != _PREPARED:
            return super().create_cursor(name)
        usual, self.connection.cursor_factory = self.connection.cursor_factory, _PreparedCursor
        try:
            return super().create_cursor()
        finally:
            self.connection.cursor_factory = usual

    def close_if_health_check_failed(self) -> None:
        """A connection on which nothing has arrived is as it was left: only others are asked `SELECT 1`.

        The server's end sends a notice or closes the socket, so that it can be read from.
        """
        if self.connection is not None and self.health_check_enabled and not self.health_check_done:
            self.health_check_done = _is_quiet(self.connection)
        super().close_if_health_check_failed()


def _is_quiet(connection: psycopg.Connection[Any]) -> bool:
    try:
        waiting = select.poll()
        waiting.register(connection.fileno(), select.POLLIN)
        return not waiting.poll(0)
    except (psycopg.Error, OSError):
        return False  # it is closed
