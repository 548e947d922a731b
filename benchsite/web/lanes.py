"""Which requests a thread of a web process begins next: writing ones at once, reading ones as it has time.

Pages that take long to compute have two threads of their own: however many are asked for, the others go on, and no
more than two need their memory at a time.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MOST_WAITING = 1000  # readers of a process; with more each would wait for longer than anybody does
READERS_BESIDE_WRITERS = 2
COSTLY_AT_ONCE = 2
MOST_COSTLY_WAITING = 20


class Crowded(Exception):
    """Too many readers wait already, of costly pages or of all."""


class Lanes:
    """Threads for reading and for writing, on one processor and one interpreter lock.

    While a writing request is in work, two reading requests at a time are begun: the threads are equals, and the
    uploads of a few would get what the readers of many leave.
    """

    def __init__(self, threads: int, *, most_waiting: int = MOST_WAITING):
        self._reading = LastFirst(threads, "read")
        self._writing = LastFirst(threads, "write")
        self._costly = LastFirst(COSTLY_AT_ONCE, "costly")
        self._threads = threads
        self._most_waiting = most_waiting
        self._change = threading.Condition()
        self._unfinished = self._unfinished_costly = self._readers = self._writers = 0

    def submit(self, method: str, work: Callable[..., Any], *arguments: Any, is_costly: bool = False) -> "Future[Any]":
        """Raises Crowded. `is_costly`: of a reading request, that it takes long to compute."""
        if method not in SAFE_METHODS:
            return self._writing.submit(self._write, work, *arguments)
        with self._change:
            is_full = self._unfinished_costly >= COSTLY_AT_ONCE + MOST_COSTLY_WAITING
            if self._unfinished >= self._threads + self._most_waiting or (is_costly and is_full):
                raise Crowded
            self._unfinished += 1
            self._unfinished_costly += is_costly
        future = (self._costly if is_costly else self._reading).submit(self._read, work, *arguments)
        # also of one that was cancelled while it waited
        future.add_done_callback(lambda _: self._finished(is_costly))
        return future

    def _write(self, work: Callable[..., Any], *arguments: Any) -> Any:
        with self._counted_writer():
            return work(*arguments)

    def _read(self, work: Callable[..., Any], *arguments: Any) -> Any:
        with self._change:
            self._change.wait_for(lambda: not self._writers or self._readers < READERS_BESIDE_WRITERS)
            self._readers += 1
        try:
            return work(*arguments)
        finally:
            with self._change:
                self._readers -= 1
                self._change.notify()

    @contextmanager
    def _counted_writer(self) -> Iterator[None]:
        with self._change:
            self._writers += 1
        try:
            yield
        finally:
            with self._change:
                self._writers -= 1
                self._change.notify_all()

    def _finished(self, is_costly: bool) -> None:
        with self._change:
            self._unfinished -= 1
            self._unfinished_costly -= is_costly


class LastFirst(ThreadPoolExecutor):
    """Work is begun in the order in which it comes, by the thread that has waited for the shortest time.

    Few threads work where few are enough, so that the connections of the others end. Where the one does it that has
    waited longest, each has some now and then: none is ever idle.
    """

    def __init__(self, threads: int, name: str):
        super().__init__(threads, name)
        self._work_queue: Any = _LastWaiting()

    @property
    def idle(self) -> int:
        """How many of its threads wait for work."""
        return len(self._work_queue.waiting)


class _LastWaiting:
    """What an executor asks of its queue; who has begun to wait last gets what comes next."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: deque[Any] = deque()
        self.waiting: list[_Waiting] = []

    def put(self, item: Any) -> None:
        with self._lock:
            if not self.waiting:
                self._items.append(item)
                return
            waiting = self.waiting.pop()
        waiting.item = item
        waiting.gate.release()

    def get(self, block: bool = True) -> Any:
        with self._lock:
            if self._items:
                return self._items.popleft()
            if not block:
                raise queue.Empty
            waiting = _Waiting()
            self.waiting.append(waiting)
        waiting.gate.acquire()
        return waiting.item

    def get_nowait(self) -> Any:
        return self.get(block=False)


class _Waiting:
    __slots__ = ("gate", "item")

    def __init__(self) -> None:
        self.item: Any = None
        self.gate = threading.Lock()
        self.gate.acquire()
