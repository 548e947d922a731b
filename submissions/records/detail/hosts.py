"""What each host of a run did meanwhile, as the page of its submission tells it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.analysis import hosts
from submissions.analysis.host_use import SATURATED_PERCENT, DiskUse
from submissions.analysis.hosts import DiskTest, Host, Hosts
from submissions.choices import ArtifactKind, Role
from submissions.formatting.numbers import significant
from submissions.ingest.files.storage import open_stored
from submissions.models import Artifact, NodeGroup, Submission

OPEN_ROWS = 24  # a longer table waits behind a switch
MOST_WARNINGS = 10
_BYTES_PER_MB = 1e6
_TESTS = {
    "sequential_write": "Sequential writes of 64 KiB, 16 at a time",
    "random_read": "Random reads of 4 KiB, 32 at a time",
}


@dataclass(frozen=True, slots=True)
class HostRow:
    """Means over the sampled seconds of all trials; MB are 10**6 bytes; None is unknown."""

    name: str
    role: Role
    ops_s: float | None  # of the cluster, by its database nodes: the same for each of them
    cpu_percent: float
    cpu_max_percent: float  # of the busiest second
    disk_read_mb_s: float | None
    disk_write_mb_s: float | None
    received_mb_s: float
    sent_mb_s: float
    is_saturated: bool  # only where the load tool ran
    is_skewed: bool


@dataclass(frozen=True, slots=True)
class DiskTestRow:
    test: DiskTest
    label: str


@dataclass(frozen=True, slots=True)
class HostTable:
    rows: tuple[HostRow, ...]
    warnings: tuple[str, ...]
    disk_tests: tuple[DiskTestRow, ...]

    @property
    def is_long(self) -> bool:
        return len(self.rows) > OPEN_ROWS

    @property
    def has_many_disk_tests(self) -> bool:
        return len(self.disk_tests) > OPEN_ROWS


def host_table(submission: Submission, artifacts: Iterable[Artifact], groups: Sequence[NodeGroup]) -> HostTable | None:
    """None when no host was sampled or tested, or the file's bytes are gone or not ours. Reads one small file."""
    for artifact in artifacts:
        if artifact.kind == ArtifactKind.HOST_SUMMARY:
            try:
                with open_stored(artifact.sha256) as stored:
                    return table_of(hosts.unpacked(stored.read()), ops_s_per_database_node(submission, groups))
            except (FileNotFoundError, ValueError):
                return None
    return None


def ops_s_per_database_node(submission: Submission, groups: Sequence[NodeGroup]) -> float | None:
    """The cluster's throughput by its database nodes; None where a cache served a share of it that nobody knows."""
    count = sum(group.count for group in groups if group.role == Role.DATABASE)
    has_others = any(group.role in Role.SYSTEM_UNDER_TEST and group.role != Role.DATABASE for group in groups)
    if submission.throughput_ops_s is None or not count or has_others:
        return None
    return submission.throughput_ops_s / count


def table_of(found: Hosts, ops_s: float | None) -> HostTable:
    saturated = {host.name for host in found.saturated}
    return HostTable(
        rows=tuple(_row(host, ops_s, is_saturated=host.name in saturated) for host in found.hosts),
        warnings=_shortened(
            [_saturation(host) for host in found.saturated] + [_skew(host) for host in found.hosts if host.skews]
        ),
        disk_tests=tuple(
            DiskTestRow(test, _TESTS.get(test.figures.test, test.figures.test)) for test in found.disk_tests
        ),
    )


def _row(host: Host, ops_s: float | None, *, is_saturated: bool) -> HostRow:
    return HostRow(
        name=host.name,
        role=host.role,
        ops_s=ops_s if host.role == Role.DATABASE else None,
        cpu_percent=host.use.cpu_percent,
        cpu_max_percent=host.use.cpu_max_percent,
        disk_read_mb_s=_mb(host.use.read_bytes_s),
        disk_write_mb_s=_mb(host.use.write_bytes_s),
        received_mb_s=host.use.rx_bytes_s / _BYTES_PER_MB,
        sent_mb_s=host.use.tx_bytes_s / _BYTES_PER_MB,
        is_saturated=is_saturated,
        is_skewed=bool(host.skews),
    )


def _mb(bytes_s: float | None) -> float | None:
    return None if bytes_s is None else bytes_s / _BYTES_PER_MB


def _shortened(warnings: Sequence[str]) -> tuple[str, ...]:
    """The first ones: what holds for a hundred hosts is no better told a hundred times."""
    left_out = len(warnings) - MOST_WARNINGS
    if left_out <= 0:
        return tuple(warnings)
    return (*warnings[:MOST_WARNINGS], f"{left_out} more of the same are marked in the table.")


def _saturation(host: Host) -> str:
    what = "Client" if host.role == Role.CLIENT else "The load tool ran beside the database:"
    return (
        f"{what} {host.name} was saturated in {_trials(host.saturated_in)}: its CPU was more than "
        f"{SATURATED_PERCENT:.0f} % busy. The throughput may be its limit, not the database's."
    )


def _skew(host: Host) -> str:
    worst = max(host.skews, key=lambda one: one.skew.most.busy_percent)
    where = "" if len(host.skews) == 1 else f"in trial {worst.trial + 1} "
    return (
        f"The members of the RAID of {host.name} were not used evenly in {_trials([one.trial for one in host.skews])}: "
        f"{where}{_disk(worst.skew.most)} but {_disk(worst.skew.least)}. An array is as slow as its slowest member."
    )


def _disk(disk: DiskUse) -> str:
    return (
        f"{disk.name} was {significant(disk.busy_percent)} % busy at {significant(disk.bytes_s / _BYTES_PER_MB)} MB/s"
    )


def _trials(indexes: Sequence[int]) -> str:
    numbers = [str(index + 1) for index in indexes]
    if len(numbers) == 1:
        return f"trial {numbers[0]}"
    return f"trials {', '.join(numbers[:-1])} and {numbers[-1]}"
