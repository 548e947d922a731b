"""What each host did during the trials, and what its disks can do, as the page of a submission shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from submissions.analysis.host_metrics.host_activity import TrialActivity
from submissions.analysis.host_metrics.host_use import SATURATED_PERCENT, DiskUse
from submissions.analysis.host_metrics.hosts import Host, Hosts
from submissions.choices import DiskPattern, Role
from submissions.formatting.numbers import significant, size
from submissions.formatting.text import join_and, plural
from submissions.models import NodeGroup, Submission
from submissions.records.hosts import host_records

OPEN_ROWS = 24  # a longer table is folded
MOST_WARNINGS = 10
_BYTES_PER_MB = 1e6


@dataclass(frozen=True, slots=True)
class HostRow:
    """Means over the sampled seconds of all trials; MB are 10**6 bytes; None is unknown."""

    name: str
    role: Role
    ops_s: float | None  # of a run: of the cluster, per database node, the same for each of them
    cpu_percent: float | None
    cpu_max_percent: float | None  # of the busiest second
    disk_read_mb_s: float | None
    disk_write_mb_s: float | None
    received_mb_s: float | None
    sent_mb_s: float | None
    is_saturated: bool  # only where the load tool ran
    is_skewed: bool
    count: int = 1  # hosts of which the figures are the mean
    server_mean_ms: float | None = None
    server_p99_ms: float | None = None


@dataclass(frozen=True, slots=True)
class DiskTestRow:
    host: str
    target: str
    label: str
    mb_s: float | None
    iops: float | None
    latency_mean_ms: float | None
    latency_p99_ms: float | None


@dataclass(frozen=True, slots=True)
class HostColumn:
    label: str
    unit: str
    figure: str  # of a HostRow


_COLUMNS = (
    HostColumn("Throughput", "ops/s", "ops_s"),
    HostColumn("Server latency, mean", "ms", "server_mean_ms"),
    HostColumn("Server latency, p99", "ms", "server_p99_ms"),
    HostColumn("CPU, mean", "%", "cpu_percent"),
    HostColumn("CPU, busiest second", "%", "cpu_max_percent"),
    HostColumn("Disk reads", "MB/s", "disk_read_mb_s"),
    HostColumn("Disk writes", "MB/s", "disk_write_mb_s"),
    HostColumn("Network in", "MB/s", "received_mb_s"),
    HostColumn("Network out", "MB/s", "sent_mb_s"),
)


@dataclass(frozen=True, slots=True)
class HostTable:
    rows: tuple[HostRow, ...]
    warnings: tuple[str, ...]
    disk_tests: tuple[DiskTestRow, ...]
    activity: tuple[TrialActivity, ...] = ()
    is_run: bool = False  # sampled by a run of this site, not stated by an uploader

    @property
    def columns(self) -> list[HostColumn]:
        """Those with a figure of any host."""
        return [column for column in _COLUMNS if any(getattr(row, column.figure) is not None for row in self.rows)]

    @property
    def not_stated(self) -> str:
        """The other ones, in words: "CPU, mean; disk reads"."""
        shown = self.columns
        names = [column.label for column in _COLUMNS if column not in shown]
        return "; ".join(name if name.startswith("CPU") else name[0].lower() + name[1:] for name in names)

    @property
    def lines(self) -> list[tuple[HostRow, list[tuple[float | None, bool]]]]:
        """Each host with its figures, and whether a column has one for its role."""
        return [
            (row, [(getattr(row, column.figure), self._applies(column, row)) for column in self.columns])
            for row in self.rows
        ]

    def _applies(self, column: HostColumn, row: HostRow) -> bool:
        return column.figure != "ops_s" or row.role == Role.DATABASE or not self.is_run

    @property
    def is_long(self) -> bool:
        return len(self.rows) > OPEN_ROWS

    @property
    def has_many_disk_tests(self) -> bool:
        return len(self.disk_tests) > OPEN_ROWS


def host_table(submission: Submission, summary: Hosts | None, groups: Sequence[NodeGroup]) -> HostTable | None:
    """Of the samples of a run, which say most, else of what the document states; None without either."""
    records = host_records(submission, summary)
    if not summary and not records.hosts and not records.disk_tests:
        return None
    tests = tuple(_disk_test(record) for record in records.disk_tests)
    if summary:
        table = table_of(summary, ops_s_per_database_node(submission, groups))
        return replace(table, disk_tests=tests, is_run=True)
    return HostTable(rows=tuple(_stated_row(record) for record in records.hosts), warnings=(), disk_tests=tests)


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
        disk_tests=(),
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


def _stated_row(record: Mapping[str, Any]) -> HostRow:
    role = Role(record["role"])
    cpu = record["cpu_percent"]
    return HostRow(
        name=record["name"] or role.label,
        role=role,
        ops_s=record["throughput_ops_s"],
        cpu_percent=cpu,
        cpu_max_percent=record["cpu_max_percent"],
        disk_read_mb_s=_mb(record["disk_read_bytes_s"]),
        disk_write_mb_s=_mb(record["disk_write_bytes_s"]),
        received_mb_s=_mb(record["network_received_bytes_s"]),
        sent_mb_s=_mb(record["network_sent_bytes_s"]),
        is_saturated=role == Role.CLIENT and cpu is not None and cpu > SATURATED_PERCENT,
        is_skewed=False,
        count=record["count"],
        server_mean_ms=record["server_latency_ms"]["mean"],
        server_p99_ms=record["server_latency_ms"]["p99"],
    )


def _disk_test(record: Mapping[str, Any]) -> DiskTestRow:
    return DiskTestRow(
        host=record["host"] or "",
        target=record["target"] or "",
        label=_disk_test_words(record),
        mb_s=record["mb_s"],
        iops=record["iops"],
        latency_mean_ms=record["latency_ms"]["mean"],
        latency_p99_ms=record["latency_ms"]["p99"],
    )


def _disk_test_words(record: Mapping[str, Any]) -> str:
    """ "fio: sequential write, blocks of 64 KiB, 16 in flight"."""
    jobs, depth = record["jobs"], record["queue_depth"]
    parts = [
        f"{record['tool']}: {DiskPattern(record['pattern']).label}",
        f"blocks of {size(record['block_bytes'])}" if record["block_bytes"] else "",
        plural(jobs, "job") if jobs and jobs > 1 else "",
        f"{depth:,} in flight" if depth else "",
        f"files of {size(record['file_bytes'])}" if record["file_bytes"] else "",
    ]
    return ", ".join(part for part in parts if part)


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
