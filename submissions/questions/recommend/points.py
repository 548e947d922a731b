"""Results of one cluster as a recommendation needs them: no other of the cluster is better in everything."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from submissions.choices import LatencyKind
from submissions.metrics import ERROR_SHARE


class Point(NamedTuple):
    """A result, or a load of its curve; `p99_ms` is of `kind`, and null where none is known."""

    pk: int
    rate: float
    p99_ms: float | None
    kind: str
    is_of_slowest: bool  # its p99 is that of its slowest type of operation, which that of all does not exceed
    is_throttled: bool  # it can do its rate, and perhaps more
    loads: int = 1  # of its curve; 1: no curve
    threads: int | None = None  # of one client, at this load of a curve
    offered_ops_s: float | None = None
    trials: int | None = None  # at this load; null: those of the result
    is_peak: bool = True
    # of the lower loads of its curve, the highest p99: a load that broke a limit ends the search for a higher one
    p99_below_ms: float = 0.0
    measured: int = 0  # when, in seconds since 1970; 0: unknown
    data_gib: float | None = None  # that it was measured with, one copy
    data_to_memory: float | None = None
    memory_gib: float | None = None  # of all database nodes, where it is stated
    usable_share: float = 1.0  # of its disks, see analysis/cluster_size/usable_space.py

    @property
    def has_p99(self) -> bool:
        """Latencies of unknown kind are compared with no limit."""
        return self.p99_ms is not None and self.kind != LatencyKind.UNKNOWN

    @property
    def limited_ms(self) -> float:
        """What a limit is compared with, where `has_p99`."""
        return max(self.p99_ms or 0.0, self.p99_below_ms)

    @property
    def is_of_curve(self) -> bool:
        return self.loads > 1

    def keeps(self, max_p99_ms: float | None) -> bool:
        return max_p99_ms is None or (self.has_p99 and self.limited_ms <= max_p99_ms)


# A load that did not reach its offered rate, or that had errors, keeps no limit, whatever its latencies.
BROKEN_MS = 1e12


def points_of_curve(pk: int, curve: Sequence[Mapping[str, Any]], measured: int = 0) -> list[Point]:
    """A point for each load of a curve; `curve`: its load points, the lowest load first."""
    points = []
    below = 0.0
    for load in curve:
        errors = load["error_share"]
        if not load["is_sustained"] or (errors is not None and errors > ERROR_SHARE):
            below = BROKEN_MS
        p99 = load["worst_p99_ms"] if load["is_comparable"] and errors is not None else None
        points.append(
            Point(
                pk,
                load["throughput_ops_s"],
                p99,
                load["latency_kind"],
                is_of_slowest=load["is_of_slowest"],
                is_throttled=False,
                loads=len(curve),
                threads=load["threads"],
                offered_ops_s=load["offered_ops_s"],
                trials=load["trials_count"],
                is_peak=load["is_peak"],
                p99_below_ms=below,
                measured=measured,
            )
        )
        below = max(below, p99 or 0.0)
    return points


def with_point(front: Sequence[Sequence[Any]], point: Point) -> list[Point]:
    """The points that none of the others is at least as good as; of equal ones the newest. In the order of their ids.

    The result does not depend on the order in which points are added.
    """
    known = [Point(*one) for one in front]
    if any(_covers(other, point) for other in known):
        return known
    return sorted([other for other in known if not _covers(point, other)] + [point])


def _covers(one: Point, other: Point) -> bool:
    """Whether `other` answers no question that `one` does not answer as well."""
    of_one, of_other = one[_DATA:], other[_DATA:]
    if not all(map(_is_at_least, of_one, of_other)):
        return False
    if one.rate < other.rate or one.is_throttled > other.is_throttled:
        return False
    if other.has_p99:
        if one.kind != other.kind or not one.has_p99 or one.limited_ms > other.limited_ms:
            return False
    elif one.has_p99:
        return True
    is_equal = (one.rate, one.p99_ms, one.p99_below_ms, one.is_throttled, of_one) == (
        other.rate,
        other.p99_ms,
        other.p99_below_ms,
        other.is_throttled,
        of_other,
    )
    return not is_equal or (one.measured, one.pk) > (other.measured, other.pk)


_DATA = Point._fields.index("data_gib")


def _is_at_least(figure: Any, other: Any) -> bool:
    """An unknown one answers other questions than a known one: below it, and of more data."""
    return (figure is None) == (other is None) and (figure or 0.0) >= (other or 0.0)
