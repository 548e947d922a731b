"""Verdicts of a series: drift makes no difference between equal cells, and a real one is seen."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from runners.choices import CellOrder
from runners.series.order import starts_of
from runners.series.verdicts import Measure, paired, unpaired
from submissions.analysis.comparison.verdicts import Verdict

BEGIN = datetime(2026, 11, 23, tzinfo=UTC)
CONCLUSIVE = (Verdict.BETTER, Verdict.WORSE)


def simulated(seed, cells=2, repetitions=5, order=CellOrder.INTERLEAVED, drift=0.10, noise=0.01, effects=None):
    """Cells of a machine that gets slower by `drift` over the series' time; `effects`: factor of each cell."""
    random = Random(seed)
    measures = [[] for _ in range(cells)]
    starts = starts_of(cells, repetitions, order)
    for place, (cell, repetition) in enumerate(starts):
        rate = 10_000 * (1 - drift * place / (len(starts) - 1)) * random.lognormvariate(0, noise)
        round_ = repetition if order == CellOrder.INTERLEAVED else None
        moment = BEGIN + timedelta(minutes=place)
        measures[cell].append(Measure(round_, moment, rate * (effects or [1.0] * cells)[cell]))
    return measures


@pytest.mark.parametrize(("cells", "repetitions", "noise"), [(2, 3, 0.01), (2, 5, 0.01), (2, 4, 0.03), (4, 5, 0.01)])
def test_with_drift_equal_cells_are_called_different_in_at_most_one_series_in_twenty(
    record_property, cells, repetitions, noise
):
    series, by_rounds, apart, in_turn = 600, 0, 0, 0
    for seed in range(series):
        measures = simulated(seed, cells, repetitions, noise=noise)
        pairs = [(a, b) for number, b in enumerate(measures) for a in measures[:number]]
        by_rounds += any(paired(a, b, cells).verdict in CONCLUSIVE for a, b in pairs)
        apart += any(unpaired(a, b, measures).verdict in CONCLUSIVE for a, b in pairs)
        naive = simulated(seed, cells, repetitions, CellOrder.IN_TURN, noise=noise)
        in_turn += unpaired(naive[0], naive[-1], naive).verdict in CONCLUSIVE
    shares = {"paired": by_rounds, "unpaired": apart, "unpaired, not interleaved": in_turn}
    for name, count in shares.items():
        record_property(name, f"{count / series:.1%}")  # in the report of pytest --junit-xml

    assert by_rounds / series <= 0.05
    assert in_turn / series > 0.20  # what the order and the pairing are for


def test_a_real_difference_is_seen_through_the_drift():
    better = sum(
        paired(*simulated(seed, repetitions=6, effects=[1.0, 1.05]), 2).verdict == Verdict.BETTER for seed in range(100)
    )
    hidden = sum(
        unpaired(*(sides := simulated(seed, repetitions=6, effects=[1.0, 1.05])), sides).verdict == Verdict.BETTER
        for seed in range(100)
    )

    assert better >= 95
    assert better > hidden


def test_a_run_that_was_made_again_alone_is_in_no_round():
    a, b = simulated(1, repetitions=4)
    again = [*b[:3], Measure(None, BEGIN + timedelta(hours=9), b[3].figure)]

    assert paired(a, again, 2).runs == (3, 3)
    assert paired(a, again[2:], 2) is None  # one round is left


def test_rounds_that_overlap_are_not_compared_by_round():
    a, b = simulated(1, repetitions=3)
    late = [Measure(measure.round, measure.started_at + timedelta(minutes=3), measure.figure) for measure in b]

    assert paired(a, late, 2) is None
