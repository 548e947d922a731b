"""The module that Django looks for in a database backend: its wrapper of a connection."""

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base as _base

base: Any = _base  # of whose classes the types are incomplete

_PREPARED = "prepared"  # a name that asks for such a cursor, where Django passes the name of a server-side one
_NEVER_UNASKED = 2**31  # executions after which psycopg would prepare a statement by itself


class _PreparedCursor(base.ServerBindingCursor):
    """Each statement is parsed and planned once a connection: the small ones of an upload take longer to plan than run.

    A parameter has a type of its own here, so that SQL must say which where nothing else does (`%s::bigint[]`).
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, prepare=True, **options)

    def _convert_query(self, query: Any, params: Any = None) -> Any:
        self._query = super()._convert_query(query, params)  # what Django's log of queries shows
        return self._query


class DatabaseWrapper(base.DatabaseWrapper):
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
