"""Cells of a series against each other: round by round where they were measured in turns, and unpaired beside that.

The repetitions of a cell are launches of their own. Where both cells of a round are, too, its differences hold the
noise between launches; where one ran on the machines of the other, that noise is the same for both and in no
difference: then it is a comparison within clusters, of which each round has another one. What the machine does slowly
over hours is in both sides of each: the test is that of submissions/analysis/comparison/verdicts.py. Unpaired, two
such runs count as separate launches: what they share makes that test more careful, not less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from statistics import fmean, harmonic_mean, variance

from submissions.analysis.comparison.noise import NoiseFrom, Runs, WorkloadNoise, pooled
from submissions.analysis.comparison.verdicts import Judgement, Series, Side, judge


@dataclass(frozen=True, slots=True)
class Measure:
    """A run of a cell. `round`: of the series, None where it was measured with nothing beside it."""

    round: int | None
    started_at: datetime
    figure: float  # positive
    trials: int = 1


Measures = Sequence[Measure]


def paired(a: Measures, b: Measures, cells: int) -> Judgement | None:
    """b against a, by the rounds that both have; None with fewer than three, or where they were not in turns.

    `cells` is how many cells the series has: the verdict is corrected for all their pairs.
    """
    rounds = _rounds(a, b)
    if not rounds:
        return None
    first, second = (_in_rounds([pair[side] for pair in rounds]) for side in (0, 1))
    judgement = judge(first, second, WorkloadNoise(configurations=cells))
    return judgement if judgement.noise_from == NoiseFrom.SERIES else None


def _in_rounds(measures: Measures) -> Side:
    return Side(
        figure=exp(fmean(log(measure.figure) for measure in measures)),
        trials=tuple(measure.figure for measure in measures),
        series=Series("series", tuple(measure.started_at for measure in measures)),
    )


def _rounds(a: Measures, b: Measures) -> list[tuple[Measure, Measure]]:
    """In the order of time."""
    others = {measure.round: measure for measure in b if measure.round is not None}
    pairs = [(measure, others[measure.round]) for measure in a if measure.round in others]
    return sorted(pairs, key=lambda pair: min(measure.started_at for measure in pair))


def unpaired(a: Measures, b: Measures, all_cells: Sequence[Measures]) -> Judgement | None:
    """b against a as runs that know nothing of each other; the noise is that of the runs of all cells."""
    if not a or not b:
        return None
    of_runs, trials = pooled(_runs(measures) for measures in all_cells if measures)
    noise = WorkloadNoise(of_runs=of_runs, trials=trials, configurations=max(len(all_cells), 2))
    return judge(_alone(a), _alone(b), noise)


def _alone(measures: Measures) -> Side:
    figures = tuple(measure.figure for measure in measures)
    return Side(figure=fmean(figures), trials=figures, runs=_runs(measures))


def _runs(measures: Measures) -> Runs:
    logs = [log(measure.figure) for measure in measures]
    return Runs(
        count=len(logs),
        mean=fmean(logs),
        variance=variance(logs) if len(logs) > 1 else None,
        trials=harmonic_mean([measure.trials for measure in measures]),
    )
