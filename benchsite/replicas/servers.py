"""How the primary and each replica are: looked at every second, by a thread for each, outside of all requests."""

import logging
import threading
import time
from collections import deque

from django.db import Error as DatabaseError
from django.db import connections

from benchsite.postgresql.databases import PRIMARY

LOOK_SECONDS = 1.0
SILENT_SECONDS = 5.0  # a server that answers no look for so long is down, though its connection is open
MOST_BEHIND_SECONDS = 10.0  # a replica that is further behind answers nobody while the primary is there
POSITIONS = 120  # of the primary, one a second while it writes: more than MOST_BEHIND_SECONDS

# In bytes of WAL. A server in recovery that is configured as the primary takes no writes: an error, as if it were down.
_OF_PRIMARY = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
_OF_REPLICA = (
    "SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END"
    " - '0/0')::bigint"
)

log = logging.getLogger(__name__)


class Server:
    """One database server; `position` is how much of the primary's log it has written or replayed, None: down."""

    def __init__(self, alias: str):
        self.alias = alias
        self._position: int | None = None
        self._seen_at = 0.0
        self._query = _OF_PRIMARY if alias == PRIMARY else _OF_REPLICA

    @property
    def position(self) -> int | None:
        return self._position if time.monotonic() - self._seen_at < SILENT_SECONDS else None

    def look(self) -> None:
        position = self.ask_position()
        if (position is None) != (self._position is None):
            log.warning("database %s is %s", self.alias, "down" if position is None else "up")
        self._position, self._seen_at = position, time.monotonic()

    def ask_position(self) -> int | None:
        connection = connections[self.alias]  # of this thread
        try:
            with connection.cursor() as cursor:
                cursor.execute(self._query)
                return int(cursor.fetchone()[0])
        except (DatabaseError, TypeError):  # unreachable, or a replica that has replayed nothing yet
            connection.close()
            return None


class Primary(Server):
    """Remembers when it was where, so that the distance of a replica is known in seconds."""

    def __init__(self) -> None:
        super().__init__(PRIMARY)
        self._positions: deque[tuple[float, int]] = deque(maxlen=POSITIONS)

    def look(self) -> None:
        super().look()
        if self._position is not None and (not self._positions or self._positions[-1][1] != self._position):
            self._positions.append((self._seen_at, self._position))

    def seconds_since(self, position: int) -> float:
        """How old the first change is that a server at `position` does not have."""
        missing = next((at for at, reached in list(self._positions) if reached > position), None)
        return 0.0 if missing is None else time.monotonic() - missing


def watch(server: Server) -> None:
    """Look for ever, in a thread of this process."""

    def go_on() -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            server.look()

    threading.Thread(target=go_on, name=f"watch-{server.alias}", daemon=True).start()
