"""What a process gives back to the system: the memory that it has freed, and pages of files that it has read."""

import ctypes
import re
import threading
import time
from contextlib import suppress
from pathlib import Path

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]\d* +/.*")  # of a file, not to be written
_OWN = re.compile(r"(?:Anonymous|Swap|Locked): +[1-9].*")  # which the file does not have
_MADV_DONTNEED = 4
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


def give_back_libraries() -> None:
    """Pages of libraries that were read while they were loaded: who needs one again finds it in the system's cache.

    No fork gets them from its parent, so that one that has loaded everything, and then waits, has them for nobody.
    """
    with suppress(AttributeError, OSError):
        for begin, end in mapped_files(Path("/proc/self/smaps").read_text()):
            ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _MADV_DONTNEED)


def mapped_files(smaps: str) -> list[tuple[int, int]]:
    """From and to which address: those where this process has changed nothing, as it does where it relocates."""
    found: list[tuple[int, int]] = []
    is_last = False  # whether the lines are of the last one
    for line in smaps.splitlines():
        if not line.partition(" ")[0].endswith(":"):
            mapping = _MAPPING.fullmatch(line)
            is_last = mapping is not None
            if mapping:
                found.append((int(mapping[1], 16), int(mapping[2], 16)))
        elif is_last and _OWN.fullmatch(line):
            found.pop()
            is_last = False
    return found
