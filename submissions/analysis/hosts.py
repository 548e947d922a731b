"""What a run measured on each of its hosts: a small artifact beside the raw files, written once, read by the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from submissions.analysis.host_activity import TrialActivity
from submissions.analysis.host_use import HostUse, Skew, over_trials
from submissions.choices import Role

FILE_NAME = "hosts.json"


@dataclass(frozen=True, slots=True)
class DiskFigures:
    """One test: 64 KiB sequential writes or 4 KiB random reads, past the page cache."""

    test: str  # sequential_write, random_read
    mb_s: float  # 10**6 bytes
    iops: float
    latency_mean_ms: float  # from submission to completion
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class DiskTest:
    host: str
    folder: str  # of the host's data folders, "0" is the first
    figures: DiskFigures


@dataclass(frozen=True, slots=True)
class TrialSkew:
    trial: int
    skew: Skew


@dataclass(frozen=True, slots=True)
class Host:
    """A host over all its trials; indexes of trials from 0."""

    name: str
    role: Role
    trials: int
    use: HostUse
    saturated_in: tuple[int, ...]
    skews: tuple[TrialSkew, ...]


@dataclass(frozen=True, slots=True)
class Hosts:
    """`hosts` in the order of the run, `disk_tests` by host, folder and test; `activity` by trial."""

    hosts: tuple[Host, ...]
    disk_tests: tuple[DiskTest, ...]
    activity: tuple[TrialActivity, ...] = ()  # older files have none

    @property
    def loading(self) -> tuple[Host, ...]:
        """The hosts on which the load tool ran: the clients, or the database's own where there were none."""
        clients = tuple(host for host in self.hosts if host.role == Role.CLIENT)
        return clients or tuple(host for host in self.hosts if host.role == Role.DATABASE)

    @property
    def saturated(self) -> tuple[Host, ...]:
        """Those of them that were so busy in a trial that they may have limited the result."""
        return tuple(host for host in self.loading if host.saturated_in)


def host(name: str, role: Role, uses: Mapping[int, HostUse]) -> Host:
    """A host from its use in each trial, by the trial's index. ValueError without a trial."""
    trials = sorted(uses)
    return Host(
        name=name,
        role=role,
        trials=len(trials),
        use=over_trials([uses[trial] for trial in trials]),
        saturated_in=tuple(trial for trial in trials if uses[trial].is_saturated),
        skews=tuple(TrialSkew(trial, skew) for trial in trials if (skew := uses[trial].skew)),
    )


def packed(hosts: Sequence[Host], disk_tests: Iterable[DiskTest], activity: Iterable[TrialActivity] = ()) -> bytes:
    """JSON; the same figures give the same bytes."""
    return _FILE.dump_json(Hosts(tuple(hosts), tuple(disk_tests), tuple(activity)), indent=1)


def unpacked(data: bytes) -> Hosts:
    """What `packed` wrote. ValueError for anything else."""
    return _FILE.validate_json(data)


_FILE = TypeAdapter(Hosts)
