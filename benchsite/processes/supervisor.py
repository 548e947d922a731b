"""Keeps the processes of a site running in one terminal: one that ends is started again, the others go on.

They are forks of this process, so it has no threads: one loop prints what they write and sees how they end.
"""

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchsite.processes import forks

STARTED_SECONDS = 10  # what ends sooner after the first start is set up wrong: it would end again
TICK_SECONDS = 0.2
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
LAST_WORDS_SECONDS = 2
STEADY_SECONDS = 60  # what has run for so long starts again at once
READ_BYTES = 64 * 1024


class Supervisor:
    def __init__(
        self,
        commands: Mapping[str, list[str]],
        *,
        cwd: Path,
        stop_seconds: float,
        in_child: Callable[[], None] = lambda: None,
        each_tick: Callable[[], None] = lambda: None,
        is_excused: Callable[[], bool] = lambda: False,
    ):
        """`in_child` is called in each new process, `each_tick` several times a second in this one.

        `is_excused` is asked when a process ends right after its first start: whether something else is the cause.
        """
        self._output = selectors.DefaultSelector()
        self._children = [_Child(name, command, cwd, in_child, self._output) for name, command in commands.items()]
        self._stop_seconds = stop_seconds
        self._each_tick = each_tick
        self._is_excused = is_excused
        self._is_stopping = False

    def run(self) -> int:
        """Until a signal to stop; 0 then. The exit status of a process that ends right after its first start."""
        with self._signals():
            try:
                for child in self._children:
                    child.start()
                return self._watch()
            finally:
                self._stop()

    def _watch(self) -> int:
        began = time.monotonic()
        while not self._is_stopping:
            for child in self._children:
                status = child.ended()
                # a negative one is a signal's: somebody killed it
                is_early = status is not None and status >= 0 and time.monotonic() - began < STARTED_SECONDS
                if is_early and not self._is_excused():
                    return status or 1
            self._print(TICK_SECONDS)
            self._each_tick()
        return 0

    def _stop(self) -> None:
        for child in self._children:
            child.signal(signal.SIGTERM)
        self._wait(self._stop_seconds)
        for child in self._children:
            child.signal(signal.SIGKILL)  # a process that did not stop
        self._wait(LAST_WORDS_SECONDS)
        self._print_last_words()

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while any(child.is_running() for child in self._children) and time.monotonic() < until:
            self._print(TICK_SECONDS / 4)

    def _print_last_words(self) -> None:
        """What they have left behind may hold their output open."""
        until = time.monotonic() + LAST_WORDS_SECONDS
        while self._output.get_map() and time.monotonic() < until:
            self._print(TICK_SECONDS / 4)

    def _print(self, seconds: float) -> None:
        """What the processes write within so many seconds."""
        if not self._output.get_map():
            time.sleep(seconds)
        for key, _ in self._output.select(seconds):
            key.data.print()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(number: int, frame: Any) -> None:
            self._is_stopping = True

        before = {number: signal.signal(number, stop) for number in forks.STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Child:
    """One process in a session of its own: Ctrl-C in the terminal is ours alone."""

    def __init__(
        self, name: str, command: list[str], cwd: Path, in_child: Callable[[], None], output: selectors.BaseSelector
    ):
        self._name = name
        self._command = command
        self._cwd = cwd
        self._in_child = in_child
        self._output = output
        self._pid = 0  # 0: it does not run
        self._started_at = 0.0
        self._start_at = 0.0
        self._wait_seconds = FIRST_WAIT_SECONDS

    def start(self) -> None:
        reading, writing = os.pipe()
        # a signal to stop that comes before the child has its own handlers waits for them
        signal.pthread_sigmask(signal.SIG_BLOCK, forks.STOP_SIGNALS)
        try:
            self._pid = forks.fork(lambda: self._become(reading, writing))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, forks.STOP_SIGNALS)
        os.close(writing)
        os.set_blocking(reading, False)
        self._output.register(reading, selectors.EVENT_READ, _Printer(self._name, reading, self._output))
        self._started_at = time.monotonic()

    def _become(self, reading: int, writing: int) -> None:
        os.setsid()
        for stop in forks.STOP_SIGNALS:
            signal.signal(stop, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, forks.STOP_SIGNALS)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, source in ((0, nothing), (1, writing), (2, writing)):
            os.dup2(source, number)
        # if we read the others' output too, they would wait for us once the supervisor is dead
        others = [key.fd for key in self._output.get_map().values()]
        self._output.close()
        for number in (nothing, reading, writing, *others):
            os.close(number)
        sys.stdout = open(1, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        self._in_child()
        os.chdir(self._cwd)
        forks.run_command(self._command)

    def is_running(self) -> bool:
        return bool(self._pid) and self._status() is None

    def ended(self) -> int | None:
        """The exit status, once, of a process that has ended; it starts again after a wait."""
        if not self._pid:
            if time.monotonic() >= self._start_at:
                self.start()
            return None
        status = self._status()
        if status is not None:
            self._await_next_start(status)
        return status

    def _status(self) -> int | None:
        """The exit status, once: below 0 the number of a signal."""
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return None
        self._pid = 0
        _signal(pid, signal.SIGKILL)  # what it has left behind: web workers hold the port, beat would go on
        return os.waitstatus_to_exitcode(status)

    def _await_next_start(self, status: int) -> None:
        if time.monotonic() - self._started_at > STEADY_SECONDS:
            self._wait_seconds = FIRST_WAIT_SECONDS
        _say(self._name, f"ended with {status}: starts again in {self._wait_seconds:g} s")
        self._start_at = time.monotonic() + self._wait_seconds
        self._wait_seconds = min(self._wait_seconds * 2, LONGEST_WAIT_SECONDS)

    def signal(self, number: int) -> None:
        """To the process and to what it has started in its session."""
        if self._pid and not _signal(self._pid, number):
            os.kill(self._pid, number)  # it has no session yet


class _Printer:
    """The output of one process, line by line."""

    def __init__(self, name: str, reading: int, output: selectors.BaseSelector):
        self._name = name
        self._reading = reading
        self._output = output
        self._rest = b""

    def print(self) -> None:
        read = os.read(self._reading, READ_BYTES)
        *lines, self._rest = (self._rest + read).split(b"\n")
        if not read:
            self._output.unregister(self._reading)
            os.close(self._reading)
            lines = [self._rest] if self._rest else []
        for line in lines:
            _say(self._name, line.decode(errors="replace"))


def _signal(group: int, number: int) -> bool:
    """Whether there is such a group of processes."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def _say(name: str, line: str) -> None:
    sys.stdout.write(f"{name:<6} | {line}\n")
    sys.stdout.flush()
