"""CPU time and memory of groups of processes, from the kernel: what a busy machine changes least."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path

import psutil

_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cpu:
    """Milliseconds."""

    python: float = 0.0
    postgres: float = 0.0
    redis: float = 0.0

    @property
    def total(self) -> float:
        return self.python + self.postgres + self.redis

    def __sub__(self, other: "Cpu") -> "Cpu":
        return self._with(other, lambda mine, its: max(mine - its, 0.0))

    def __add__(self, other: "Cpu") -> "Cpu":
        return self._with(other, lambda mine, its: mine + its)

    def per(self, units: int) -> "Cpu":
        return Cpu(*(getattr(self, part.name) / units for part in fields(self)))

    def _with(self, other: "Cpu", change: Callable[[float, float], float]) -> "Cpu":
        return Cpu(*(change(getattr(self, part.name), getattr(other, part.name)) for part in fields(self)))


@dataclass
class Processes:
    """Which processes are whose: the numbers of the roots of each group; their children belong to it."""

    python: list[int] = field(default_factory=list)
    postgres: list[int] = field(default_factory=list)
    redis: list[int] = field(default_factory=list)

    def cpu(self) -> Cpu:
        return Cpu(*(sum(_cpu_ms(root) for root in getattr(self, part.name)) for part in fields(self)))


def tree(root: int) -> list[int]:
    """A process and all below it."""
    try:
        process = psutil.Process(root)
        return [root, *(child.pid for child in process.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def _cpu_ms(root: int) -> float:
    """Of a process, those below it, and those that have ended since (PostgreSQL's, those of the workers)."""
    return sum(_own_ms(pid) + _of_ended_ms(pid) for pid in tree(root))


def _own_ms(pid: int) -> float:
    # the kernel's clock of a process, ended threads included: as /proc/PID/task/*/schedstat, without their loss
    with suppress(OSError):
        return time.clock_gettime_ns(~pid << 3 | 2) / 1e6
    return 0.0


def _of_ended_ms(pid: int) -> float:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[13]) + int(words[14])) * _TICK_MS
    return 0.0


def pss_mb(pids: list[int]) -> float:
    """Memory in which what several processes share is counted once, divided among them."""
    return sum(_pss_kb(pid) for pid in pids) / 1024


def _pss_kb(pid: int) -> int:
    with suppress(OSError):
        for line in _lines(Path(f"/proc/{pid}/smaps_rollup")):
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def _lines(path: Path) -> Iterator[str]:
    yield from path.read_text().splitlines()
