"""Processes forked from one that has everything loaded: they start at once and share its memory.

A command line that starts with this Python is run in the fork as Python itself would run it; any other is executed.
"""

import atexit
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Never

# Without it the title of a process would be written over its environment, by which others find it.
os.environ.setdefault("SPT_NOENV", "1")

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def fork(work: Callable[[], object]) -> int:
    """The process id of a child that does `work` and ends: with the status 0, or with that of its SystemExit."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        _end(_status_of(work))
    return pid


def run_command(command: list[str]) -> None:
    """Become this command, within the memory that is loaded already where it is one of this Python."""
    if command[0] != sys.executable:
        os.execvp(command[0], command)  # noqa: S606  no shell is meant
    _set_title(command)
    if command[1] == "-m":
        sys.argv = list(command[2:])
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(command[1:])
        runpy.run_path(command[1], run_name="__main__")


def _set_title(command: list[str]) -> None:
    from setproctitle import setproctitle

    setproctitle(" ".join(word for word in command[1:] if word != "-m"))


def _status_of(work: Callable[[], object]) -> int:
    try:
        work()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> Never:
    """As at the end of the interpreter, but without the stack of the parent, whose `finally` is not ours."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
