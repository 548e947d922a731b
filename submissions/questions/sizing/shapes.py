"""Clusters of one shape: equal nodes with equal disks and proportional caches, at one provider and region."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from submissions.analysis.cluster_size.sizing import DiskSet, Size
from submissions.choices import Role

# A node group as {"role", "instance_type", "count", "disks"}.
Group = Mapping[str, Any]


class Cache(NamedTuple):
    """Cache nodes in front of the database, as a number per database node."""

    instance_type: str
    disks: str
    per_node: Fraction


class ShapeKey(NamedTuple):
    """What clusters of different size must share to be sized from each other."""

    provider: str
    region: str | None
    instance_type: str
    disks: str  # of one database node, as JSON
    caches: tuple[Cache, ...]

    @property
    def disk_sets(self) -> tuple[DiskSet, ...]:
        return tuple(
            DiskSet(disk.get("count", 1), disk.get("size_gib"), disk.get("raid")) for disk in json.loads(self.disks)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """Equal clusters of one size: the mean of their throughputs, and the newest of them."""

    provider: str
    region: str | None
    node_count: int
    groups: Sequence[Group]
    throughput: float
    n: int
    newest: int


@dataclass(frozen=True, slots=True)
class Shape:
    key: ShapeKey
    sizes: tuple[Size, ...]  # the smallest first
    newest: Mapping[int, int]  # node count -> the newest submission of that size
    submissions: int


def shape_key(provider: str, region: str | None, groups: Iterable[Group]) -> ShapeKey | None:
    """None when the database nodes are not all equal: such a cluster can grow in more than one way."""
    groups = list(groups)
    databases = [group for group in groups if group["role"] == Role.DATABASE]
    kinds = {(group["instance_type"], _layout(group)) for group in databases}
    if len(kinds) != 1:
        return None
    [(instance_type, disks)] = kinds
    nodes = sum(group["count"] for group in databases)
    caches = sorted(
        Cache(group["instance_type"], _layout(group), Fraction(group["count"], nodes))
        for group in groups
        if group["role"] == Role.CACHE
    )
    return ShapeKey(provider, region, instance_type, disks, tuple(caches))


def shapes_of(rows: Iterable[Row]) -> tuple[list[Shape], int]:
    """The shapes, those with the most submissions first, and how many submissions have none."""
    by_key: dict[ShapeKey, list[Row]] = {}
    shapeless = 0
    for row in rows:
        key = shape_key(row.provider, row.region, row.groups)
        if key is None:
            shapeless += row.n
        else:
            by_key.setdefault(key, []).append(row)
    shapes = [_shape(key, own) for key, own in by_key.items()]
    return sorted(shapes, key=lambda shape: -shape.submissions), shapeless


def _shape(key: ShapeKey, rows: Sequence[Row]) -> Shape:
    by_count: dict[int, list[Row]] = {}
    for row in rows:
        by_count.setdefault(row.node_count, []).append(row)
    return Shape(
        key=key,
        sizes=tuple(Size(count, _mean(own)) for count, own in sorted(by_count.items())),
        newest={count: max(row.newest for row in own) for count, own in by_count.items()},
        submissions=sum(row.n for row in rows),
    )


def _mean(rows: Sequence[Row]) -> float:
    if len(rows) == 1:
        return rows[0].throughput  # exact: a measured size must reach its own throughput
    return sum(row.throughput * row.n for row in rows) / sum(row.n for row in rows)


def _layout(group: Group) -> str:
    """The disks as text that is equal for equal disks; what a file system is called changes nothing."""
    disks = [
        {name: value for name, value in disk.items() if value is not None and name != "filesystem"}
        for disk in group["disks"]
    ]
    return json.dumps(sorted(disks, key=lambda disk: json.dumps(disk, sort_keys=True)), sort_keys=True)
