"""Which trust levels a reader may ask boards to take, and what each of these filters counts."""

from collections.abc import Callable, Iterable
from functools import cache

from submissions.aggregates.kinds import Number
from submissions.choices import NO_CAPACITY_FLAGS, PROVEN, Trust

TRUST_FILTERS: tuple[Trust | None, ...] = (None, *Trust)  # None: the default
_NO_CAPACITY = frozenset(flag.value for flag in NO_CAPACITY_FLAGS)


@cache
def levels_of(trust: Trust | None, *, has_proven: bool) -> frozenset[str]:
    """The trust levels that the filter takes of a workload, which has ranked results with a raw log or has none."""
    if trust is None:
        return frozenset(PROVEN if has_proven else (*PROVEN, Trust.HISTORICAL))
    return frozenset((trust,) if trust == Trust.HISTORICAL else trust.and_higher)


def is_rankable(flags: Iterable[str], *, is_unranked: bool) -> bool:
    """As `SubmissionQuerySet.rankable`, of a published row with a rate."""
    return not is_unranked and _NO_CAPACITY.isdisjoint(flags)


def by_trust_filter(
    count: Callable[[frozenset[str]], Number], present: Iterable[str], *, has_proven: bool
) -> list[Number]:
    """For each of TRUST_FILTERS the count of the levels that it takes; equal ones are counted once."""
    existing = frozenset(present)
    counted: dict[frozenset[str], Number] = {}
    numbers = []
    for trust in TRUST_FILTERS:
        levels = levels_of(trust, has_proven=has_proven) & existing
        if levels not in counted:
            counted[levels] = count(levels)
        numbers.append(counted[levels])
    return numbers
