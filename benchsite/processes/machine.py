"""What this machine has, and how much of it the embedded PostgreSQL and the processes of a site take."""

import os
from pathlib import Path

MIB = 1024**2
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_bytes() -> int:
    """Of the machine, or of the container where that may use less."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        limit = CGROUP_LIMIT.read_text().strip()
    except OSError:
        return machine
    return min(int(limit), machine) if limit.isdecimal() else machine


def postgres_options(memory: int) -> dict[str, str]:
    """Settings for a PostgreSQL that shares a machine of so many bytes with the rest of the site.

    Its own cache is small: what it does not hold is in the page cache of the system, which gives it back when
    others need memory.
    """
    return {
        "shared_buffers": _mib(memory // 512, least=32, most=1024),
        "effective_cache_size": _mib(memory // 2, least=256, most=1024**2),
        "work_mem": _mib(memory // 2048, least=4, most=32),
        "maintenance_work_mem": _mib(memory // 128, least=64, most=512),
    }


def _mib(size: int, *, least: int, most: int) -> str:
    return f"{min(max(size // MIB, least), most)}MB"
