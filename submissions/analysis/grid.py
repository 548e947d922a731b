"""Percent differences of a variant against a baseline, over a grid of two parameters."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import ne
from statistics import fmean
from typing import Generic, NamedTuple, TypeVar

from submissions.analysis import significance
from submissions.analysis.compare import Verdict
from submissions.analysis.significance import ALPHA

# Percent from which a difference is shown in the next stronger colour: the same on every grid.
STRENGTHS = (2.5, 10.0, 25.0)

R = TypeVar("R", bound=Hashable)
C = TypeVar("C", bound=Hashable)
Facts = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One submission. `rates` are positive, one per trial: ops/s, or relative to a base that `required` names.

    Two measurements are compared only where `required` is equal. `facts` may differ, which the cell then
    reports: the same facts in the same order for all measurements, None for an unknown one.
    """

    key: int
    rates: tuple[float, ...]
    required: Facts = ()
    facts: Facts = ()
    averaged_over: int | None = None  # repetitions behind the rates, where their source gives means

    def __post_init__(self) -> None:
        if not self.rates or min(self.rates) <= 0:
            raise ValueError("a measurement has positive rates, at least one")


class Sides(NamedTuple):
    """The measurements of one cell."""

    baseline: Sequence[Measurement]
    variant: Sequence[Measurement]


@dataclass(frozen=True, slots=True)
class Cell:
    """The variant against the baseline; differences in percent, above 0 where the variant is faster.

    `n` counts the rates of (baseline, variant): trials where each side is one submission, otherwise
    submissions, each by the mean of its trials. Of a trial that its source averaged, n counts the repetitions
    behind it, and `is_averaged` is set. `differs` and `unknown` are indexes into `facts`: known to
    differ, and not known on both sides.
    """

    percent: float
    interval: tuple[float, float] | None  # 95 %; None where a side has one rate
    verdict: Verdict
    n: tuple[int, int]
    counts_trials: bool
    baseline: tuple[int, ...]  # keys
    variant: tuple[int, ...]
    differs: tuple[int, ...]
    unknown: tuple[int, ...]
    excluded: int  # measurements of the cell that are less alike
    p_value: float | None = None  # corrected for the number of cells
    is_averaged: bool = False

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


def grid(sides: Mapping[tuple[R, C], Sides]) -> Grid[R, C]:
    """The cells that have both sides. The p-values of all cells together are corrected by Holm's method."""
    cells = {key: filled for key, of_cell in sides.items() if (filled := cell(*of_cell)) is not None}
    tested = [key for key, filled in cells.items() if filled.p_value is not None]
    corrected = significance.holm([cells[key].p_value or 0.0 for key in tested])
    for key, p_value in zip(tested, corrected, strict=True):
        cells[key] = _with_verdict(cells[key], p_value)
    return Grid(
        cells=cells,
        row_means=_means((row, filled) for (row, _), filled in cells.items()),
        column_means=_means((column, filled) for (_, column), filled in cells.items()),
    )


def cell(baseline: Sequence[Measurement], variant: Sequence[Measurement]) -> Cell | None:
    """Compares the most alike measurements of the two sides; None where none may be compared.

    Most alike: fewest facts that differ, then most measurements. The interval is Welch's on the logs, and
    the verdict is that of this cell alone.
    """
    pairs = [
        (sum(map(ne, facts_a, facts_b)), -min(len(a), len(b)), -len(a) - len(b), _keys(a), _keys(b))
        for ((required_a, facts_a), a), ((required_b, facts_b), b) in product(
            _by_facts(baseline).items(), _by_facts(variant).items()
        )
        if required_a == required_b
    ]
    if not pairs:
        return None
    *_, keys_a, keys_b = min(pairs)
    used_a = [measurement for measurement in baseline if measurement.key in keys_a]
    used_b = [measurement for measurement in variant if measurement.key in keys_b]
    excluded = len(baseline) + len(variant) - len(used_a) - len(used_b)
    return _cell(used_a, used_b, excluded)


def strength(percent: float) -> int:
    """-3 to 3: sign and size of a difference in the steps of STRENGTHS, 0 for next to none."""
    steps = sum(abs(percent) >= limit for limit in STRENGTHS)
    return steps if percent > 0 else -steps


def _cell(baseline: Sequence[Measurement], variant: Sequence[Measurement], excluded: int) -> Cell:
    counts_trials = len(baseline) == len(variant) == 1
    rates_a, rates_b = (_rates(side, counts_trials) for side in (baseline, variant))
    ratio = fmean(rates_b) / fmean(rates_a)
    difference = significance.difference(rates_a, rates_b)
    pairs = list(enumerate(zip(baseline[0].facts, variant[0].facts, strict=True)))
    filled = Cell(
        percent=_percent(ratio),
        interval=None,
        verdict=Verdict.TOO_FEW_TRIALS,
        n=(_repetitions(baseline, counts_trials), _repetitions(variant, counts_trials)),
        is_averaged=counts_trials and any(side[0].averaged_over for side in (baseline, variant)),
        counts_trials=counts_trials,
        baseline=_keys(baseline),
        variant=_keys(variant),
        differs=tuple(index for index, (a, b) in pairs if a is not None and b is not None and a != b),
        unknown=tuple(index for index, (a, b) in pairs if a is None or b is None),
        excluded=excluded,
    )
    if difference is None:
        return filled
    low, high = difference.interval
    # the logs give the ratio of geometric means, `ratio` is that of arithmetic ones: they must agree on the direction
    p_value = difference.p_value if (ratio > 1) == (difference.log_ratio > 0) else 1.0
    return _with_verdict(replace(filled, interval=(_percent(low), _percent(high))), p_value)


def _with_verdict(filled: Cell, p_value: float) -> Cell:
    verdict = Verdict.WITHIN_NOISE
    if p_value <= ALPHA:
        verdict = Verdict.BETTER if filled.percent > 0 else Verdict.WORSE
    return replace(filled, p_value=p_value, verdict=verdict)


def _rates(side: Sequence[Measurement], counts_trials: bool) -> tuple[float, ...]:
    # the trials of one submission share its machines and its day: among several submissions they are one rate
    return side[0].rates if counts_trials else tuple(fmean(measurement.rates) for measurement in side)


def _repetitions(side: Sequence[Measurement], counts_trials: bool) -> int:
    return (side[0].averaged_over or len(side[0].rates)) if counts_trials else len(side)


def _by_facts(side: Iterable[Measurement]) -> dict[tuple[Facts, Facts], list[Measurement]]:
    groups: dict[tuple[Facts, Facts], list[Measurement]] = {}
    for measurement in side:
        groups.setdefault((measurement.required, measurement.facts), []).append(measurement)
    return groups


def _means(cells: Iterable[tuple[R, Cell]]) -> dict[R, Mean]:
    percents: dict[R, list[float]] = {}
    for key, filled in cells:
        percents.setdefault(key, []).append(filled.percent)
    return {key: Mean(fmean(of_key), len(of_key)) for key, of_key in percents.items()}


def _keys(side: Iterable[Measurement]) -> tuple[int, ...]:
    return tuple(sorted(measurement.key for measurement in side))


def _percent(ratio: float) -> float:
    return (ratio - 1) * 100
