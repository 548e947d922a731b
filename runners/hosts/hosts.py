"""What a host can do for a run; remote.py does it over SSH, providers/local on this machine."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class HostLost(Exception):
    """A host does not answer any more, or the connection broke without an exit status; `names` are all such hosts."""

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
    """A look at a detached command. Neither running nor with an exit status: it was never started on this host."""

    is_running: bool
    exit_status: int | None  # None while it runs; 255 when it died without one: killed, or the host was restarted
    new_output: bytes  # of the tailed file since `offset`, at most 1 MiB
    offset: int  # where to go on


def output_of(job: str) -> str:
    """The file with the output of a detached command, stdout and stderr, from the host's folder of the run."""
    return f"jobs/{job}/output"


class Hosts(ABC):
    """All the hosts of a run at once; calls go to them in parallel, a bounded number at a time.

    Hosts are named by their RunNode name. Every call has a time-out. A detached command survives
    the worker: its output and exit status are files under `job` on the host, so any worker can
    look at it later; starting the same job twice starts it once.

    Each host has one folder for the run. Commands start in it, and relative paths begin at it;
    what the job `x` prints is in `output_of("x")`.
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
        """The state of a detached job on each host, and what `path` has grown by.

        The state is read before the file: a job that has ended has written all that there will be.
        """

    @abstractmethod
    def fetch(self, name: str, path: str, to: str) -> bool:
        """Copy a whole file to a local path; False when it does not exist."""
