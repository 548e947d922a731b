"""The processes of a run on this machine: starting them, finding them again, ending them.

A process belongs to a run when the mark of the run is in its environment, or when it works in a folder of the run.
Neither is enough alone: PostgreSQL's children clear their environment and start new sessions, and a job may change its
folder. Process ids are not stored, because the system reuses them.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil
from django.conf import settings

from runners.providers.local.account import own_account

MARK = "BENCHSITE_RUN"
MACHINE = "machine.json"  # in the folder of each node
STRAY_SECONDS = 60

# When memory runs out, the kernel ends processes of runs before those of the site
_FIRST_TO_DIE = "echo 1000 2>/dev/null >/proc/self/oom_score_adj || true"

# The part of the worker's environment that a job may see: the rest contains keys of the site and of its clouds.
# With BENCHSITE_SERVED_FROM, `manage.py serve` ends the processes of its workers when it ends.
_INHERITED = ("BENCHSITE_SERVED_FROM", "JAVA_HOME", "TZ")


def shell(
    command: str, folder: Path, *, mark: str, seconds: float, stdin: bytes = b"", to: IO[bytes] | None = None
) -> tuple[int, bytes]:
    """Exit status and output of a shell command that starts in `folder`, under the account and limits of runs.

    A negative status is the signal that killed it. Its background processes continue to run. With `to`, the output
    goes to that file. Raises subprocess.TimeoutExpired after killing it, FileNotFoundError when the folder does not
    exist, and NoAccount.
    """
    account = own_account()
    process = subprocess.Popen(
        [*_limited(is_shared=account is None), "/bin/sh", "-c", f"{_FIRST_TO_DIE}; {command}"],
        cwd=folder,
        env=_environment(folder, mark),
        stdin=subprocess.PIPE,
        stdout=to or subprocess.PIPE,
        stderr=subprocess.DEVNULL if to else subprocess.STDOUT,
        start_new_session=True,
        umask=0o077,
        **(account.arguments() if account else {}),
    )
    with process:
        try:
            output, _ = process.communicate(stdin, timeout=seconds)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output or b""


def _limited(*, is_shared: bool) -> list[str]:
    """The command that starts another one without a way to more rights, and with limits for it and its children.

    Memory is that of each process. The number of processes is that of the account: one that the site's own user
    shares with other programs has no limit here.
    """
    seconds = (settings.MAX_LOCAL_MINUTES + 60) * 60 * (os.cpu_count() or 1)
    limits = {"core": 0, "data": memory_mib() * 1024**2, "cpu": seconds}
    if not is_shared:
        limits["nproc"] = settings.RUN_PROCESSES
    return ["setpriv", "--no-new-privs", "prlimit", *(f"--{name}={_within(name, n)}" for name, n in limits.items())]


def _within(name: str, number: int) -> int:
    """The number, or the limit that we have ourselves: only it may not be raised."""
    _, own = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
    return number if own == resource.RLIM_INFINITY else min(number, own)


def memory_mib() -> int:
    """The memory that a run may use: the setting, or three quarters of the machine's."""
    return int(settings.RUN_MEMORY_MIB or psutil.virtual_memory().total * 3 // 4 // 1024**2)


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


def end_strays() -> None:
    """Kill what has left its run: neither its environment nor its folder names one, but it has the account of runs.

    Other sites of this machine may use the same account: a process of one of their runs is no stray.
    """
    account = own_account()
    if account is None:
        return
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.uids().real == account.uid and _is_stray(process):
                process.kill()


def _is_stray(process: psutil.Process) -> bool:
    if time.time() - process.create_time() < STRAY_SECONDS or process.status() == psutil.STATUS_ZOMBIE:
        return False  # a new one has no environment of its own yet
    mark, folder = process.environ().get(MARK, ""), Path(process.cwd())
    if mark and Path(mark).exists():
        return False
    return not any((place / MACHINE).exists() for place in (folder, *folder.parents))
