"""Percent differences of a variant against a baseline, over a grid of two parameters."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from operator import ne
from statistics import fmean
from typing import Generic, NamedTuple, TypeVar

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.significance import variance
from submissions.analysis.comparison.verdicts import Judgement, Side, Verdict, judge

# Percent from which a difference is shown in the next stronger colour: the same on every grid.
STRENGTHS = (2.5, 10.0, 25.0)

R = TypeVar("R", bound=Hashable)
C = TypeVar("C", bound=Hashable)
Facts = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One submission. `rates` are positive, one per trial: ops/s, or relative to a base that `required` names.

    `runs` are those of its configuration, None where it is the only one; `noise` is the workload's. Two
    measurements are compared only where `required` is equal. `facts` may differ, which the cell then
    reports: the same facts in the same order for all measurements, None for an unknown one.
    """

    key: int
    rates: tuple[float, ...]
    required: Facts = ()
    facts: Facts = ()
    averaged_over: int | None = None  # repetitions behind the rates, where their source gives means
    configuration: str = ""
    runs: Runs | None = None
    noise: WorkloadNoise = WorkloadNoise()
    precedence: int = 0  # of two measurements the noise of the higher one counts

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

    judgement: Judgement  # of the variant against the baseline
    n: tuple[int, int]
    counts_trials: bool
    baseline: tuple[int, ...]  # keys
    variant: tuple[int, ...]
    differs: tuple[int, ...]
    unknown: tuple[int, ...]
    excluded: int  # measurements of the cell that are less alike
    is_averaged: bool = False

    @property
    def percent(self) -> float:
        return _percent(self.judgement.ratio)

    @property
    def interval(self) -> tuple[float, float]:
        low, high = self.judgement.interval
        return _percent(low), _percent(high)

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

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
    """The cells that have both sides."""
    cells = {key: filled for key, of_cell in sides.items() if (filled := cell(*of_cell)) is not None}
    return Grid(
        cells=cells,
        row_means=_means((row, filled) for (row, _), filled in cells.items()),
        column_means=_means((column, filled) for (_, column), filled in cells.items()),
    )


def cell(baseline: Sequence[Measurement], variant: Sequence[Measurement]) -> Cell | None:
    """Compares the most alike measurements of the two sides; None where none may be compared.

    Most alike: fewest facts that differ, then most measurements. The verdict is that of the pair on every page.
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
    noise = max(*baseline, *variant, key=lambda measurement: measurement.precedence).noise
    pairs = list(enumerate(zip(baseline[0].facts, variant[0].facts, strict=True)))
    return Cell(
        judgement=judge(_side(baseline), _side(variant), noise),
        n=(_repetitions(baseline, counts_trials), _repetitions(variant, counts_trials)),
        is_averaged=counts_trials and any(side[0].averaged_over for side in (baseline, variant)),
        counts_trials=counts_trials,
        baseline=_keys(baseline),
        variant=_keys(variant),
        differs=tuple(index for index, (a, b) in pairs if a is not None and b is not None and a != b),
        unknown=tuple(index for index, (a, b) in pairs if a is None or b is None),
        excluded=excluded,
    )


def _side(measurements: Sequence[Measurement]) -> Side:
    """Several submissions are runs: each counts once, by the mean of its trials."""
    first = measurements[0]
    figures = [fmean(measurement.rates) for measurement in measurements]
    if len({measurement.configuration for measurement in measurements}) == 1 and (first.runs or len(figures) == 1):
        return Side(fmean(figures), first.rates, first.runs, first.configuration, averaged_over=first.averaged_over)
    logs = [log(figure) for figure in figures]
    trials = len(figures) / sum(1 / len(measurement.rates) for measurement in measurements)
    return Side(fmean(figures), first.rates, Runs(len(logs), fmean(logs), variance(logs), trials))


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
