"""A leaderboard whose ties are seen: who can be told from whom, over all pairs that the board invites to compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as student_t

from submissions.analysis.compare import Verdict
from submissions.analysis.significance import ALPHA, PooledSpread, difference, holm

MOST_RANKED = 30  # every pair counts in the correction: more rows would tie nearly everybody


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a leaderboard. `key` is its own; `figure` ranks it; `trials` are positive, in the same unit."""

    key: str
    figure: float
    trials: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an entry stands: ranks `first`..`last` are shared by those that cannot be told from the first of them.

    `ratio` is its figure over the leader's with the 95 % `interval`, None where nothing tells the noise.
    `verdict` is of the entry against the leader; None for the leader itself.
    """

    entry: Entry
    first: int
    last: int
    ratio: float
    interval: tuple[float, float] | None
    verdict: Verdict | None

    @property
    def is_tied(self) -> bool:
        return self.first != self.last

    @property
    def rank(self) -> str:
        """ "4", or "1-3" for a shared one."""
        return f"{self.first}-{self.last}" if self.is_tied else str(self.first)

    @property
    def leads(self) -> bool:
        """Whether it is the first or cannot be told from it."""
        return self.first == 1


def ranked(entries: Sequence[Entry], pooled: PooledSpread | None, *, higher_is_better: bool) -> list[Standing]:
    """The entries, best first, with shared ranks; at most MOST_RANKED of them.

    Walking down from the best, a new rank begins at the first entry that can be told from the first one of
    the present rank, by `significance.difference` with Holm's correction taken over all pairs: all, because
    the board itself picks whom it puts in front. Where nothing tells the noise, nobody can be told apart.
    """
    order = sorted(entries, key=lambda entry: (-entry.figure if higher_is_better else entry.figure, entry.key))
    if len(order) > MOST_RANKED:
        raise ValueError(f"{len(order)} entries, at most {MOST_RANKED} are ranked")
    corrected = _corrected(order, pooled, worse=-1 if higher_is_better else 1)
    starts = _starts(len(order), corrected)
    found = []
    for place, entry in enumerate(order):
        first = max(start for start in starts if start <= place)
        last = min((start for start in starts if start > place), default=len(order)) - 1
        found.append(_standing(order[0], entry, first + 1, last + 1, corrected.get((0, place)), pooled))
    return found


def _starts(count: int, corrected: dict[tuple[int, int], float]) -> list[int]:
    starts: list[int] = []
    for place in range(count):
        # a pair that nothing can test is a tie
        if not starts or corrected.get((starts[-1], place), 1.0) < ALPHA:
            starts.append(place)
    return starts


def _standing(
    leader: Entry, entry: Entry, first: int, last: int, p_value: float | None, pooled: PooledSpread | None
) -> Standing:
    ratio = entry.figure / leader.figure
    if entry is leader:
        return Standing(entry, first, last, 1.0, None, None)
    found = difference(leader.trials, entry.trials, pooled)
    if found is None or p_value is None:
        return Standing(entry, first, last, ratio, None, Verdict.TOO_FEW_TRIALS)
    verdict = Verdict.WORSE if p_value < ALPHA else Verdict.WITHIN_NOISE
    return Standing(entry, first, last, ratio, found.interval, verdict)


def _corrected(order: Sequence[Entry], pooled: PooledSpread | None, worse: int) -> dict[tuple[int, int], float]:
    """Holm's p of every pair of places that can be tested.

    `worse` is the sign of a difference of logs that speaks for the one in front. Where the trials speak
    for the other one (a mean of wild trials is not the mean of their logs), they tell nothing: p is 1.
    """
    tested = [
        (pair, found)
        for pair in combinations(range(len(order)), 2)
        if (found := difference(order[pair[0]].trials, order[pair[1]].trials, pooled)) is not None
    ]
    if not tested:
        return {}
    distance = np.array([found.log_ratio for _, found in tested])
    error = np.array([found.standard_error for _, found in tested])
    freedom = np.array([found.freedom for _, found in tested])
    # as Difference.p_value, of all at once: a call a pair would take most of the page's time
    p_values = 2 * student_t.sf(np.abs(distance) / error, freedom)
    adjusted = holm([float(p_value) for p_value in p_values])
    return {
        pair: 1.0 if found.log_ratio * worse < 0 else p_value
        for (pair, found), p_value in zip(tested, adjusted, strict=True)
    }
