"""Whether a cluster holds an amount of data, and whether it was measured with as much for its memory."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

from submissions.analysis.cluster_size.sizing import TB_PER_GIB, DiskSet, raw_tb
from submissions.analysis.cluster_size.usable_space import IN_MEMORY, holds_gib
from submissions.choices import NodeKind, Role
from submissions.models import InstanceType
from submissions.questions.recommend.aggregate import ClusterKey
from submissions.questions.recommend.points import Point

MOST_TIMES = 2  # of the ratio of data to memory that was measured: beyond it the result is that of another load
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of a candidate, for the data that is asked for; figures are None where they are unknown."""

    requested_gib: float | None = None  # None: nothing is asked of it
    holds_gib: float | None = None
    has_head_room: bool = False
    measured_gib: float | None = None
    data_to_memory: float | None = None  # as it was measured
    requested_to_memory: float | None = None
    times: float | None = None  # the data that is asked for, for the same memory, as a multiple of the measured data

    @property
    def suffices(self) -> bool:
        return self.requested_gib is None or (self.has_space and self.is_measured_alike)

    @property
    def space_gib(self) -> float | None:
        """A cluster whose disks are unknown holds as much as it was measured with."""
        return self.measured_gib if self.holds_gib is None else self.holds_gib

    @property
    def has_space(self) -> bool:
        space = self.space_gib
        return self.requested_gib is None or (space is not None and self.requested_gib <= space * (1 + _ROUNDING))

    @property
    def is_measured_alike(self) -> bool:
        """Where it is unknown, too."""
        return self.times is None or self.times <= MOST_TIMES * (1 + _ROUNDING)

    @property
    def is_unknown(self) -> bool:
        """Such results are below those that are known."""
        return self.requested_gib is not None and (self.data_to_memory is None or self.times is None)

    def of_nodes(self, nodes: int, measured_nodes: int) -> "Capacity":
        """Of a cluster of another size, with the same data."""
        part = nodes / measured_nodes
        return replace(
            self,
            holds_gib=None if self.holds_gib is None else self.holds_gib * part,
            measured_gib=None if self.measured_gib is None else self.measured_gib * part,
            requested_to_memory=None if self.requested_to_memory is None else self.requested_to_memory / part,
            times=None if self.times is None else self.times / part,
        )

    def least_nodes(self, measured_nodes: int) -> int | None:
        """The smallest size that suffices; None where no size is known to."""
        if self.requested_gib is None:
            return 1
        if not self.space_gib:
            return None
        part = max(self.requested_gib / self.space_gib, (self.times or 0.0) / MOST_TIMES)
        return max(ceil(measured_nodes * part * (1 - _ROUNDING)), 1)


UNLIMITED = Capacity()


class Machine(NamedTuple):
    """Of the catalogue of instance types."""

    memory_gib: float | None
    local_disk_gib: float | None


Catalogue = Mapping[tuple[str, str], Machine]  # by provider and instance type


class _Group(NamedTuple):
    nodes: int
    machine: Machine | None
    disks: Sequence[Mapping[str, Any]]
    is_managed: bool

    @property
    def memory_gib(self) -> float | None:
        memory = self.machine.memory_gib if self.machine else None
        return memory * self.nodes if memory else None

    @property
    def disks_gib(self) -> float | None:
        """After RAID; the local disks of its type where no disk is stated."""
        if self.disks:
            sets = [DiskSet(disk.get("count", 1), disk.get("size_gib"), disk.get("raid")) for disk in self.disks]
            terabytes = raw_tb(self.nodes, sets)
            return None if terabytes is None else terabytes / TB_PER_GIB
        local = None if self.is_managed or self.machine is None else self.machine.local_disk_gib
        return local * self.nodes if local else None


class Hardware(NamedTuple):
    """Of all database nodes together."""

    memory_gib: float | None
    disks_gib: float | None
    is_managed: bool = False


def catalogue_of(keys: Iterable[ClusterKey]) -> Catalogue:
    """One query."""
    wanted = {(key.provider, name) for key in keys for name in _types(key)}
    rows = InstanceType.objects.filter(
        provider__in={provider for provider, _ in wanted}, name__in={name for _, name in wanted}
    ).order_by()
    columns = rows.values_list("provider", "name", "memory_gib", "local_disk_gib")
    return {(provider, name): Machine(memory, disk) for provider, name, memory, disk in columns}


def hardware_of(key: ClusterKey, nodes: int, catalogue: Catalogue) -> Hardware:
    groups = list(_groups(key, nodes, catalogue))
    return Hardware(
        _sum(one.memory_gib for one in groups),
        _sum(one.disks_gib for one in groups),
        any(one.is_managed for one in groups),
    )


def capacity_of(
    point: Point, hardware: Hardware, *, service: str, replication_factor: int | None, requested_gib: float
) -> Capacity:
    memory, measured, ratio = point.memory_gib or hardware.memory_gib, point.data_gib, point.data_to_memory
    if memory is None and measured and ratio and replication_factor:
        memory = measured * replication_factor / ratio
    requested = requested_gib * replication_factor / memory if memory and replication_factor else None
    space = memory if service in IN_MEMORY else hardware.disks_gib
    share = 1.0 if service in IN_MEMORY else point.usable_share
    return Capacity(
        requested_gib,
        holds_gib(space, share, replication_factor),
        share < 1,
        measured,
        ratio,
        requested,
        requested / ratio if requested and ratio else requested_gib / measured if measured else None,
    )


def _types(key: ClusterKey) -> list[str]:
    layout = json.loads(key.layout)
    return [key.instance_type] if key.is_scalable else [group["instance_type"] for group in layout]


def _groups(key: ClusterKey, nodes: int, catalogue: Catalogue) -> Iterator[_Group]:
    """The layout as aggregate.py describes it."""
    layout = json.loads(key.layout)
    if key.is_scalable:
        yield _Group(nodes, catalogue.get((key.provider, key.instance_type)), json.loads(layout[0]), False)
        return
    for group in layout:
        if group["role"] == Role.DATABASE:
            machine = catalogue.get((key.provider, group["instance_type"]))
            yield _Group(group["count"], machine, group["disks"], group["kind"] == NodeKind.MANAGED)


def _sum(figures: Iterable[float | None]) -> float | None:
    """None where one of them is unknown, or none is there."""
    given = list(figures)
    known = [figure for figure in given if figure is not None]
    return sum(known) if known and len(known) == len(given) else None
