"""Keeps the processes of a site running in one terminal: one that ends is started again, the others go on."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

STARTED_SECONDS = 10  # what ends sooner after the first start is set up wrong: it would end again
TICK_SECONDS = 0.2
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
LAST_WORDS_SECONDS = 2
STEADY_SECONDS = 60  # what has run for so long starts again at once


class Supervisor:
    def __init__(self, commands: Mapping[str, list[str]], *, cwd: Path, stop_seconds: float):
        self._children = [_Child(name, command, cwd) for name, command in commands.items()]
        self._stop_seconds = stop_seconds
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
                if status is not None and status >= 0 and time.monotonic() - began < STARTED_SECONDS:
                    return status or 1
            time.sleep(TICK_SECONDS)
        return 0

    def _stop(self) -> None:
        for child in self._children:
            child.signal(signal.SIGTERM)
        until = time.monotonic() + self._stop_seconds
        for child in self._children:
            child.wait(until - time.monotonic())

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(number: int, frame: Any) -> None:
            self._is_stopping = True

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Child:
    """One process in a session of its own: Ctrl-C in the terminal is ours alone."""

    def __init__(self, name: str, command: list[str], cwd: Path):
        self._name = name
        self._command = command
        self._cwd = cwd
        self._process: subprocess.Popen[str] | None = None
        self._printer: threading.Thread | None = None
        self._started_at = 0.0
        self._start_at = 0.0
        self._wait_seconds = FIRST_WAIT_SECONDS

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._started_at = time.monotonic()
        self._printer = threading.Thread(target=self._print, args=(self._process,), daemon=True)
        self._printer.start()

    def ended(self) -> int | None:
        """The exit status, once, of a process that has ended; it starts again after a wait."""
        if self._process is None:
            if time.monotonic() >= self._start_at:
                self.start()
            return None
        status = self._process.poll()
        if status is not None:
            self._await_next_start(status)
        return status

    def _await_next_start(self, status: int) -> None:
        self.signal(signal.SIGKILL)  # what it has left behind: web workers hold the port
        if time.monotonic() - self._started_at > STEADY_SECONDS:
            self._wait_seconds = FIRST_WAIT_SECONDS
        _say(self._name, f"ended with {status}: starts again in {self._wait_seconds:g} s")
        self._process = None
        self._start_at = time.monotonic() + self._wait_seconds
        self._wait_seconds = min(self._wait_seconds * 2, LONGEST_WAIT_SECONDS)

    def signal(self, number: int) -> None:
        """To the process and to what it has started in its session."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def wait(self, seconds: float) -> None:
        """Until it has ended, and its last words are printed; killed after `seconds`."""
        if self._process is None or self._printer is None:
            return
        try:
            self._process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            self._process.wait()
        self._printer.join(LAST_WORDS_SECONDS)  # what it has left behind may hold its output open

    def _print(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None  # noqa: S101 (a pipe)
        with process.stdout as lines:
            for line in lines:
                _say(self._name, line.rstrip("\n"))


_printing = threading.Lock()


def _say(name: str, line: str) -> None:
    with _printing:
        sys.stdout.write(f"{name:<6} | {line}\n")
        sys.stdout.flush()


class Watch:
    """Calls `look` every second in a thread; what it raises is printed, once while it stays the same."""

    def __init__(self, look: Callable[[], None]):
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        last = ""
        while not self._stop.wait(1.0):
            try:
                self._look()
                last = ""
            except Exception as error:  # whatever it is: the next second may be better
                if str(error) != last:
                    last = str(error)
                    _say("serve", last)
