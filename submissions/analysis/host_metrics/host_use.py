"""A host's use of processor, network and disks during a trial, and over all trials, from its samples."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

SATURATED_PERCENT = 85.0  # a busier client limits the measurement itself
SKEWED_RATIO = 1.5  # busiest over least busy member of a RAID
_HOST = ("cpu_percent", "iowait_percent", "steal_percent", "rx_bytes_s", "tx_bytes_s")
_DISK = ("read_bytes_s", "write_bytes_s", "busy_percent")
_MIN_BYTES_S = 1e6  # below it the differences between members are noise
_MIN_BUSY_PERCENT = 20.0  # as well: 3 % against 1 % slows nothing down
_MEMBER_SHARE = 0.25  # of the most loaded disk: a disk with less is the system's, not a member


@dataclass(frozen=True, slots=True)
class DiskUse:
    name: str
    read_bytes_s: float
    write_bytes_s: float
    busy_percent: float

    @property
    def bytes_s(self) -> float:
        return self.read_bytes_s + self.write_bytes_s

    @property
    def is_array(self) -> bool:
        """A RAID device is the sum of its members."""
        return self.name.startswith("md")


@dataclass(frozen=True, slots=True)
class Skew:
    """The two members of a RAID that differ most."""

    most: DiskUse
    least: DiskUse


@dataclass(frozen=True, slots=True)
class HostUse:
    """Means over the sampled seconds; `cpu_max_percent` is of the busiest one."""

    seconds: int
    cpu_percent: float
    cpu_max_percent: float
    iowait_percent: float
    steal_percent: float
    rx_bytes_s: float
    tx_bytes_s: float
    disks: tuple[DiskUse, ...]

    @property
    def is_saturated(self) -> bool:
        return self.cpu_percent > SATURATED_PERCENT

    @property
    def read_bytes_s(self) -> float | None:
        """Of all disks together; None where no disk was seen."""
        return self._sum("read_bytes_s")

    @property
    def write_bytes_s(self) -> float | None:
        return self._sum("write_bytes_s")

    @property
    def skew(self) -> Skew | None:
        """Set where one member of a RAID has much more load than another, or is much busier with the same load."""
        if not any(disk.is_array for disk in self.disks):
            return None
        most = max((disk.bytes_s for disk in self._single()), default=0.0)
        members = [disk for disk in self._single() if disk.bytes_s >= max(_MIN_BYTES_S, _MEMBER_SHARE * most)]
        if len(members) < 2:
            return None
        low, *_, high = sorted(members, key=lambda disk: disk.busy_percent)
        if high.busy_percent >= _MIN_BUSY_PERCENT and high.busy_percent > SKEWED_RATIO * low.busy_percent:
            return Skew(most=high, least=low)
        low, *_, high = sorted(members, key=lambda disk: disk.bytes_s)
        return Skew(most=high, least=low) if high.bytes_s > SKEWED_RATIO * low.bytes_s else None

    def _single(self) -> list[DiskUse]:
        return [disk for disk in self.disks if not disk.is_array]

    def _sum(self, key: str) -> float | None:
        return sum(getattr(disk, key) for disk in self._single()) if self._single() else None


def parse(lines: Iterable[str]) -> HostUse | None:
    """Reads the CSV that a run's hosts write once a second; None for a trial of under a second.

    Columns: time (s), the processor's shares (%), received and sent (bytes/s), then of each disk read, written
    (bytes/s) and busy (%), then what host_activity reads. Seconds in which a counter of the host began anew (less than
    nothing) are left out. ValueError for another file.
    """
    rows = csv.reader(lines)
    columns = next(rows, [])
    if columns[:6] != ["time", *_HOST]:
        raise ValueError("these are not samples of a host")
    disks = list(dict.fromkeys(name.rpartition(":")[0] for name in columns[6:] if ":" in name))
    seconds = [[float(cell) for cell in row] for row in rows if len(row) == len(columns)]  # the last may be cut
    values = [second for second in seconds if min(second) >= 0]
    if not values:
        return None
    by_column = list(zip(*values, strict=True))
    mean = dict(zip(columns, map(fmean, by_column), strict=True))
    return HostUse(
        seconds=len(values),
        cpu_max_percent=max(by_column[1]),
        disks=tuple(DiskUse(disk, **{key: mean[f"{disk}:{key}"] for key in _DISK}) for disk in disks),
        **{key: mean[key] for key in _HOST},
    )


def over_trials(uses: Sequence[HostUse]) -> HostUse:
    """One host's use over several trials: every sampled second counts the same. ValueError without a trial."""
    if not uses:
        raise ValueError("no trial was sampled")
    seconds = [use.seconds for use in uses]
    names = dict.fromkeys(disk.name for use in uses for disk in use.disks)
    return HostUse(
        seconds=sum(seconds),
        cpu_max_percent=max(use.cpu_max_percent for use in uses),
        disks=tuple(_disk_over_trials(name, uses) for name in names),
        **{key: fmean([getattr(use, key) for use in uses], weights=seconds) for key in _HOST},
    )


def _disk_over_trials(name: str, uses: Sequence[HostUse]) -> DiskUse:
    """Over the trials that saw the disk."""
    seen = [(disk, use.seconds) for use in uses for disk in use.disks if disk.name == name]
    weights = [seconds for _, seconds in seen]
    return DiskUse(name, **{key: fmean([getattr(disk, key) for disk, _ in seen], weights=weights) for key in _DISK})
