"""`manage.py serve` (make run): services, database, seed, then web, workers and beat in one terminal."""

import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from benchsite.env import is_loopback
from benchsite.management.commands.prepare import collect_static, first_administrator
from benchsite.processes import embedded, forks
from benchsite.processes.announcement import Announcement
from benchsite.processes.embedded_servers import SERVED_FROM
from benchsite.processes.one_site import STOP_SECONDS, SiteRuns, only_one, stop_leftovers
from benchsite.processes.preload import preload
from benchsite.processes.supervisor import Supervisor
from benchsite.redis.servers import refuse_eviction_of_counters
from benchsite.storage import disk

CONNECTIONS = 4096  # of each web worker
HEADER_SECONDS = 15  # until a request's head is there; a connection may be idle for as long
REQUEST_STOP_SECONDS = 15  # what a request in work has before its web worker is killed
LOOK_SECONDS = 1.0  # between two looks at the embedded services

# A process of a worker ends after so many tasks: the next one is a fork of a few milliseconds, which shares its memory
# with the worker again and has no connection yet. Runs have a task every other second.
TASKS_OF_A_PROCESS = {settings.DEFAULT_QUEUE: 4, settings.RUNS_QUEUE: 500}
# With what it shares: after a task that took more it ends at once
TASK_MEMORY_KB = 240 * 1024

CHECKED = {"CELERY_SKIP_CHECKS": "1"}  # manage.py has just made Django's checks: a second of each process


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []  # made below, while the database is prepared

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST)
        parser.add_argument("--port", type=int, default=settings.PORT)
        parser.add_argument(
            "--only", choices=["web", "worker", "runs", "beat", "metrics"], help="become this process: for a container"
        )

    def handle(self, *args: Any, host: str, port: int, only: str | None, **options: Any) -> None:
        if only:
            self.become(only, host, port)
            return
        if settings.LOCAL_SITE and not is_loopback(host):
            raise CommandError(f"--host {host}: set HOST and ALLOWED_HOSTS, which also lock the site for strangers")
        try:
            with _interrupts() as interrupts, only_one(settings.DATA_DIR) as lock:
                _check_free(host, port)
                self._await_services()
                password = self._prepare()
                if interrupts:
                    raise KeyboardInterrupt
                self.run_processes(host, port, password, lock)
        except SiteRuns:
            raise CommandError(f"a site runs already on {settings.DATA_DIR}: stop it, or set DATA_DIR") from None
        except KeyboardInterrupt:
            self.stdout.write("stopped")

    def become(self, name: str, host: str, port: int) -> None:
        command = commands(host, port).get(name)
        if command is None:
            raise CommandError("METRICS_PORT is not set: see .env.example")
        self._await_services()
        try:
            refuse_eviction_of_counters()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        preload(with_pages=name == "web")  # here they are shared with its own workers alone
        self.check()
        os.environ.update(CHECKED)
        forks.run_command(command)

    def run_processes(self, host: str, port: int, password: str, lock: IO[str]) -> None:
        os.environ.update({SERVED_FROM: str(settings.DATA_DIR), **CHECKED})
        announcement = Announcement(host, port, password)
        processes = _of_one_machine(commands(host, port))
        self.stdout.write(f"Benchsite starts: {', '.join(processes)}")
        tick = _Tick(announcement)
        supervisor = Supervisor(
            processes,
            cwd=settings.BASE_DIR,
            stop_seconds=STOP_SECONDS,
            in_child=lock.close,
            each_tick=tick.look,
            is_excused=tick.is_to_blame,
        )
        try:
            status = supervisor.run()
        finally:
            announcement.print_password()
        stop_leftovers(settings.DATA_DIR)  # what a worker has started to outlive it: no site, no runs on its machine
        if status:
            sys.exit(status)

    def _await_services(self) -> None:
        try:
            embedded.wait()
        except embedded.EmbeddedError as error:
            raise CommandError(str(error)) from None

    def _prepare(self) -> str:
        """Prepare the site in forks while everything is loaded here; the password of a new administrator, or ""."""
        reading, writing = os.pipe()
        children = [forks.fork(lambda: collect_static(_say)), forks.fork(lambda: self._prepare_in_child(writing))]
        os.close(writing)
        try:
            preload()
            self.check()
            with open(reading) as password:
                made = password.read()
            statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        except BaseException:
            for child in children:
                _stop(child)
            raise
        if any(statuses):
            sys.exit(1)
        return made

    def _prepare_in_child(self, writing: int) -> None:
        try:
            call_command("prepare", no_static=True, stdout=self.stdout)
            os.write(writing, first_administrator(self.stdout.write).encode())
        except CommandError as error:
            sys.exit(f"manage.py: {error}")


class _Tick:
    """What is looked at while the processes run."""

    def __init__(self, announcement: Announcement):
        self._announcement = announcement
        self._next_look = 0.0
        self._last_error = ""
        self._has_a_service_ended = False
        self._reserve = disk.Reserve()

    def look(self) -> None:
        self._announcement.print_when_ready()
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._look_at_disk()
            self._start_services_again()

    def is_to_blame(self) -> bool:
        """Whether a service has ended or the disk is full: a worker may notice it before the next look, and end."""
        self._look_at_disk()
        self._start_services_again()
        return self._has_a_service_ended or self._reserve.is_given

    def _look_at_disk(self) -> None:
        """Before services are started again: they need space for it."""
        was_given = self._reserve.is_given
        self._reserve.look()
        is_given = self._reserve.is_given
        if is_given or was_given:  # each time: a Redis that was started again writes
            embedded.write_redis(settings.DATA_DIR, settings.EMBEDDED_SERVICES, to_disk=not is_given)
        if is_given and not was_given:
            _say("serve  | the disk is full: PostgreSQL gets the reserve, Redis writes nothing; free some space")
        elif was_given and not is_given:
            _say("serve  | the disk has space again")

    def _start_services_again(self) -> None:
        """What has died of PostgreSQL and the Redis servers; their users connect again by themselves."""
        try:
            for name in embedded.start_again(
                settings.DATA_DIR, settings.EMBEDDED_SERVICES, durable=settings.EMBEDDED_DURABLE
            ):
                self._has_a_service_ended = True
                _say(f"{name} had ended: it runs again")
            self._last_error = ""
        except Exception as error:  # whatever it is: the next second may be better
            self._has_a_service_ended = True
            if str(error) != self._last_error:
                self._last_error = str(error)
                _say(f"serve  | {error}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


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
    """Each queue has processes of its own: no import takes the place of a run, and no run that of an import.

    Those of runs, which have a task every other second, stay; the others are forked when a task comes.
    """
    is_of_runs = queue == settings.RUNS_QUEUE
    processes = ["--concurrency", str(concurrency)] if is_of_runs else ["--autoscale", f"{concurrency},0"]
    options = ["--queues", queue, *processes, "--hostname", f"{queue}@%h", "--without-mingle"]
    options += ["--max-tasks-per-child", str(TASKS_OF_A_PROCESS[queue]), "--max-memory-per-child", str(TASK_MEMORY_KB)]
    return [*celery, "worker", *options]


def _of_one_machine(processes: dict[str, list[str]]) -> dict[str, list[str]]:
    """Beat is a part of the only worker."""
    return {
        name: [*command, "--beat"] if name == "worker" else command
        for name, command in processes.items()
        if name != "beat"
    }


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

    before = {number: signal.signal(number, interrupt) for number in forks.STOP_SIGNALS}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(child: int) -> None:
    """Told again until it has ended: the signal may come while it collects garbage."""
    with suppress(ChildProcessError):
        while not os.waitpid(child, os.WNOHANG)[0]:
            os.kill(child, signal.SIGTERM)
            time.sleep(LOOK_SECONDS / 4)


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
