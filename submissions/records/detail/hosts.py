"""What each host of a run did during the run, as the page of its submission shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.analysis import hosts
from submissions.analysis.host_activity import TrialActivity
from submissions.analysis.host_use import SATURATED_PERCENT, DiskUse
from submissions.analysis.hosts import DiskTest, Host, Hosts
from submissions.choices import ArtifactKind, Role
from submissions.formatting.numbers import significant
from submissions.formatting.text import join_and, plural
from submissions.ingest.files.storage import open_stored
from submissions.models import Artifact, NodeGroup, Submission

OPEN_ROWS = 24  # a longer table is folded
MOST_WARNINGS = 10
_BYTES_PER_MB = 1e6
_TESTS = {
    "sequential_write": "Sequential writes of 64 KiB, 16 in parallel",
    "random_read": "Random reads of 4 KiB, 32 in parallel",
}


@dataclass(frozen=True, slots=True)
class HostRow:
    """Means over the sampled seconds of all trials; MB are 10**6 bytes; None is unknown."""

    name: str
    role: Role
    ops_s: float | None  # of the cluster, per database node: the same for each of them
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
    activity: tuple[TrialActivity, ...] = ()

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
    """The cluster's throughput per database node; None where a cache served an unknown share of it."""
    count = sum(group.count for group in groups if group.role == Role.DATABASE)
    has_others = any(group.role in Role.SYSTEM_UNDER_TEST and group.role != Role.DATABASE for group in groups)
    if submission.throughput_ops_s is None or not count or has_others:
        return None
    return submission.throughput_ops_s / count


def table_of(summary: Hosts, ops_s: float | None) -> HostTable:
    saturated = {host.name for host in summary.saturated}
    return HostTable(
        rows=tuple(_row(host, ops_s, is_saturated=host.name in saturated) for host in summary.hosts),
        warnings=_shortened(
            [_saturation(host) for host in summary.saturated] + [_skew(host) for host in summary.hosts if host.skews]
        ),
        disk_tests=tuple(
            DiskTestRow(test, _TESTS.get(test.figures.test, test.figures.test)) for test in summary.disk_tests
        ),
        activity=summary.activity,
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
    """The first ones: a hundred equal sentences tell a reader no more than ten."""
    more = len(warnings) - MOST_WARNINGS
    if more <= 0:
        return tuple(warnings)
    return (
        *warnings[:MOST_WARNINGS],
        f"{plural(more, 'more host')} {'is' if more == 1 else 'are'} marked in the table.",
    )


def _saturation(host: Host) -> str:
    subject = f"Client {host.name}" if host.role == Role.CLIENT else f"{host.name}, which also ran the load tool,"
    return (
        f"{subject} was saturated in {_trials(host.saturated_in)}: its CPU was more than {SATURATED_PERCENT:.0f} % "
        "busy. The throughput may be limited by the load tool, not by the database."
    )


def _skew(host: Host) -> str:
    worst = max(host.skews, key=lambda trial: trial.skew.most.busy_percent)
    where = "" if len(host.skews) == 1 else f"in trial {worst.trial + 1} "
    return (
        f"The RAID members of {host.name} were not used evenly in {_trials([skew.trial for skew in host.skews])}: "
        f"{where}{_disk(worst.skew.most)}, but {_disk(worst.skew.least)}. An array is as slow as its slowest member."
    )


def _disk(disk: DiskUse) -> str:
    return (
        f"{disk.name} was {significant(disk.busy_percent)} % busy at {significant(disk.bytes_s / _BYTES_PER_MB)} MB/s"
    )


def _trials(indexes: Sequence[int]) -> str:
    noun = "trial" if len(indexes) == 1 else "trials"
    return f"{noun} {join_and([str(index + 1) for index in indexes])}"
