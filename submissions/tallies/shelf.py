"""The shelves of boards in numbers, as `SubmissionQuerySet.on_shelf` takes them from rows."""

from collections.abc import Callable, Iterable
from functools import cache
from math import fsum

from submissions.choices import NO_CAPACITY_FLAGS, PROVEN, Trust

Number = tuple[int, int]  # what a choice shows of a scope, and what it is ordered by; 0 where there is nothing
SHELVES: tuple[Trust | None, ...] = (None, *Trust)  # what an address may ask for
_NO_CAPACITY = frozenset(flag.value for flag in NO_CAPACITY_FLAGS)


@cache
def trusts_of(shelf: Trust | None, *, has_proven: bool) -> frozenset[str]:
    """The trust levels that the shelf takes of a workload, which has results with a raw log or has none."""
    if shelf is None:
        return frozenset(PROVEN if has_proven else (*PROVEN, Trust.HISTORICAL))
    return frozenset((shelf,) if shelf == Trust.HISTORICAL else shelf.and_higher)


def is_rankable(flags: Iterable[str], *, is_unranked: bool) -> bool:
    """As `SubmissionQuerySet.rankable`, of a published row with a rate."""
    return not is_unranked and _NO_CAPACITY.isdisjoint(flags)


def added(parts: list[float], figure: float) -> list[float]:
    """The exact sum of floats as floats that do not overlap (Shewchuk 1997), with one figure more."""
    new = []
    for part in parts:
        high, low = (figure, part) if abs(figure) >= abs(part) else (part, figure)
        figure = high + low
        if rest := low - (figure - high):
            new.append(rest)
    return [*new, figure]


def total(parts: Iterable[float]) -> float:
    """Rounded once, so that the order of the figures makes no difference."""
    return fsum(parts)


def by_shelf(count: Callable[[frozenset[str]], Number], present: Iterable[str], *, has_proven: bool) -> list[Number]:
    """For each of SHELVES the count of the trust levels that it takes; equal ones are counted once."""
    levels = frozenset(present)
    counted: dict[frozenset[str], Number] = {}
    numbers = []
    for shelf in SHELVES:
        trusts = trusts_of(shelf, has_proven=has_proven) & levels
        if trusts not in counted:
            counted[trusts] = count(trusts)
        numbers.append(counted[trusts])
    return numbers
