"""The interface to the hosts of a run; remote.py implements it over SSH, providers/local on this machine."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

Files = Mapping[str, Mapping[str, bytes]]  # host -> path -> content
NO_FILES: Files = MappingProxyType({})


class HostLost(Exception):
    """A host no longer answers, or its connection broke without an exit status; `names` are all such hosts."""

    def __init__(self, message: str = "", names: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.names = tuple(names)


class HostNotReady(HostLost):
    """The host does not take connections yet."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended. `exit_status` is never None: that is HostLost."""

    exit_status: int
    output: str  # stdout and stderr, at most the last 64 KiB


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a detached command. Neither running nor with an exit status: never started on this host."""

    is_running: bool
    exit_status: int | None  # None while it runs; 255 if it ended without one: killed, or the host restarted
    new_output: bytes  # of the tailed file since `offset`, at most 1 MiB
    offset: int  # where the next call continues


def output_of(job: str) -> str:
    """The file with stdout and stderr of a detached command, relative to the run's folder on the host."""
    return f"jobs/{job}/output"


class Hosts(ABC):
    """All hosts of a run; calls are made in parallel, to a limited number of hosts at a time.

    Hosts have the names of their RunNodes. Every call has a timeout. A detached command outlives the worker: its
    output and exit status are files on the host, so that any worker can follow it; starting a job twice starts it once.

    The time of a step is limited: hosts that were not reached in time are missing in the answer, which means nothing
    but that they must be asked again by the next step. In every call, some hosts are reached.

    Each host has one folder for the run. Commands start in it, and paths are relative to it; the output of the job
    `x` is in `output_of("x")`.
    """

    @abstractmethod
    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Which hosts accept commands now."""

    @abstractmethod
    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        """Run a short shell command on each named host. Raises HostLost with the names of the lost hosts."""

    @abstractmethod
    def read(self, commands: Mapping[str, str], *, seconds: float, most: int) -> Mapping[str, bytes]:
        """What a short command prints on each named host: its first `most` bytes, and what came within `seconds`.

        For hosts that may be half dead: raises no HostLost, takes hardly longer than `seconds` for all hosts together,
        and leaves out those that print nothing.
        """

    @abstractmethod
    def put(self, files: Files) -> None:
        """Write small files: {host: {path: content}}, atomically, mode 0755 for *.sh."""

    @abstractmethod
    def start(self, jobs: Mapping[str, str], *, job: str, files: Files = NO_FILES) -> None:
        """Start a detached shell command on each named host, unless the job was started before.

        `files` are written first, as `put` does.
        """

    @abstractmethod
    def set_aside(self, names: Sequence[str], *, job: str) -> Collection[str]:
        """Let an ended job be started again on these hosts; its files stay beside it. The hosts where it may be."""

    @abstractmethod
    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        """The state of a detached job on each host, and the new content of `path`.

        The state is read before the file, so that the file of an ended job is complete.
        """

    @abstractmethod
    def fetch(self, name: str, path: str, to: str) -> bool:
        """Copy a whole file to a local path; False when it does not exist."""
