"""The systems that no other one beats on both cost and throughput."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """One system: USD per hour against ops/s; `key` tells which."""

    hourly_usd: float
    throughput_ops_s: float
    key: int


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """The points that no other dominates, cheapest first.

    A point is dominated when another costs no more, does at least as much, and is better in one of
    the two. Points that are equal in both do not dominate each other: all of them stay.
    """
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.hourly_usd, -p.throughput_ops_s, p.key)):
        # what comes later costs at least as much: it must do more, or be the same point again
        does_more = not front or point.throughput_ops_s > front[-1].throughput_ops_s
        if does_more or _same_place(point, front[-1]):
            front.append(point)
    return front


def _same_place(one: Point, other: Point) -> bool:
    return (one.hourly_usd, one.throughput_ops_s) == (other.hourly_usd, other.throughput_ops_s)
