"""How many nodes reach a throughput, estimated from the measured sizes, and how much data their disks hold."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from submissions.choices import Raid

MOST_NODES = 1_000_000  # no submission may have more, so no answer has either
FARTHEST = 2  # times the largest measured size: beyond it nothing is known, so there is no answer
TB_PER_GIB = 2**30 / 10**12

# Rounding of a ratio of floats: a size that was measured at the target must reach it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Size:
    """A measured cluster: `throughput` is ops/s, or relative where a source has only ratios."""

    node_count: int
    throughput: float


@dataclass(frozen=True, slots=True)
class Needed:
    """`throughput` is what `node_count` nodes are expected to reach, `nearest` the closest measured node count."""

    node_count: int
    throughput: float
    is_extrapolated: bool  # outside the measured sizes
    nearest: int


@dataclass(frozen=True, slots=True)
class DiskSet:
    """Equal disks of one node; None where unknown."""

    count: int
    size_gib: float | None  # of one disk
    raid: str | None = None


def nodes_needed(sizes: Iterable[Size], target: float, *, step: int = 1, at_least: int = 1) -> Needed | None:
    """The smallest multiple of `step`, at least `at_least`, that is expected to reach `target`.

    Linear between measured sizes, proportional to the nearest one outside them. `step` is the number of zones,
    which have equally many nodes. None when twice the largest measured size is not enough. Raises ValueError without
    a size, for a node count that occurs twice, and for numbers that are not positive.
    """
    measured = sorted(sizes, key=lambda size: size.node_count)
    _check(measured, target, step)
    for first, last in _segments(measured):
        node_count = _first_in(measured, first, last, target, step=step, at_least=at_least)
        if node_count is not None:
            return Needed(
                node_count=node_count,
                throughput=expected(measured, node_count),
                is_extrapolated=not measured[0].node_count <= node_count <= measured[-1].node_count,
                nearest=_nearest(measured, node_count),
            )
    return None


def _nearest(measured: Sequence[Size], node_count: int) -> int:
    """The measured node count that is closest, the smaller of two."""
    return min(measured, key=lambda size: (abs(size.node_count - node_count), size.node_count)).node_count


def expected(measured: Sequence[Size], node_count: int) -> float:
    """Throughput expected of `node_count` nodes; `measured` is sorted by node count."""
    at = bisect_left(measured, node_count, key=lambda size: size.node_count)
    if at < len(measured) and measured[at].node_count == node_count:
        return measured[at].throughput
    if at in (0, len(measured)):
        nearest = measured[0] if at == 0 else measured[-1]
        return nearest.throughput * node_count / nearest.node_count
    low, high = measured[at - 1], measured[at]
    share = (node_count - low.node_count) / (high.node_count - low.node_count)
    return low.throughput + share * (high.throughput - low.throughput)


def in_proportion(count: int, *, of: int, to: int) -> int:
    """Cache nodes for a cluster of `to` nodes where `count` served a cluster of `of`, rounded up."""
    return -(-count * to // of)


def usable_tb(
    node_count: int, disks: Sequence[DiskSet], replication_factor: int | None, share: float = 1.0
) -> float | None:
    """TB (10^12 bytes) of distinct data that the nodes can hold: their disks divided by the replication factor.

    `share`: what the database can fill of them, see usable_space.py. None when the size of a disk or the replication
    factor is unknown, or the RAID level needs more disks.
    """
    held = raw_tb(node_count, disks)
    return None if held is None or not replication_factor else held * share / replication_factor


def raw_tb(node_count: int, disks: Sequence[DiskSet]) -> float | None:
    """TB of the nodes' disks after RAID, before replication."""
    per_node = [_held_gib(disk) for disk in disks]
    known = [gib for gib in per_node if gib is not None]
    if not known or len(known) < len(per_node):
        return None
    return sum(known) * node_count * TB_PER_GIB


def _held_gib(disk: DiskSet) -> float | None:
    worth = _WORTH.get(disk.raid or Raid.NONE, _all)(disk.count)
    return None if disk.size_gib is None or worth <= 0 else disk.size_gib * worth


def _all(count: int) -> float:
    return count


# How many disks' worth of data an array of `count` disks holds.
_WORTH: dict[str, Callable[[int], float]] = {
    Raid.NONE: _all,
    Raid.RAID0: _all,
    Raid.RAID1: lambda count: 1,  # each disk is a copy of the others
    Raid.RAID10: lambda count: count / 2,
    Raid.RAID5: lambda count: count - 1,
    Raid.RAID6: lambda count: count - 2,
}


def _check(measured: Sequence[Size], target: float, step: int) -> None:
    if not measured:
        raise ValueError("at least one measured size is needed")
    if len({size.node_count for size in measured}) < len(measured):
        raise ValueError("a node count occurs twice: take the mean first")
    if not target > 0 or step < 1 or any(size.throughput <= 0 or size.node_count < 1 for size in measured):
        raise ValueError("throughputs, node counts and zones must be positive")


def _segments(measured: Sequence[Size]) -> Iterator[tuple[int, int]]:
    """The ranges in which the expected throughput is linear, from the smallest clusters on."""
    farthest = min(measured[-1].node_count * FARTHEST, MOST_NODES)
    ends = [1, *(size.node_count for size in measured), farthest]
    yield from pairwise(ends)


def _first_in(
    measured: Sequence[Size], first: int, last: int, target: float, *, step: int, at_least: int
) -> int | None:
    """The first multiple of `step` in first..last that reaches the target; None when none does."""
    least = target * (1 - _ROUNDING)
    begin = _multiple(max(first, at_least), step)
    if begin > last:
        return None
    if expected(measured, begin) >= least:
        return begin
    low, high = expected(measured, first), expected(measured, last)
    if high < least:  # below the target at both ends
        return None
    crossing = first + (least - low) / (high - low) * (last - first)
    # one step earlier, so that rounding up does not cost a node too many
    nodes = max(_multiple(ceil(crossing), step) - step, begin)
    while expected(measured, nodes) < least:
        nodes += step
    return nodes if nodes <= last else None


def _multiple(count: int, step: int) -> int:
    """The smallest multiple of `step` that is at least `count`."""
    return -(-count // step) * step
