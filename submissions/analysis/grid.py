"""Percent differences of a variant against a baseline, over a grid of two parameters."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import ne
from statistics import fmean
from typing import Generic, TypeVar

from submissions.analysis import significance
from submissions.analysis.compare import Verdict
from submissions.analysis.significance import ALPHA

# Percent from which a difference is shown in the next stronger colour: the same on every grid.
STRENGTHS = (2.5, 10.0, 25.0)

R = TypeVar("R", bound=Hashable)
C = TypeVar("C", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One submission. `figures` are positive, one a trial: ops/s, or relative to what `must` names.

    Two measurements are set against each other only where `must` is equal. `facts` may differ and are
    told then; the same facts in the same order for all, None for an unknown one.
    """

    key: int
    figures: tuple[float, ...]
    must: tuple[Hashable, ...] = ()
    facts: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        if not self.figures or min(self.figures) <= 0:
            raise ValueError("a measurement has positive figures, at least one")


@dataclass(frozen=True, slots=True)
class Cell:
    """The variant against the baseline; differences in percent, above 0 where the variant does more.

    `n` are the figures behind (baseline, variant): trials where a side is one submission each, else
    submissions, each by the mean of its trials. `differs` and `unsure` are places in `facts`: known to
    differ, and not known on both sides.
    """

    percent: float
    interval: tuple[float, float] | None  # 95 %; None where a side has one figure
    verdict: Verdict
    n: tuple[int, int]
    counts_trials: bool
    baseline: tuple[int, ...]  # keys
    variant: tuple[int, ...]
    differs: tuple[int, ...]
    unsure: tuple[int, ...]
    left_out: int  # measurements of the cell that are less alike
    p_value: float | None = None  # corrected for the number of cells

    @property
    def strength(self) -> int:
        return strength(self.percent)


@dataclass(frozen=True, slots=True)
class Mean:
    """Unweighted, of the percent differences of `n` cells."""

    percent: float
    n: int

    @property
    def strength(self) -> int:
        return strength(self.percent)


@dataclass(frozen=True, slots=True)
class Grid(Generic[R, C]):
    """Only filled cells, and only the rows and columns that have any."""

    cells: dict[tuple[R, C], Cell]
    row_means: dict[R, Mean]
    column_means: dict[C, Mean]


Sides = tuple[Sequence[Measurement], Sequence[Measurement]]  # baseline, variant


def grid(sides: Mapping[tuple[R, C], Sides]) -> Grid[R, C]:
    """The cells that have both sides. Verdicts hold for all of them together, corrected after Holm."""
    found = {place: made for place, (baseline, variant) in sides.items() if (made := cell(baseline, variant))}
    tested = [place for place, one in found.items() if one.p_value is not None]
    corrected = significance.holm([found[place].p_value or 0.0 for place in tested])
    for place, p_value in zip(tested, corrected, strict=True):
        found[place] = _judged(found[place], p_value)
    return Grid(
        cells=found,
        row_means=_means((row, one) for (row, _), one in found.items()),
        column_means=_means((column, one) for (_, column), one in found.items()),
    )


def cell(baseline: Sequence[Measurement], variant: Sequence[Measurement]) -> Cell | None:
    """The most alike measurements of the two sides against each other; None where none may be.

    Alike: fewest facts that differ, then most measurements. The interval is Welch's on the logs, and its
    verdict is that of a cell alone.
    """
    pairs = [
        (sum(map(ne, facts_a, facts_b)), -min(len(a), len(b)), -len(a) - len(b), _keys(a), _keys(b))
        for ((must_a, facts_a), a), ((must_b, facts_b), b) in product(_alike(baseline).items(), _alike(variant).items())
        if must_a == must_b
    ]
    if not pairs:
        return None
    *_, chosen_a, chosen_b = min(pairs)
    side_a = [one for one in baseline if one.key in chosen_a]
    side_b = [one for one in variant if one.key in chosen_b]
    left_out = len(baseline) + len(variant) - len(side_a) - len(side_b)
    return _cell(side_a, side_b, left_out)


def strength(percent: float) -> int:
    """-3 to 3: sign and size of a difference in the steps of STRENGTHS, 0 for next to none."""
    steps = sum(abs(percent) >= limit for limit in STRENGTHS)
    return steps if percent > 0 else -steps


def _cell(baseline: Sequence[Measurement], variant: Sequence[Measurement], left_out: int) -> Cell:
    counts_trials = len(baseline) == len(variant) == 1
    of_a, of_b = (_figures(side, counts_trials) for side in (baseline, variant))
    ratio = fmean(of_b) / fmean(of_a)
    difference = significance.difference(of_a, of_b)
    pairs = list(enumerate(zip(baseline[0].facts, variant[0].facts, strict=True)))
    made = Cell(
        percent=_percent(ratio),
        interval=None,
        verdict=Verdict.TOO_FEW_TRIALS,
        n=(len(of_a), len(of_b)),
        counts_trials=counts_trials,
        baseline=_keys(baseline),
        variant=_keys(variant),
        differs=tuple(place for place, (a, b) in pairs if a is not None and b is not None and a != b),
        unsure=tuple(place for place, (a, b) in pairs if a is None or b is None),
        left_out=left_out,
    )
    if difference is None:
        return made
    low, high = difference.interval
    # the logs have the geometric means, the ratio the arithmetic ones: they must agree on the direction
    p_value = difference.p_value if (ratio > 1) == (difference.log_ratio > 0) else 1.0
    return _judged(replace(made, interval=(_percent(low), _percent(high))), p_value)


def _judged(made: Cell, p_value: float) -> Cell:
    verdict = Verdict.WITHIN_NOISE
    if p_value <= ALPHA:
        verdict = Verdict.BETTER if made.percent > 0 else Verdict.WORSE
    return replace(made, p_value=p_value, verdict=verdict)


def _figures(side: Sequence[Measurement], counts_trials: bool) -> tuple[float, ...]:
    # trials of one submission share its machines and its day: among several it is one figure
    return side[0].figures if counts_trials else tuple(fmean(one.figures) for one in side)


def _alike(
    side: Iterable[Measurement],
) -> dict[tuple[tuple[Hashable, ...], tuple[Hashable, ...]], list[Measurement]]:
    groups: dict[tuple[tuple[Hashable, ...], tuple[Hashable, ...]], list[Measurement]] = {}
    for one in side:
        groups.setdefault((one.must, one.facts), []).append(one)
    return groups


def _means(cells: Iterable[tuple[R, Cell]]) -> dict[R, Mean]:
    by_name: dict[R, list[float]] = {}
    for name, one in cells:
        by_name.setdefault(name, []).append(one.percent)
    return {name: Mean(fmean(percents), len(percents)) for name, percents in by_name.items()}


def _keys(side: Iterable[Measurement]) -> tuple[int, ...]:
    return tuple(sorted(one.key for one in side))


def _percent(ratio: float) -> float:
    return (ratio - 1) * 100
