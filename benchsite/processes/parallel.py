"""Independent work on the database in several processes: Python computes in one thread of each."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import current_process, get_context
from typing import TypeVar

from django.db import connections

MOST_PROCESSES = 4  # each has a connection, and memory of its own

Part = TypeVar("Part")
Result = TypeVar("Result")


def each(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """What `work`, a function of a module, answers for each part, in their order; the first error is raised.

    In forks, one for each of a few processors, which begin with the first parts and have connections of their own.
    Here where there is one processor, or one part, or a transaction is open: no other connection sees its rows. Also
    in a Celery worker: its processes are daemons, which may have no children.
    """
    processes = 1 if current_process().daemon else min(os.cpu_count() or 1, MOST_PROCESSES, len(parts))
    if processes < 2 or any(connection.in_atomic_block for connection in connections.all(initialized_only=True)):
        return [work(part) for part in parts]
    connections.close_all()  # else forks have the same sockets
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        return list(pool.map(work, parts))
