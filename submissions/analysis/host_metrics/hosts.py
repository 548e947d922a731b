"""What a run measured on each of its hosts: a small artifact beside the raw files, written once, read by the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from submissions.analysis.host_metrics.host_activity import TrialActivity
from submissions.analysis.host_metrics.host_use import HostUse, Skew, over_trials
from submissions.choices import Role

FILE_NAME = "hosts.json"


TESTS: dict[str, dict[str, int]] = {
    "sequential_write": {"block_bytes": 64 * 1024, "queue_depth": 16},
    "random_read": {"block_bytes": 4 * 1024, "queue_depth": 32},
}


@dataclass(frozen=True, slots=True)
class DiskFigures:
    """One test: 64 KiB sequential writes or 4 KiB random reads, past the page cache."""

    test: str  # a key of TESTS
    mb_s: float  # 10**6 bytes
    iops: float
    latency_mean_ms: float  # from submission to completion
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class DiskTest:
    host: str
    folder: str  # of the host's data folders, "0" is the first
    figures: DiskFigures

    @property
    def record(self) -> dict[str, Any]:
        """As in a submission document's `disk_tests`."""
        latency = {"mean": self.figures.latency_mean_ms, "p99": self.figures.latency_p99_ms}
        return {
            "tool": "fio",
            "host": self.host,
            "target": f"data folder {self.folder}",
            "pattern": self.figures.test,
            **TESTS.get(self.figures.test, {}),
            "jobs": 1,
            "is_direct": True,
            "mb_s": self.figures.mb_s or None,
            "iops": self.figures.iops or None,
            "latency_ms": latency,
        }


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

    @property
    def record(self) -> dict[str, Any]:
        """As in a submission document's `hosts`."""
        use = self.use
        return {
            "name": self.name,
            "role": self.role.value,
            "sampled_s": use.seconds,
            "cpu_percent": _share(use.cpu_percent),
            "cpu_max_percent": _share(use.cpu_max_percent),
            "iowait_percent": _share(use.iowait_percent),
            "steal_percent": _share(use.steal_percent),
            "disk_read_bytes_s": use.read_bytes_s,
            "disk_write_bytes_s": use.write_bytes_s,
            "disk_busy_percent": max((_share(disk.busy_percent) for disk in use.disks), default=None),
            "network_received_bytes_s": use.rx_bytes_s,
            "network_sent_bytes_s": use.tx_bytes_s,
        }


@dataclass(frozen=True, slots=True)
class Hosts:
    """`hosts` in the order of the run, `disk_tests` by host, folder and test; `activity` by trial."""

    hosts: tuple[Host, ...]
    disk_tests: tuple[DiskTest, ...]
    activity: tuple[TrialActivity, ...] = ()  # older files have none

    @property
    def records(self) -> dict[str, list[dict[str, Any]]]:
        """`hosts` and `disk_tests` of a submission document."""
        return {
            "hosts": [host.record for host in self.hosts],
            "disk_tests": [test.record for test in self.disk_tests if test.figures.mb_s or test.figures.iops],
        }

    @property
    def loading(self) -> tuple[Host, ...]:
        """The hosts on which the load tool ran: the clients, or the database's own where there were none."""
        clients = tuple(host for host in self.hosts if host.role == Role.CLIENT)
        return clients or tuple(host for host in self.hosts if host.role == Role.DATABASE)

    @property
    def saturated(self) -> tuple[Host, ...]:
        """Those of them that were so busy in a trial that they may have limited the result."""
        return tuple(host for host in self.loading if host.saturated_in)


def _share(percent: float) -> float:
    """Clocks of samples are not exact: 100.2 % busy is 100 %."""
    return min(max(percent, 0.0), 100.0)


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
