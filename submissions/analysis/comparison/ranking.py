"""A leaderboard: who leads, who is tied with the leader, and which ranks noise allows each entry."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from submissions.analysis.comparison.noise import MOST_COMPARED, WorkloadNoise
from submissions.analysis.comparison.verdicts import Judgement, Side, Verdict, judge

MOST_RANKED = MOST_COMPARED  # verdicts are corrected for every pair: with more rows nearly none would be conclusive

NoiseOf = Callable[[str, str], WorkloadNoise]  # of two entries, by their keys


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a leaderboard. `key` is its own; its side's figure ranks it."""

    key: str
    side: Side

    @property
    def figure(self) -> float:
        return self.side.figure


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """An entry with the ranks that it may have: `first` - 1 entries are better than it, those after `last` are worse.

    `judgement` is of it against the leader, None for the leader itself.
    """

    entry: Entry
    first: int
    last: int
    judgement: Judgement | None
    is_last_open: bool = False  # entries that are not ranked here may be as good

    @property
    def ratio(self) -> float:
        """Its figure over the leader's."""
        return self.judgement.ratio if self.judgement else 1.0

    @property
    def verdict(self) -> Verdict | None:
        return self.judgement.verdict if self.judgement else None

    @property
    def is_exact(self) -> bool:
        return self.first == self.last and not self.is_last_open

    @property
    def rank(self) -> str:
        """ "4", "1-3" where noise allows several, or "7+" where it allows all places from the seventh on."""
        if self.is_last_open:
            return f"{self.first}+"
        return str(self.first) if self.is_exact else f"{self.first}-{self.last}"


def ranked(
    entries: Sequence[Entry], noise: WorkloadNoise | NoiseOf, *, higher_is_better: bool, has_more: bool = False
) -> list[RankedEntry]:
    """The entries, best first; at most MOST_RANKED of them. `has_more`: these are the best of a longer list.

    The first possible rank of an entry comes after all entries that are better than it, the last before all that
    are worse (Mohamad, Goeman and van Zwet, 2019, doi.org/10.1111/rssb.12331: with verdicts that hold for all pairs
    together, so do the ranks).
    """
    order = sorted(entries, key=lambda entry: (-entry.figure if higher_is_better else entry.figure, entry.key))
    if len(order) > MOST_RANKED:
        raise ValueError(f"{len(order)} entries, at most {MOST_RANKED} are ranked")
    noise_of = noise if callable(noise) else lambda *_: noise
    judgements = {
        (i, j): judge(one.side, other.side, noise_of(one.key, other.key), higher_is_better=higher_is_better)
        for (i, one), (j, other) in combinations(enumerate(order), 2)
    }
    better, worse = [0] * len(order), [0] * len(order)
    for (i, j), judgement in judgements.items():
        if judgement.is_conclusive:
            winner, loser = (i, j) if judgement.verdict == Verdict.WORSE else (j, i)
            worse[winner] += 1
            better[loser] += 1
    return [
        RankedEntry(
            entry,
            first=better[place] + 1,
            last=len(order) - worse[place],
            judgement=judgements.get((0, place)),
            # what is not ranked is no better than the last one here
            is_last_open=has_more and not worse[place],
        )
        for place, entry in enumerate(order)
    ]
