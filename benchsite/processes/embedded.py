"""Starts the embedded PostgreSQL and the two Redis servers of a data folder, and stops them after their last user.

Every process that needs the services calls `use`. A user is a shared lock on a file, which the kernel drops
however the process ends, so a `kill -9` can leave servers running but never a wrong count: the next process
finds them, or replaces what is broken, and the last one to leave stops them.
"""

import atexit
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from benchsite.processes import embedded_servers as servers
from benchsite.processes.embedded_servers import EmbeddedError

__all__ = [
    "CACHE",
    "POSTGRES",
    "REDIS",
    "EmbeddedError",
    "begin_to_use",
    "cache_url",
    "database_url",
    "leave",
    "redis_url",
    "start_again",
    "use",
    "use_configured",
    "wait",
    "write_redis",
]

DATABASE = "benchsite"
POSTGRES, REDIS, CACHE = "postgres", "redis", "cache"

# A Unix socket's address holds 107 bytes on Linux, 103 on macOS; the longest name in the folder has 13.
LONGEST_SOCKET_FOLDER = 88

_starting: Future[None] | None = None
_held: dict[Path, int] = {}  # services folder -> descriptor of the shared lock that says "in use"


@dataclass(frozen=True)
class Place:
    """Where the services of one data folder keep their files."""

    data_dir: Path

    @property
    def folder(self) -> Path:
        return self.data_dir / "services"

    @property
    def postgres_data(self) -> Path:
        return self.folder / "postgres"

    @property
    def redis_data(self) -> Path:
        return self.folder / "redis"

    @property
    def cache_data(self) -> Path:
        return self.folder / "cache"

    @property
    def sockets(self) -> Path:
        """Beside the data, or in the temporary folder when that path is too long for a socket."""
        beside = self.folder / "sockets"
        if len(os.fsencode(beside)) <= LONGEST_SOCKET_FOLDER:
            return beside
        mark = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"benchsite-{os.getuid()}-{mark}"

    @property
    def redis_socket(self) -> Path:
        return self.sockets / "redis.sock"

    @property
    def cache_socket(self) -> Path:
        return self.sockets / "cache.sock"


def database_url(data_dir: Path | str) -> str:
    return f"postgres://postgres@{quote(str(place_of(data_dir).sockets), safe='')}/{DATABASE}"


def redis_url(data_dir: Path | str) -> str:
    return f"unix://{place_of(data_dir).redis_socket}"


def cache_url(data_dir: Path | str) -> str:
    return f"unix://{place_of(data_dir).cache_socket}"


def use_configured() -> None:
    """Use what the settings leave to us: nothing when all addresses are given."""
    from django.conf import settings

    if settings.EMBEDDED_SERVICES:
        use(settings.DATA_DIR, settings.EMBEDDED_SERVICES, durable=settings.EMBEDDED_DURABLE)


def begin_to_use() -> None:
    """The same in a thread, while this process does other things; `wait` until it is done."""
    global _starting
    thread = ThreadPoolExecutor(1, "embedded")
    _starting = thread.submit(use_configured)
    thread.shutdown(wait=False)


def wait() -> None:
    """Until the services run that this process began to use. Raises EmbeddedError."""
    if _starting is not None:
        _starting.result()


def use(data_dir: Path | str, services: Collection[str] = (POSTGRES, REDIS, CACHE), *, durable: bool = True) -> None:
    """Make sure that the `services` of `data_dir` run, until this process has ended. Safe to call again.

    `durable=False` lets PostgreSQL skip fsync: for tests. Raises EmbeddedError with the server's own log.
    """
    place = place_of(data_dir)
    if place.folder in _held:
        return
    place.folder.mkdir(parents=True, exist_ok=True)
    with _starting_or_stopping(place):
        users = os.open(place.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(users, fcntl.LOCK_SH)
        servers.make_socket_folder(place.sockets)
        if POSTGRES in services:
            servers.start_postgres(place.postgres_data, place.sockets, DATABASE, durable=durable)
        if REDIS in services:
            servers.start_redis(place.redis_data, place.redis_socket)
        if CACHE in services:
            servers.start_cache(place.cache_data, place.cache_socket)
    _held[place.folder] = users
    atexit.register(_leave, place, os.getpid())


def start_again(data_dir: Path | str, services: Collection[str], *, durable: bool = True) -> list[str]:
    """Start those of the `services` that have died, which this process uses; their names. Raises EmbeddedError."""
    place = place_of(data_dir)
    if place.folder not in _held:
        return []
    started = []
    if POSTGRES in services and not servers.postgres_runs(place.postgres_data):
        with _starting_or_stopping(place):
            servers.start_postgres(place.postgres_data, place.sockets, DATABASE, durable=durable)
        started.append("PostgreSQL")
    if REDIS in services and not servers.redis_listens(place.redis_socket):
        with _starting_or_stopping(place):
            servers.start_redis(place.redis_data, place.redis_socket)
        started.append("Redis")
    if CACHE in services and not servers.redis_listens(place.cache_socket):
        with _starting_or_stopping(place):
            servers.start_cache(place.cache_data, place.cache_socket)
        started.append("Redis of the cache")
    return started


def write_redis(data_dir: Path | str, services: Collection[str], *, to_disk: bool) -> None:
    """Whether Redis, where this process uses it, writes what it holds to the disk."""
    place = place_of(data_dir)
    if REDIS in services and place.folder in _held:
        servers.write_redis(place.redis_socket, to_disk=to_disk)


def leave(data_dir: Path | str) -> None:
    """This process needs the services no more; they stop if it was the last."""
    _leave(place_of(data_dir), os.getpid())


def _leave(place: Place, pid: int) -> None:
    if pid != os.getpid() or place.folder not in _held or not place.folder.exists():
        return  # a forked child inherits the exit handlers, but the services are its parent's
    users = _held.pop(place.folder)
    with _starting_or_stopping(place), suppress(BlockingIOError):
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        servers.stop_redis(place.redis_socket)
        servers.stop_redis(place.cache_socket)
        servers.stop_postgres(place.postgres_data)
    os.close(users)


@contextmanager
def _starting_or_stopping(place: Place) -> Iterator[None]:
    """One process at a time decides whether servers start or stop."""
    with open(place.folder / "start.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def place_of(data_dir: Path | str) -> Place:
    return Place(Path(data_dir).absolute())
