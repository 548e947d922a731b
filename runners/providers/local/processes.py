"""The processes of a run on this machine: how they start, how they are found whatever they became, how they end.

A process belongs to a run when it carries the run's mark in its environment, or works in a folder of the run. Neither
alone would do: PostgreSQL's children wipe their environment and lead sessions of their own, and a job may change its
folder. Nothing rests on process ids that were written down: those are used again.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from benchsite import embedded_servers

MARK = "BENCHSITE_RUN"

# What a job may see of the worker's environment. Not the rest: keys of the site and of its clouds stand there.
# BENCHSITE_SERVED_FROM lets `manage.py serve` end with itself what its workers have started.
_HANDED_ON = ("BENCHSITE_SERVED_FROM", "JAVA_HOME", "TZ")


def account() -> dict[str, Any]:
    """Arguments of subprocess: root's runs get PostgreSQL's own account, since it refuses root."""
    if os.getuid() != 0:
        return {}
    entry = embedded_servers.service_account()
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def give(path: Path) -> None:
    """Make the account of the runs the owner."""
    if as_whom := account():
        os.chown(path, as_whom["user"], as_whom["group"])


def shell(command: str, folder: Path, *, mark: str, seconds: float) -> tuple[int, bytes]:
    """Exit status and output of a shell command that starts in `folder`.

    Negative: killed by that signal. What it leaves running in the background survives us. Raises
    subprocess.TimeoutExpired after killing it, and FileNotFoundError when there is no folder.
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
    kept = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    return {**kept, "PATH": os.pathsep.join(programs), "HOME": str(folder), "LANG": "C.UTF-8", MARK: mark}


def of_run(folder: Path, mark: str) -> Iterator[psutil.Process]:
    """Every living process of the run whose folder this is."""
    folder = folder.resolve()  # as the kernel names it
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # gone meanwhile, or another user's
            if process.status() != psutil.STATUS_ZOMBIE and _belongs(process, folder, mark):
                yield process


def _belongs(process: psutil.Process, folder: Path, mark: str) -> bool:
    if Path(process.cwd()).is_relative_to(folder):
        return True
    return bool(process.environ().get(MARK) == mark)


def end(folder: Path, mark: str, *, seconds: float, force: bool) -> bool:
    """Ask every process of the run to end, or kill it; True once none is left.

    Asked first: PostgreSQL gives back its shared memory only when it may end by itself.
    """
    found = list(of_run(folder, mark))
    for process in found:
        with suppress(psutil.Error):
            process.kill() if force else process.terminate()
    psutil.wait_procs(found, timeout=seconds)
    return not any(of_run(folder, mark))
