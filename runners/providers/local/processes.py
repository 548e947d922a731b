"""The processes of a run on this machine: starting them, finding them again, ending them.

A process belongs to a run when the mark of the run is in its environment, or when it works in a folder of the run.
Neither is enough alone: PostgreSQL's children clear their environment and start new sessions, and a job may change its
folder. Process ids are not stored, because the system reuses them.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from benchsite import embedded_servers

MARK = "BENCHSITE_RUN"

# The part of the worker's environment that a job may see: the rest contains keys of the site and of its clouds.
# With BENCHSITE_SERVED_FROM, `manage.py serve` ends the processes of its workers when it ends.
_INHERITED = ("BENCHSITE_SERVED_FROM", "JAVA_HOME", "TZ")


def account() -> dict[str, Any]:
    """Arguments for subprocess: as root, runs use the account for PostgreSQL, which refuses to run as root."""
    if os.getuid() != 0:
        return {}
    entry = embedded_servers.service_account()
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def give(path: Path) -> None:
    """Give the path to the account of the runs."""
    if owner := account():
        os.chown(path, owner["user"], owner["group"])


def shell(command: str, folder: Path, *, mark: str, seconds: float) -> tuple[int, bytes]:
    """Exit status and output of a shell command that starts in `folder`.

    A negative status is the signal that killed it. Its background processes continue to run. Raises
    subprocess.TimeoutExpired after killing it, and FileNotFoundError when the folder does not exist.
    """
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=_environment(folder, mark),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **account(),
    )
    with process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output


def _environment(folder: Path, mark: str) -> dict[str, str]:
    programs = [str(Path(sys.executable).parent), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**inherited, "PATH": os.pathsep.join(programs), "HOME": str(folder), "LANG": "C.UTF-8", MARK: mark}


def of_run(folder: Path, mark: str) -> Iterator[psutil.Process]:
    """Every living process of the run with this folder."""
    folder = folder.resolve()  # as in the kernel
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # ended meanwhile, or of another user
            if process.status() != psutil.STATUS_ZOMBIE and _belongs(process, folder, mark):
                yield process


def _belongs(process: psutil.Process, folder: Path, mark: str) -> bool:
    if Path(process.cwd()).is_relative_to(folder):
        return True
    return bool(process.environ().get(MARK) == mark)


def end(folder: Path, mark: str, *, seconds: float, force: bool) -> bool:
    """Ask every process of the run to end, or kill it with `force`; True once none is left.

    PostgreSQL releases its shared memory only if it is asked first.
    """
    running = list(of_run(folder, mark))
    for process in running:
        with suppress(psutil.Error):
            process.kill() if force else process.terminate()
    psutil.wait_procs(running, timeout=seconds)
    return not any(of_run(folder, mark))
