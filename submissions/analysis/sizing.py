"""How many nodes reach a throughput, judged by the sizes that were measured; and what their disks hold."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from submissions.choices import Raid

MOST_NODES = 1_000_000  # no submission may have more; a cluster beyond that is no answer
TB_PER_GIB = 2**30 / 10**12

# What a ratio of floats may lose: a size that was measured at the target reaches it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Size:
    """A measured cluster: `throughput` is ops/s, or relative where a source gives only ratios."""

    node_count: int
    throughput: float


@dataclass(frozen=True, slots=True)
class Needed:
    """The answer: `throughput` is expected of it, `nearest` the measured node count that is closest."""

    node_count: int
    throughput: float
    is_extrapolated: bool  # fewer nodes than the smallest, or more than the largest that was measured
    nearest: int


@dataclass(frozen=True, slots=True)
class DiskSet:
    """Equal disks of one node; what is not known is None."""

    count: int
    size_gib: float | None  # of one disk
    raid: str | None = None


def nodes_needed(sizes: Iterable[Size], target: float, *, step: int = 1, at_least: int = 1) -> Needed | None:
    """The smallest multiple of `step` from `at_least` nodes on of which `target` can be expected.

    Linear between measured sizes, in proportion to the nearest one outside of them. `step` is the number of
    zones: each has as many nodes. None when a million nodes are not enough. Raises ValueError for no size, a
    node count that occurs twice, and numbers that are not above 0.
    """
    measured = sorted(sizes, key=lambda size: size.node_count)
    _check(measured, target, step)
    for first, last in _segments(measured):
        found = _first_in(measured, first, last, target, step=step, at_least=at_least)
        if found is not None:
            return Needed(
                node_count=found,
                throughput=expected(measured, found),
                is_extrapolated=not measured[0].node_count <= found <= measured[-1].node_count,
                nearest=min(measured, key=lambda size: (abs(size.node_count - found), size.node_count)).node_count,
            )
    return None


def expected(measured: Sequence[Size], node_count: int) -> float:
    """Throughput of so many nodes; `measured` is sorted by node count."""
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
    """Cache nodes for a cluster of `to` nodes where `count` served one of `of`: never too few."""
    return -(-count * to // of)


def usable_tb(node_count: int, disks: Sequence[DiskSet], replication_factor: int | None) -> float | None:
    """TB (10^12 bytes) of distinct data that the nodes hold: their disks divided by the replication factor.

    None when the size of any disk or the replication factor is unknown, or a RAID cannot have so few disks.
    """
    held = raw_tb(node_count, disks)
    return None if held is None or not replication_factor else held / replication_factor


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


# How many disks' worth of data an array of so many disks holds.
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
        raise ValueError("no measured size to judge by")
    if len({size.node_count for size in measured}) < len(measured):
        raise ValueError("a node count occurs twice: take the mean first")
    if not target > 0 or step < 1 or any(size.throughput <= 0 or size.node_count < 1 for size in measured):
        raise ValueError("throughputs, node counts and zones are above 0")


def _segments(measured: Sequence[Size]) -> Iterator[tuple[int, int]]:
    """The stretches in which the expected throughput is a straight line, from the smallest clusters on."""
    ends = [1, *(size.node_count for size in measured), MOST_NODES]
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
    if high < least:  # a straight line from below the target to below it
        return None
    crossing = first + (least - low) / (high - low) * (last - first)
    # one step earlier: a rounding upwards must not cost a node too many
    nodes = max(_multiple(ceil(crossing), step) - step, begin)
    while expected(measured, nodes) < least:
        nodes += step
    return nodes if nodes <= last else None


def _multiple(count: int, step: int) -> int:
    """The first multiple of `step` that is not below `count`."""
    return -(-count // step) * step
