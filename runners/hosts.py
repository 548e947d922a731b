"""What a host can do for a run; remote.py does it over SSH, providers/local on this machine."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class HostLost(Exception):
    """The host does not answer any more, or the connection broke without an exit status."""


class HostNotReady(Exception):
    """The host does not take connections yet."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended. `exit_status` is never None: that is HostLost."""

    exit_status: int
    output: str  # stdout and stderr, at most the last 64 KiB


@dataclass(frozen=True, slots=True)
class Progress:
    """A look at a detached command."""

    is_running: bool
    exit_status: int | None  # None while it runs
    new_output: bytes  # of the tailed file since `offset`, at most 1 MiB
    offset: int  # where to go on


class Hosts(ABC):
    """All the hosts of a run at once; calls go to them in parallel, a bounded number at a time.

    Hosts are named by their RunNode name. Every call has a time-out. A detached command survives
    the worker: its output and exit status are files under `job` on the host, so any worker can
    look at it later; starting the same job twice starts it once.
    """

    @abstractmethod
    def check(self, names: Sequence[str]) -> Mapping[str, bool]:
        """Which hosts take commands now."""

    @abstractmethod
    def run(self, commands: Mapping[str, str], *, timeout_seconds: float) -> Mapping[str, Finished]:
        """Run a short shell command on each named host; HostLost names the hosts that are gone."""

    @abstractmethod
    def put(self, files: Mapping[str, Mapping[str, bytes]]) -> None:
        """Write small files: {host: {path: content}}, atomically, mode 0755 for *.sh."""

    @abstractmethod
    def start(self, jobs: Mapping[str, str], *, job: str) -> None:
        """Start a shell command detached on each named host, unless the job was started before."""

    @abstractmethod
    def look(self, names: Sequence[str], *, job: str, path: str, offsets: Mapping[str, int]) -> Mapping[str, Progress]:
        """The state of a detached job on each host, and what `path` has grown by."""

    @abstractmethod
    def fetch(self, name: str, path: str, to: str) -> bool:
        """Copy a whole file to a local path; False when it does not exist."""
