"""A leaderboard with its ties: which entries differ significantly, corrected for all pairs that the board compares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from statistics import fmean, variance

import numpy as np
import scipy

from submissions.analysis.compare import Verdict
from submissions.analysis.significance import ALPHA, Difference, PooledSpread, holm, pooled_spread

Pair = tuple[int, int]  # of places, the better one first

MOST_RANKED = 50  # the correction is over every pair: with more rows nearly all would be tied


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a leaderboard. `key` is its own; `figure` ranks it; `trials` are positive, in the same unit."""

    key: str
    figure: float
    trials: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """An entry with its rank: ranks `first`..`last` are shared by those that are statistically tied with the first.

    `ratio` is its figure over the leader's with the 95 % `interval`, None where the noise is not known.
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
    def is_leading(self) -> bool:
        """Whether it is the first or statistically tied with it."""
        return self.first == 1


def ranked(entries: Sequence[Entry], pooled: PooledSpread | None, *, higher_is_better: bool) -> list[RankedEntry]:
    """The entries, best first, with shared ranks; at most MOST_RANKED of them.

    Walking down from the best, a new rank begins at the first entry that differs significantly (5 %) from the
    first one of the present rank, with Holm's correction over all pairs: all, because the board itself picks
    which entry it puts first. Each entry's spread is that of its own trials where it is wider than `pooled`, the
    workload's, else `pooled` with its degrees of freedom. Where the noise is not known, all are tied.
    Without `pooled` the entries' own trials are pooled.
    """
    order = sorted(entries, key=lambda entry: (-entry.figure if higher_is_better else entry.figure, entry.key))
    if len(order) > MOST_RANKED:
        raise ValueError(f"{len(order)} entries, at most {MOST_RANKED} are ranked")
    differences = _differences(order, pooled or pooled_spread(entry.trials for entry in order))
    corrected = _corrected(differences, worse=-1 if higher_is_better else 1)
    starts = _starts(len(order), corrected)
    result = []
    for place, entry in enumerate(order):
        first = max(start for start in starts if start <= place)
        last = min((start for start in starts if start > place), default=len(order)) - 1
        ratio = entry.figure / order[0].figure
        against = differences.get((0, place))
        interval = against.interval if against else None
        verdict = _verdict(corrected.get((0, place))) if place else None
        result.append(RankedEntry(entry, first + 1, last + 1, ratio, interval, verdict))
    return result


def _starts(count: int, corrected: Mapping[Pair, float]) -> list[int]:
    starts: list[int] = []
    for place in range(count):
        # a pair that cannot be tested is a tie
        if not starts or corrected.get((starts[-1], place), 1.0) < ALPHA:
            starts.append(place)
    return starts


def _verdict(p_value: float | None) -> Verdict:
    if p_value is None:
        return Verdict.TOO_FEW_TRIALS
    return Verdict.WORSE if p_value < ALPHA else Verdict.WITHIN_NOISE


def _differences(order: Sequence[Entry], pooled: PooledSpread | None) -> dict[Pair, Difference]:
    """The later against the earlier of every pair of places; none where the noise is not known."""
    if pooled is None:
        return {}
    sides = [_side(entry.trials, pooled) if entry.trials else None for entry in order]
    return {
        (i, j): _between(better, worse)
        for (i, better), (j, worse) in combinations(enumerate(sides), 2)
        if better is not None and worse is not None
    }


@dataclass(frozen=True, slots=True)
class _Side:
    mean: float  # of the logs
    error: float  # squared, of that mean
    freedom: float


def _side(trials: Sequence[float], pooled: PooledSpread) -> _Side:
    logs = [log(figure) for figure in trials]
    n = len(logs)
    own = variance(logs) if n > 1 else 0.0
    if own > pooled.sd**2:
        return _Side(fmean(logs), own / n, n - 1)
    return _Side(fmean(logs), pooled.sd**2 / n, pooled.freedom)


def _between(better: _Side, worse: _Side) -> Difference:
    """Welch's, with the degrees of freedom of each side's spread (Satterthwaite 1946)."""
    error = better.error + worse.error
    freedom = error**2 / (better.error**2 / better.freedom + worse.error**2 / worse.freedom)
    return Difference(worse.mean - better.mean, sqrt(error), freedom, is_pooled=False)


def _corrected(differences: Mapping[Pair, Difference], worse: int) -> dict[Pair, float]:
    """Holm's p of every pair that can be tested.

    `worse` is the sign of a difference of logs that favours the entry in front. Where the trials favour
    the other one (a mean of scattered trials is not the mean of their logs), the pair is a tie: p is 1.
    """
    if not differences:
        return {}
    pairs = list(differences.values())
    distance = np.array([pair.log_ratio / pair.standard_error for pair in pairs])
    freedom = np.array([pair.freedom for pair in pairs])
    # as Difference.p_value, of all at once: one call for each pair would take most of the page's time
    adjusted = holm([float(p_value) for p_value in 2 * scipy.stats.t.sf(np.abs(distance), freedom)])
    return {
        pair: 1.0 if difference.log_ratio * worse < 0 else p_value
        for (pair, difference), p_value in zip(differences.items(), adjusted, strict=True)
    }
