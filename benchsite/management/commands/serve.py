"""`manage.py serve` (make run): services, database, seed, then web, workers and beat in one terminal."""

import fcntl
import os
import signal
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import psutil
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from benchsite import embedded
from benchsite.embedded_servers import SERVED_FROM
from benchsite.env import is_loopback
from benchsite.supervisor import Supervisor, Watch

CONNECTIONS = 4096  # of each web worker
HEADER_SECONDS = 15  # until a request's head is there; a connection may be idle for as long
REQUEST_STOP_SECONDS = 15  # what a request in work has before its web worker is killed
STOP_SECONDS = 20  # a request or a task in work may end; then it is killed, and the task delivered again

CHECKED = {"CELERY_SKIP_CHECKS": "1"}  # manage.py has just made Django's checks: a second of each process


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST)
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument(
            "--only", choices=["web", "worker", "runs", "beat", "metrics"], help="become this process: for a container"
        )

    def handle(self, *args: Any, host: str, port: int, only: str | None, **options: Any) -> None:
        if only:
            command = commands(host, port).get(only)
            if command is None:
                raise CommandError("METRICS_PORT is not set: see .env.example")
            os.execve(command[0], command, os.environ | CHECKED)  # noqa: S606  no shell is meant
        if settings.LOCAL_SITE and not is_loopback(host):
            raise CommandError(f"--host {host}: set HOST and ALLOWED_HOSTS, which also lock the site for strangers")
        try:
            with _interrupts() as interrupts, _only_one_of_this_folder():
                _stop_leftovers()
                _check_free(host, port)
                call_command("prepare", admin=True, stdout=self.stdout)
                if interrupts:
                    raise KeyboardInterrupt
                self.run_processes(host, port)
        except KeyboardInterrupt:
            self.stdout.write("stopped")

    def run_processes(self, host: str, port: int) -> None:
        os.environ.update({SERVED_FROM: str(settings.DATA_DIR), **CHECKED})
        shown = f"[{host}]" if ":" in host else host
        self.stdout.write(f"Benchsite starts at http://{shown}:{port}/  (Ctrl-C stops it)")
        self.stdout.flush()
        with Watch(self._start_services_again):
            status = Supervisor(commands(host, port), cwd=settings.BASE_DIR, stop_seconds=STOP_SECONDS).run()
        _stop_leftovers()  # what a worker has started to outlive it: no site, no runs on its machine
        if status:
            sys.exit(status)

    def _start_services_again(self) -> None:
        """What has died of PostgreSQL and Redis; their users connect again by themselves."""
        for name in embedded.start_again(
            settings.DATA_DIR, settings.EMBEDDED_SERVICES, durable=settings.EMBEDDED_DURABLE
        ):
            self.stdout.write(f"{name} had ended: it runs again")
            self.stdout.flush()


def commands(host: str, port: int) -> dict[str, list[str]]:
    """The command line of each process of a site; docker-compose.yml runs one in each container."""
    python = [sys.executable, "-m"]
    web = [*python, "granian", "--interface", "asginl", "--http", "1", "--no-ws", "--host", host, "--port", str(port)]
    web += ["--workers", str(settings.WEB_WORKERS), "--respawn-failed-workers", "--respawn-interval", "0.5"]
    web += ["--workers-kill-timeout", str(REQUEST_STOP_SECONDS)]
    # connections, of which slow and idle ones are the most: each costs little
    web += ["--backlog", str(CONNECTIONS), "--backpressure", str(CONNECTIONS)]
    web += ["--http1-header-read-timeout", str(HEADER_SECONDS * 1000)]
    celery = [*python, "celery", "-A", "benchsite", "--quiet"]
    metrics = [sys.executable, str(settings.BASE_DIR / "manage.py"), "metrics"]
    return {
        "web": [*web, "benchsite.asgi:application"],
        "worker": _worker(celery, settings.DEFAULT_QUEUE, settings.TASK_WORKERS),
        "runs": _worker(celery, settings.RUNS_QUEUE, settings.RUN_WORKERS),
        "beat": [*celery, "beat", "--pidfile="],
        **({"metrics": metrics} if settings.METRICS_PORT else {}),
    }


def _worker(celery: list[str], queue: str, concurrency: int) -> list[str]:
    """Each queue has processes of its own: no import takes the place of a run, and no run that of an import."""
    options = ["--queues", queue, "--concurrency", str(concurrency), "--hostname", f"{queue}@%h", "--without-mingle"]
    return [*celery, "worker", *options]


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """The signals to stop that came meanwhile; each is a KeyboardInterrupt where it comes.

    Python drops an exception that is raised while it collects garbage: without this list such a Ctrl-C
    would be lost, and the site go on starting.
    """
    seen: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _only_one_of_this_folder() -> Iterator[None]:
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with open(settings.DATA_DIR / "serve.lock", "a+") as lock:
        if not _locked(lock):
            # the processes of a killed `serve` were forked with its lock open
            if not _is_orphaned(lock):
                raise CommandError(f"a site runs already on {settings.DATA_DIR}: stop it, or set DATA_DIR")
            _stop_leftovers()
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(_name(psutil.Process()))
        lock.flush()
        yield


def _locked(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_orphaned(lock: IO[str]) -> bool:
    """Whether the `serve` that took the lock is dead."""
    lock.seek(0)
    name = lock.read()
    try:
        return bool(name) and _name(psutil.Process(int(name.split()[0]))) != name
    except psutil.NoSuchProcess:
        return True


def _name(process: psutil.Process) -> str:
    """A process for ever: its number alone is used again."""
    return f"{process.pid} {process.create_time()}"


def _stop_leftovers() -> None:
    """A `serve` that was killed could not stop its processes; they hold the port."""
    # again until none is found: a web server that was not asked yet replaces its workers
    while left := [one for one in psutil.process_iter() if _served_from(one) == str(settings.DATA_DIR)]:
        for process in left:
            with suppress(psutil.Error):
                process.terminate()
        stubborn = psutil.wait_procs(left, timeout=STOP_SECONDS)[1]
        for process in stubborn:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(stubborn, timeout=STOP_SECONDS)


def _served_from(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(SERVED_FROM) if process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None  # gone meanwhile, or another user's


def _check_free(host: str, port: int) -> None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CommandError(
            f"cannot listen on {host} port {port} ({error.strerror or error}): choose another, make run PORT=8001"
        ) from None
