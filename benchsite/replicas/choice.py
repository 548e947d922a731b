"""Which database a reader reads from."""

import threading
from functools import cache
from itertools import count
from zlib import crc32

from django.conf import settings

from benchsite.postgresql.databases import PRIMARY, replicas_of
from benchsite.replicas.servers import MOST_BEHIND_SECONDS, Primary, Server, watch


class Choice:
    def __init__(self, replicas: list[str]):
        self.primary = Primary()
        self.replicas = [Server(alias) for alias in replicas]
        self._turn = count()
        self._starting = threading.Lock()
        self.is_watching = False

    def of(self, reader: str, wrote_at: int | None) -> str:
        """The alias for a reader who has written up to `wrote_at`; the same one each time, while it is good.

        A replica that is too far behind, or behind the reader's own writes, is not read while the primary is there.
        Without the primary any replica is: an old page is better than none.
        """
        self._start()
        is_primary_up = self.primary.position is not None
        usable = [server for server in self.replicas if self._may_answer(server, wrote_at, is_primary_up)]
        if not usable:
            return PRIMARY
        number = crc32(reader.encode()) if reader else next(self._turn)
        return usable[number % len(usable)].alias

    def is_read_only(self) -> bool:
        """Whether replicas answer, and the primary does not."""
        self._start()
        return self.primary.position is None and any(server.position is not None for server in self.replicas)

    def look(self) -> None:
        """At all of them now: an answer has failed, and the last look may be a second old."""
        for server in (self.primary, *self.replicas):
            server.look()

    def _may_answer(self, server: Server, wrote_at: int | None, is_primary_up: bool) -> bool:
        position = server.position
        if position is None or not is_primary_up:
            return position is not None
        if wrote_at is not None and position < wrote_at:
            return False
        return self.primary.seconds_since(position) <= MOST_BEHIND_SECONDS

    def _start(self) -> None:
        """At the first request: a thread does not survive the fork of a web worker."""
        if self.is_watching:
            return
        with self._starting:
            if not self.is_watching:
                self.look()
                for server in (self.primary, *self.replicas):
                    watch(server)
                self.is_watching = True


@cache
def choice() -> Choice:
    return Choice(replicas_of(settings.DATABASES))
