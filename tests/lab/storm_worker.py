"""A worker in a storm: a process that does what a Celery worker does, and stops before and after each call it makes.

At each stop it waits for a word of the storm: to go on, to fail, or to die by kill -9. So only one worker moves at a
time, in the order that the seed gives, and a worker can be left standing at any place for hours.
"""

import errno
import importlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore.endpoint
import botocore.httpsession
import requests.adapters
from django.db import connection, connections
from django.utils import timezone

from runners import clock as runs_clock
from runners import tasks
from runners.providers import aws, gce
from runners.providers.aws import ec2 as ec2_calls
from runners.providers.gce import compute
from runners.providers.gce import operations as gce_operations
from runners.providers.local import hosts as local_hosts
from runners.steps import bootstrap, collect, queued, stress, submit
from submissions.ingest.files import storage
from tests.lab import gce_discovery
from tests.lab.ec2 import REGION
from tests.lab.gce import PREFIX
from tests.lab.storm_clock import Clock
from tests.lab.storm_load import StormHosts, StormLoad, log_of

GO, FAIL, DIE = "go", "fail", "die"
BEFORE, AFTER, WRITE, STORAGE, HOST, DONE = "before", "after", "write", "storage", "host", "done"
_FORK = multiprocessing.get_context("fork")


_PROVIDERS: dict[Any, Any] = {}


def prepare() -> None:
    """Make the clients of the clouds once, for all workers: that takes longer than most steps."""
    on_aws, on_gce = aws.make_provider(None), gce.make_provider(None)
    for service in ("ec2", "ssm"):
        on_aws.client(service, REGION)
    api_clients = on_gce.place(None).clients
    assert [
        getattr(api_clients, name)
        for name, kind in vars(type(api_clients)).items()
        if isinstance(kind, cached_property)
    ]
    on_gce.place = lambda region: compute.Place(api_clients, on_gce.site.project, region)
    _PROVIDERS.update({aws: lambda run: on_aws, gce: lambda run: on_gce})


class Worker:
    """The storm's side. `run` is that of its message; `wakes_at` is set while it is left standing."""

    def __init__(self, clock: Clock, skew: float) -> None:
        self.pipe, theirs = _FORK.Pipe()
        self.skew, self.run_id = skew, 0
        self.is_busy = False
        self.stop = "", ""  # where it stands: the kind, and before, after or at what
        self.wakes_at: float | None = None
        self.process = _FORK.Process(target=_work, args=(theirs, self.pipe, clock, skew), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, task: str, run_id: int = 0) -> None:
        self.is_busy, self.run_id = True, run_id
        self.pipe.send((task, run_id))

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Stops:
    """The worker's side."""

    def __init__(self, pipe: Any) -> None:
        self._pipe, self._lock, self._database = pipe, threading.RLock(), connections["default"]

    def __call__(self, kind: str, what: str) -> None:
        with self._lock:
            self._pipe.send((kind, what, self._database.in_atomic_block))
            word = self._pipe.recv()
        if word == DIE:
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
        if word == FAIL:
            raise OSError(errno.EIO, "as the storm wills")

    def around(self, what: Callable[..., str], call: Callable[..., Any]) -> Callable[..., Any]:
        """The call with a stop before and one after it; one at a time, whatever threads there are."""

        def stopped(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                name = what(*args)
                self(BEFORE, name)
                try:
                    return call(*args, **kwargs)
                finally:
                    self(AFTER, name)

        return stopped

    def ask(self, what: str, *args: Any) -> Any:
        with self._lock:
            self(BEFORE, f"host {what}")
            self._pipe.send((HOST, what, args))
            answer = self._pipe.recv()
            self(AFTER, f"host {what}")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def before_writes(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        words = sql.split(None, 3)
        if words[0] in ("UPDATE", "INSERT", "DELETE"):
            self(WRITE, f"{words[0]} {words[1 if words[0] == 'UPDATE' else 2]}".replace('"', ""))
        return execute(sql, params, many, context)


def _work(pipe: Any, theirs: Any, clock: Clock, skew: float) -> None:
    theirs.close()
    # A connection that two processes use is broken: the parent's are neither used nor closed here.
    inherited = [(one, one.connection) for one in connections.all(initialized_only=True)]
    for one, _ in inherited:
        one.connection, one.in_atomic_block, one.savepoint_ids = None, False, []
    stops = _Stops(pipe)
    _move_clock(clock, skew)
    _stop_at_calls(stops)
    connection.execute_wrappers.append(stops.before_writes)
    work = {"drive": tasks.drive, "sweep": lambda _: tasks.sweep_all()}
    while True:
        try:
            task, run_id = pipe.recv()
            trouble = _tried(work[task], run_id)
            _close_unless_usable()
            pipe.send((DONE, *trouble))
        except (EOFError, BrokenPipeError):
            os._exit(0)


def _close_unless_usable() -> None:
    """As Celery and Django do after a task."""
    database = connections["default"]
    if database.errors_occurred and not database.is_usable():
        database.close()
    database.errors_occurred = False


def _tried(task: Any, run_id: int) -> tuple[str, str]:
    """The name and the text of what it raised."""
    try:
        task(run_id)
    except Exception as error:
        return type(error).__name__, traceback.format_exc()
    return "", ""


def _move_clock(clock: Clock, skew: float) -> None:
    """The database's clock is the storm's; the worker's own is wrong by `skew` seconds."""
    ask_database = runs_clock.now

    def database_now() -> Any:
        ask_database()  # may find that the connection was cut
        return clock.now()

    timezone.now = lambda: clock.now(skew)
    runs_clock.now = database_now
    gce_operations.datetime = clock.datetime_class(skew)
    provider = importlib.import_module("runners.providers.local.provider")
    provider.datetime = clock.datetime_class(skew)
    botocore.endpoint.time = clock
    tasks.time = clock


def _stop_at_calls(stops: _Stops) -> None:
    compute.PARALLEL = 1
    ec2_calls.regions = lambda ec2: [REGION]
    send = botocore.httpsession.URLLib3Session.send
    botocore.httpsession.URLLib3Session.send = stops.around(_aws_call, send)
    requests.adapters.HTTPAdapter.send = stops.around(_gce_call, requests.adapters.HTTPAdapter.send)
    provider = importlib.import_module("runners.providers.local.provider")
    provider.make_machine = stops.around(lambda *_: "local make", provider.make_machine)
    provider.processes.end = stops.around(lambda *_: "local end", provider.processes.end)
    local_hosts.processes.shell = stops.around(lambda *_: "local shell", local_hosts.processes.shell)
    for module in (aws, gce):
        module.make_provider = _PROVIDERS[module]
        module.make_hosts = lambda run: StormHosts(stops.ask)
    for step in (bootstrap, collect, queued, stress, submit):
        step.for_plan = lambda plan: StormLoad(logs=[log_of(plan.title, trial) for trial in range(plan.trials)])
    for name in ("store_path", "open_stored"):
        setattr(storage, name, _stored(stops, name, getattr(storage, name)))


def _stored(stops: _Stops, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def stopped(*args: Any, **kwargs: Any) -> Any:
        stops(STORAGE, name)
        return call(*args, **kwargs)

    return stopped


def _aws_call(session: Any, request: Any) -> str:
    body = request.body or b""
    text = body.decode() if isinstance(body, bytes) else body
    target = request.headers.get("X-Amz-Target")
    return (target.decode() if isinstance(target, bytes) else target) or parse_qs(text)["Action"][0]


def _gce_call(adapter: Any, request: Any, *_: Any) -> str:
    found = gce_discovery.find(request.method, urlsplit(request.url).path.removeprefix(PREFIX))
    return found[0].id if found else request.url
