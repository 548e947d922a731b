"""Threads of which few work where few are enough, so that the connections of the others end."""

import queue
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class LastFirst(ThreadPoolExecutor):
    """Work is begun in the order in which it comes, by the thread that has waited for the shortest time.

    Where the one does it that has waited longest, each has some now and then: none is ever idle.
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
