"""A site of its own for the measurement: its folder, its services, all its processes, as `make run` has them."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import psutil

from bench.cpu import Processes, pss_mb, tree
from bench.floor.names import FLOOR

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180
STOP_SECONDS = 60
REST_WITHIN_SECONDS = 300
REST_SECONDS = 2.0  # so long all processes together take at most ...
RESTING_MS_A_SECOND = 40.0  # ... this much CPU
MANY = "1000000/min"

# What would make the measured site another one than a fresh `make run`
FOREIGN = ("DATABASE_URL", "REDIS_URL", "CACHE_REDIS_URL", "REDIS_PREFIX", "S3_BUCKET", "SECRET_KEY")
FOREIGN += ("ALLOWED_HOSTS", "HTTPS", "DEBUG")


def set_environment(data_dir: Path) -> None:
    """Point this process and those that it starts at `data_dir`; never at the user's own site."""
    for name in FOREIGN:
        os.environ.pop(name, None)
        os.environ.pop(f"{name}_FILE", None)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="benchsite.settings",
        DATA_DIR=str(data_dir),
        LOG_LEVEL="WARNING",
        PACKS="",  # a worker that loads them for minutes is none of what is measured
        THROTTLE_ANON=MANY,
        THROTTLE_USER=MANY,
        THROTTLE_UPLOAD=MANY,
        MAX_NEW_USER_RESULTS_DAY="0",
        MAX_USER_RESULTS_DAY="0",
        THROTTLE_PAGES="0/min",
    )


def set_up() -> None:
    """Django in this process, on services that run as long as it does."""
    # told to end, still end the server and the services
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    import django

    from benchsite.processes import embedded

    django.setup()
    embedded.use_configured()


def prepare() -> None:
    """Services, database, static files, prices and published results, as `make run` makes them."""
    set_up()
    from django.core.management import call_command

    call_command("prepare", admin=False, stdout=sys.stderr)


@dataclass
class Site:
    """A running site: where it answers, how long its start took, which processes it has."""

    port: int
    pid: int  # of `serve`
    start_seconds: float

    def groups(self) -> dict[str, list[int]]:
        """The processes by what they are for; several have one name where they are one process."""
        groups: dict[str, list[int]] = {"serve": [self.pid]}
        for child in psutil.Process(self.pid).children():
            groups.setdefault(self._name(child), []).extend(tree(child.pid))
        foreign = _of_the_bench()
        groups["PostgreSQL"] = [pid for root in postgres() for pid in tree(root) if pid not in foreign]
        groups["Redis"] = _redis()
        return groups

    def memory_mb(self) -> dict[str, float]:
        return {name: pss_mb(pids) for name, pids in self.groups().items()}

    def processes(self) -> Processes:
        """All of the site; the workers rest while pages are read."""
        return Processes([self.pid], postgres(), _redis())

    def wait_until_at_rest(self) -> None:
        wait_until_at_rest(self.processes)

    def web(self) -> Processes:
        """The web server alone."""
        children = psutil.Process(self.pid).children()
        return Processes([child.pid for child in children if self._name(child) == "web"])

    def _name(self, child: psutil.Process) -> str:
        """By the port on which it or one below it listens; forks of `serve` all have its command line."""
        if any(_listens(pid, self.port) for pid in tree(child.pid)):
            return "web"
        words = " ".join(child.cmdline())
        return next((name for name in ("metrics", "beat") if name in words), "worker")


def wait_until_at_rest(processes_of: Callable[[], Processes]) -> None:
    """What workers do after a start, such as loading what comes with the site, is no part of any figure."""
    deadline = time.monotonic() + REST_WITHIN_SECONDS
    while time.monotonic() < deadline:
        processes = processes_of()
        before = processes.cpu()
        time.sleep(REST_SECONDS)
        if (processes.cpu() - before).total <= REST_SECONDS * RESTING_MS_A_SECOND:
            return


def _listens(pid: int, port: int) -> bool:
    with suppress(psutil.Error):
        connections = psutil.Process(pid).net_connections("tcp")
        return any(each.status == psutil.CONN_LISTEN and each.laddr.port == port for each in connections)
    return False


def postgres() -> list[int]:
    from django.conf import settings

    with suppress(OSError, ValueError):
        return [int((settings.DATA_DIR / "services/postgres/postmaster.pid").read_text().split("\n")[0])]
    return []


def _of_the_bench() -> set[int]:
    """Processes of PostgreSQL that serve this process or the floor: a site has none of them."""
    import psycopg
    from django.conf import settings
    from django.db import connection

    own = connection.connection
    with psycopg.connect(settings.DATABASE_URL) as asking:
        of_floor = asking.execute("SELECT pid FROM pg_stat_activity WHERE application_name = %s", [FLOOR]).fetchall()
        return {asking.info.backend_pid, *(pid for (pid,) in of_floor), *([own.info.backend_pid] if own else [])}


def _redis() -> list[int]:
    import redis
    from django.conf import settings

    found = []
    for address in (settings.REDIS_URL, settings.CACHE_REDIS_URL):
        with suppress(redis.RedisError):
            found.append(redis.Redis.from_url(address).info("server")["process_id"])
    return found


@contextmanager
def running(log: TextIO = sys.stderr) -> Iterator[Site]:
    """`manage.py serve`: web server, workers, beat, services; on loopback. Stopped at the end."""
    port = free_port()
    began = time.monotonic()
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with _process(command, log, dict(os.environ)) as process:
        _wait_until_ready(process, f"http://127.0.0.1:{port}/readyz")
        yield Site(port, process.pid, time.monotonic() - began)


@contextmanager
def floor() -> Iterator[tuple[int, Processes]]:
    """The bare application under the same web server with as many workers and threads; its port, its processes."""
    from django.conf import settings

    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--http", "1", "--no-ws"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--workers", str(settings.WEB_WORKERS)]
    command += ["--blocking-threads", str(settings.WEB_THREADS), "--log-level", "warning"]
    environment = {**os.environ, "FLOOR_DATABASE_URL": settings.DATABASE_URL}
    with _process([*command, "bench.floor.wsgi:application"], sys.stderr, environment) as process:
        _wait_until_ready(process, f"http://127.0.0.1:{port}/nothing/")
        yield port, Processes([process.pid], postgres(), _redis())


@contextmanager
def _process(command: list[str], log: TextIO, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=STOP_SECONDS)
        with suppress(ProcessLookupError):  # a worker that was just starting outlives its master
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"bench: the server ended with {process.returncode}")
        with suppress(OSError, urllib.error.URLError), urllib.request.urlopen(address, timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(0.05)
    raise SystemExit(f"bench: the server did not answer within {START_SECONDS} s")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def account() -> tuple[str, str]:
    """A key that may submit and the cookie of a session, both of an account made for the measurement."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from submissions.models import ApiToken

    user, _ = get_user_model().objects.get_or_create(username="bench")
    client = Client()
    client.force_login(user)
    key = ApiToken.objects.create(user=user, name="bench", scopes=[ApiToken.Scope.SUBMIT], expiry=None)[1]
    return key, f"sessionid={client.cookies['sessionid'].value}"
