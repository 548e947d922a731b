"""How the C library keeps the memory that a process has freed."""

import ctypes
import threading
import time
from contextlib import suppress

# glibc gives every thread an area of its own, which it hardly returns, and takes larger and larger blocks from these
# areas: a large block is better the system's, which has it back when it is free.
_MALLOC_OPTIONS = {-8: 2, -3: 256 * 1024, -1: 1024 * 1024}  # M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD


def give_memory_back() -> None:
    """From now on malloc returns to the system what this process has freed."""
    with suppress(AttributeError, OSError):  # a C library without it
        for option, value in _MALLOC_OPTIONS.items():
            ctypes.CDLL(None).mallopt(option, value)


def give_back_now() -> None:
    """Also what is free between blocks that are not: a page that took much leaves tens of megabytes so."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def give_back_every(seconds: float) -> None:
    """In a thread, which ends with the process. Each time takes a few milliseconds, without the interpreter's lock."""

    def go_on() -> None:
        while True:
            time.sleep(seconds)
            give_back_now()

    threading.Thread(target=go_on, name="malloc", daemon=True).start()
