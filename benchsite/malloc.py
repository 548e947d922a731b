"""How the C library keeps the memory that a process has freed."""

import ctypes
from contextlib import suppress

# glibc gives every thread an area of its own, which it hardly returns, and takes larger and larger blocks from these
# areas: a large block is better the system's, which has it back when it is free.
_MALLOC_OPTIONS = {-8: 2, -3: 256 * 1024, -1: 1024 * 1024}  # M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD


def give_memory_back() -> None:
    """From now on malloc returns to the system what this process has freed."""
    with suppress(AttributeError, OSError):  # a C library without it
        for option, value in _MALLOC_OPTIONS.items():
            ctypes.CDLL(None).mallopt(option, value)
