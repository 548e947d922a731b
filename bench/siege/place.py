"""Which site is besieged: one of its own in a temporary folder, or one that runs."""

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil

from bench import site
from bench.cpu import Processes
from bench.siege.target import Target

LIMITS = ("THROTTLE_ANON", "THROTTLE_USER", "THROTTLE_UPLOAD", "THROTTLE_PAGES")
READER = "siege-reader"


@contextmanager
def own_folder() -> Iterator[None]:
    """This process and those that it starts work on a fresh folder, with services that run as long as it does."""
    with tempfile.TemporaryDirectory(prefix="benchsite-siege-") as folder:
        os.chmod(folder, 0o755)
        site.set_environment(Path(folder))
        os.environ["LOG_LEVEL"] = "ERROR"  # each of thousands of refusals would be a line
        site.set_up()
        from benchsite.processes import embedded

        try:
            yield
        finally:
            embedded.leave(Path(folder))


@contextmanager
def started(*, has_limits: bool) -> Iterator[Target]:
    """The folder's site, with the limits of a fresh one or without any."""
    raised = {name: os.environ[name] for name in LIMITS}
    if has_limits:
        for name in LIMITS:
            del os.environ[name]
    try:
        with site.running() as running:
            running.wait_until_at_rest()
            yield Target(running.port, processes=_of(running))
    finally:
        os.environ.update(raised)


def with_account(target: Target) -> tuple[Target, str]:
    """The target with a token of staff, whose uploads no quota ends; and `name:password` of a reader."""
    from django.contrib.auth import get_user_model
    from django.db import connection

    key, _ = site.account()
    users = get_user_model().objects
    users.filter(username="bench").update(is_staff=True)
    password = secrets.token_urlsafe(16)
    users.create_user(READER, password=password)
    connection.close()
    return replace(target, token=key), f"{READER}:{password}"


def running_at(port: int, token: str) -> Target:
    """A site of this machine; the processes of one that `manage.py serve` has started are measured, too."""
    target = Target(port, token)
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = process.cmdline()
            if "serve" in words and any(word.endswith("manage.py") for word in words):
                found = site.Site(port, process.pid, 0.0)
                if found.web().python:
                    return replace(target, processes=_of(found))
    print("siege: no `manage.py serve` has this port: CPU and memory are not measured", file=sys.stderr)
    return target


def _of(running: site.Site) -> Processes:
    return Processes(running.web().python, site.postgres())
