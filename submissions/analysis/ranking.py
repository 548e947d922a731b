"""A leaderboard whose ties are seen: who can be told from whom, over all pairs that the board invites to compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as student_t
from scipy.stats import ttest_ind_from_stats

from submissions.analysis.compare import Verdict
from submissions.analysis.significance import ALPHA, PooledSpread, difference, holm

MOST_RANKED = 50  # every pair counts in the correction: more rows would tie nearly everybody


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
    the present rank: by Welch's t on the logs of the trials, by `pooled` where a side has one trial, Holm's
    correction taken over all pairs. All pairs, because the board itself picks whom it puts in front. Where
    nothing tells the noise, nobody can be told apart.
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
    """Holm's p of every pair of places that can be tested: `significance.difference` of all of them at once.

    `worse` is the sign of a difference of logs that speaks for the one in front. Where the trials speak
    for the other one (a mean of wild trials is not the mean of their logs), they tell nothing: p is 1.
    """
    pairs = list(combinations(range(len(order)), 2))
    if not pairs:
        return {}
    logs = [np.log(entry.trials) for entry in order]
    n = np.array([len(sample) for sample in logs])
    mean = np.array([sample.mean() if sample.size else np.nan for sample in logs])
    sd = np.array([sample.std(ddof=1) if sample.size > 1 else np.nan for sample in logs])
    a, b = np.array(pairs).T
    p_values = np.full(len(pairs), np.nan)
    # equal figures differ by rounding in their logs only
    has_spread = (n[a] > 1) & (n[b] > 1) & (np.sqrt(sd[a] ** 2 / n[a] + sd[b] ** 2 / n[b]) >= 1e-12)
    if has_spread.any():
        i, j = a[has_spread], b[has_spread]
        p_values[has_spread] = ttest_ind_from_stats(mean[i], sd[i], n[i], mean[j], sd[j], n[j], equal_var=False).pvalue
    needs_pooled = ~has_spread & (n[a] > 0) & (n[b] > 0)
    if pooled is not None and needs_pooled.any():
        i, j = a[needs_pooled], b[needs_pooled]
        error = pooled.sd * np.sqrt(1 / n[i] + 1 / n[j])
        p_values[needs_pooled] = 2 * student_t.sf(np.abs(mean[j] - mean[i]) / error, pooled.freedom)
    tested = np.flatnonzero(~np.isnan(p_values))
    adjusted = holm([float(p_values[place]) for place in tested])
    contradicts = (mean[b] - mean[a]) * worse < 0
    return {
        pairs[place]: 1.0 if contradicts[place] else p_value for place, p_value in zip(tested, adjusted, strict=True)
    }
