"""What a host's samples say: the mean and the highest use of processor, network and each disk during a trial."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

SATURATED_PERCENT = 85.0  # a client above it measures itself
SKEWED_RATIO = 1.5  # busiest over least busy member of a RAID
_HOST = ("cpu_percent", "iowait_percent", "steal_percent", "rx_bytes_s", "tx_bytes_s")
_DISK = ("read_bytes_s", "write_bytes_s", "busy_percent")
_MIN_BYTES_S = 1e6  # below it the shares of the members are chance


@dataclass(frozen=True, slots=True)
class DiskUse:
    name: str
    read_bytes_s: float
    write_bytes_s: float
    busy_percent: float


@dataclass(frozen=True, slots=True)
class HostUse:
    """Means over the trial; `cpu_max_percent` is of the busiest second."""

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
    def has_skewed_disks(self) -> bool:
        """Whether one of several disks that share a load carries much more of it; RAID devices are sums, no members."""
        loads = [d.read_bytes_s + d.write_bytes_s for d in self.disks if not d.name.startswith("md")]
        used = [load for load in loads if load >= _MIN_BYTES_S]
        return len(used) > 1 and max(used) > SKEWED_RATIO * min(used)


def parse(lines: Iterable[str]) -> HostUse | None:
    """Reads scripts/trial.py's CSV; None for a trial of under a second. ValueError for another file."""
    rows = csv.reader(lines)
    columns = next(rows, [])
    if columns[:6] != ["time", *_HOST]:
        raise ValueError("these are no samples of a host")
    disks = [name.rpartition(":")[0] for name in columns[6 :: len(_DISK)]]
    values = [[float(cell) for cell in row] for row in rows if len(row) == len(columns)]  # the last may be cut
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
