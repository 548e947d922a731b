"""The SSH connections of this process: in one event loop, in a thread of its own, and kept for the next step of a run.

A new connection to each of 348 hosts costs seconds of CPU, a command on a kept one a fraction of that. What was kept
is lost with the process: the next worker connects anew.
"""

import asyncio
import contextlib
import os
import resource
import threading
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import asyncssh

T = TypeVar("T")
CLOSE_SECONDS = 2.0
MOST_FILES = 16_384  # open at once, where the system allows that
OTHER_FILES = 256  # of the process


@dataclass(frozen=True, slots=True)
class _Kept:
    connection: asyncssh.SSHClientConnection
    timer: asyncio.TimerHandle


class Connections:
    """Each kept connection has one user at a time; `key` names the host, its key and ours."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, _Kept] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="ssh", daemon=True).start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Its result; whoever is interrupted while waiting cancels it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def take(self, key: Hashable) -> asyncssh.SSHClientConnection | None:
        """The kept connection, if there is one that is not known to be broken. In the loop only, as the rest."""
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        kept.timer.cancel()
        return None if kept.connection.is_closed() else kept.connection

    async def give_back(self, key: Hashable, connection: asyncssh.SSHClientConnection, seconds: float) -> None:
        """Keep the connection for so long, or close it."""
        if not seconds or key in self._kept or len(self._kept) >= self._most or connection.is_closed():
            await close(connection)
            return
        self._kept[key] = _Kept(connection, self._loop.call_later(seconds, self._expire, key, connection))

    def _expire(self, key: Hashable, connection: asyncssh.SSHClientConnection) -> None:
        self._kept.pop(key, None)
        connection.close()
        self._loop.call_later(CLOSE_SECONDS, connection.abort)


async def close(connection: asyncssh.SSHClientConnection) -> None:
    connection.close()
    with contextlib.suppress(OSError, asyncssh.Error):  # a TimeoutError is an OSError
        async with asyncio.timeout(CLOSE_SECONDS):
            await connection.wait_closed()
    connection.abort()


_of_this_process: Connections | None = None
_lock = threading.Lock()


def connections() -> Connections:
    """Made when first needed: a thread does not survive a fork."""
    global _of_this_process
    with _lock:
        if _of_this_process is None:
            _of_this_process = Connections(_most_kept())
        return _of_this_process


def _most_kept() -> int:
    """As many as the process may have open files, once it has asked for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return max(0, (wanted if soft == resource.RLIM_INFINITY else soft) - OTHER_FILES)


def _forget() -> None:
    global _of_this_process, _lock
    _of_this_process, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
