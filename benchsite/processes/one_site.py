"""One `serve` for each data folder, and the end of what a killed one has left running.

A process of a site is known by the file MARK, which `serve` opens and its forks inherit, or by the variable SERVED_FROM
of what these execute.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from benchsite.processes.embedded_servers import SERVED_FROM

LOCK, MARK = "serve.lock", "serve.processes"
STOP_SECONDS = 20  # a request or a task in work may end; then it is killed, and the task delivered again


class SiteRuns(Exception):
    """Another `serve` has this folder."""


@contextmanager
def only_one(data_dir: Path) -> Iterator[IO[str]]:
    """Holds the lock of the folder, after everything that an earlier `serve` left has ended. Raises SiteRuns.

    Yields the file with the lock: a child that keeps it open would keep the lock, too.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with open(data_dir / LOCK, "a+") as lock:
        if not _is_locked_by_us(lock):
            # a child that was just being forked may have the lock of a killed one
            if not _is_orphaned(lock):
                raise SiteRuns
            stop_leftovers(data_dir)
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(_name(psutil.Process()))
        lock.flush()
        stop_leftovers(data_dir)
        with open(data_dir / MARK, "a"):
            yield lock


def stop_leftovers(data_dir: Path) -> None:
    """End all processes of a site on this folder but this one."""
    # again until none is found: a web server that was not told yet replaces its workers
    while left := _processes(data_dir):
        for process in left:
            with suppress(psutil.Error):
                process.terminate()
        stubborn = psutil.wait_procs(left, timeout=STOP_SECONDS)[1]
        for process in stubborn:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(stubborn, timeout=STOP_SECONDS)


def _processes(data_dir: Path) -> list[psutil.Process]:
    marked = [process for process in psutil.process_iter() if _is_of_a_site(process, data_dir)]
    # some close all files that they have inherited, but stay in the session of a process that does not
    sessions = {process.pid for process in marked if _session(process) == process.pid}
    return [
        process
        for process in psutil.process_iter()
        if process.pid != os.getpid() and (process in marked or _session(process) in sessions) and not _is_dead(process)
    ]


def _is_of_a_site(process: psutil.Process, data_dir: Path) -> bool:
    try:
        if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
            return False
        mark = str(data_dir / MARK)
        return process.environ().get(SERVED_FROM) == str(data_dir) or any(
            file.path == mark for file in process.open_files()
        )
    except psutil.Error:
        return False  # gone meanwhile, or another user's


def _is_dead(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True


def _session(process: psutil.Process) -> int | None:
    try:
        return os.getsid(process.pid)
    except OSError:
        return None


def _is_locked_by_us(lock: IO[str]) -> bool:
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
