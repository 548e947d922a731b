"""The grid of differences: only like with like, the most alike sides, means of cells, verdicts for all together."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.analysis.comparison.grid import Measurement, Sides, cell, grid, strength
from submissions.analysis.comparison.noise import NoiseFrom, Runs, WorkloadNoise
from submissions.analysis.comparison.significance import PooledSpread
from submissions.analysis.comparison.verdicts import Side, Verdict, judge


def measured(key, *rates, required=(), facts=()):
    return Measurement(key, rates, required, facts)


# published-results.md, article E: percent difference of the virtual network against native
ARTICLE = {
    (1, "none"): (-8.2, 0.8, -2.3, -2.3, -6.7),
    (1, "node_and_client"): (63.8, 55.4, 60.0, 53.9, 61.7),
    (1, "node"): (-0.7, -5.0, 1.9, 5.4, 4.7),
    (3, "none"): (-4.5, -4.7, -5.8, -4.5, -1.5),
    (3, "node_and_client"): (31.5, 29.6, 31.4, 27.3, 29.9),
    (3, "node"): (3.8, 3.9, 6.1, 8.3, 4.0),
}
STATED_MEANS = dict(zip(ARTICLE, (-3.7, 59, 1.3, -4.2, 30, 5.2), strict=True))


def article():
    return {
        (row, size): Sides([measured(1, 100.0)], [measured(2, 100.0 + percent)])
        for row, percents in ARTICLE.items()
        for size, percent in zip((32, 64, 128, 192, 256), percents, strict=True)
    }


def test_every_row_mean_of_the_article_is_the_mean_of_its_cells_within_a_tenth():
    found = grid(article())

    assert {row: mean.n for row, mean in found.row_means.items()} == dict.fromkeys(ARTICLE, 5)
    for row, stated in STATED_MEANS.items():
        assert abs(found.row_means[row].percent - stated) <= 0.1
    # by hand: (-8.2 + 63.8 - 0.7 - 4.5 + 31.5 + 3.8) / 6
    assert found.column_means[32].percent == pytest.approx(85.7 / 6)
    assert found.column_means[32].n == 6


def test_one_run_a_side_has_the_verdict_of_every_page():
    found = cell([measured(1, 80.0, 82.0)], [measured(2, 100.0, 101.0)])

    assert found.percent == pytest.approx((100.5 / 81 - 1) * 100)
    assert found.judgement == judge(Side(81.0, (80.0, 82.0)), Side(100.5, (100.0, 101.0)), WorkloadNoise())
    assert (found.n, found.counts_trials, found.baseline, found.variant) == ((2, 2), True, (1,), (2,))


def test_a_mean_of_ten_trials_counts_ten_and_is_judged_as_one_run():
    averaged = Measurement(1, (100.0,), averaged_over=10)

    both = cell([averaged], [Measurement(2, (91.8,), averaged_over=10)])
    one = cell([averaged], [measured(2, *(90.0 + trial for trial in range(10)))])

    assert (both.n, both.is_averaged, both.judgement.runs) == ((10, 10), True, (1, 1))
    assert (one.n, one.is_averaged, one.judgement.runs) == ((10, 10), True, (1, 1))


def test_of_several_submissions_each_counts_once_whatever_its_trials():
    baseline = [measured(1, 100.0, 100.0, 100.0), measured(2, 110.0)]
    variant = [measured(3, 80.0), measured(4, 70.0, 90.0)]

    found = cell(baseline, variant)

    assert found.percent == pytest.approx((80 / 105 - 1) * 100)
    assert (found.n, found.counts_trials, found.judgement.runs) == ((2, 2), False, (2, 2))
    assert found.judgement.noise_from == NoiseFrom.OWN_RUNS


def test_all_runs_of_a_configuration_count_and_the_noise_of_the_less_proven_side():
    runs = Runs(4, math.log(200.0), 0.0001)
    baseline = Measurement(1, (100.0,), noise=WorkloadNoise(of_runs=PooledSpread(0.2, 30)), precedence=1)
    variant = Measurement(2, (210.0,), configuration="c", runs=runs)

    found = cell([baseline], [variant])

    assert (found.percent, found.judgement.runs) == (pytest.approx(110.0), (1, 4))


def test_what_must_be_equal_and_is_not_makes_no_cell():
    assert cell([measured(1, 100.0, required=(3,))], [measured(2, 90.0, required=(6,))]) is None
    assert cell([], [measured(2, 90.0)]) is None


def test_the_most_alike_sides_are_chosen_and_the_rest_is_counted():
    baseline = [measured(1, 100.0, facts=("oracle", "ssd")), measured(2, 50.0, facts=("openjdk", "hdd"))]
    variant = [measured(3, 60.0, facts=("openjdk", "hdd")), measured(4, 10.0, facts=("openjdk", "tape"))]

    found = cell(baseline, variant)

    assert (found.baseline, found.variant, found.excluded) == ((2,), (3,), 2)
    assert found.percent == pytest.approx(20.0)
    assert (found.differs, found.unknown) == ((), ())


def test_of_equally_alike_sides_the_larger_ones_are_chosen():
    baseline = [measured(1, 100.0, facts=("a",)), measured(2, 50.0, facts=("b",)), measured(3, 52.0, facts=("b",))]
    variant = [measured(4, 90.0, facts=("a",)), measured(5, 51.0, facts=("b",)), measured(6, 51.0, facts=("b",))]

    found = cell(baseline, variant)

    assert (found.baseline, found.variant, found.excluded) == ((2, 3), (5, 6), 2)


def test_what_differs_and_what_is_unknown_are_kept_apart():
    found = cell([measured(1, 1.0, facts=("x", None, None, 4))], [measured(2, 1.0, facts=("y", "z", None, 4))])

    assert (found.differs, found.unknown) == ((0,), (1, 2))


def test_other_cells_change_no_verdict():
    sides = ([measured(1, 100.0)], [measured(2, 124.0)])
    alone = grid({("row", 0): sides})
    among_others = grid({("row", place): sides for place in range(20)})

    assert alone.cells["row", 0].verdict == Verdict.BETTER
    assert among_others.cells["row", 0].judgement == alone.cells["row", 0].judgement


def test_rows_and_columns_without_a_pair_are_left_out():
    found = grid(
        {("a", 1): ([measured(1, 1.0)], []), ("b", 1): ([measured(2, 1.0)], [measured(3, 2.0)]), ("b", 2): ([], [])}
    )

    assert list(found.cells) == [("b", 1)]
    assert list(found.row_means) == ["b"]
    assert list(found.column_means) == [1]
    assert grid({}).cells == {}


@pytest.mark.parametrize(
    ("percent", "steps"),
    [(0.0, 0), (2.4, 0), (-2.4, 0), (2.5, 1), (-2.5, -1), (10.0, 2), (-24.9, -2), (25.0, 3), (-99.0, -3)],
)
def test_the_strength_has_the_sign_of_the_difference(percent, steps):
    assert strength(percent) == steps


@pytest.mark.parametrize("rates", [(), (0.0,), (1.0, -1.0)])
def test_a_measurement_without_a_positive_rate_is_refused(rates):
    with pytest.raises(ValueError, match="positive"):
        Measurement(1, rates)


FIGURES = st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=5)
MEASUREMENTS = st.lists(st.tuples(FIGURES, st.integers(0, 1), st.sampled_from(["a", "b", None])), max_size=4)


@given(MEASUREMENTS, MEASUREMENTS)
def test_no_cell_has_a_wrong_sign_or_a_figure_that_is_none(baseline, variant):
    sides = [
        [
            measured(start + key, *figures, required=(must,), facts=(fact,))
            for key, (figures, must, fact) in enumerate(side)
        ]
        for start, side in ((0, baseline), (100, variant))
    ]
    found = cell(*sides)

    if found is None:
        assert not {m.required for m in sides[0]} & {m.required for m in sides[1]}
        return
    assert math.isfinite(found.percent)
    assert found.percent > -100
    assert (found.verdict == Verdict.BETTER) <= (found.percent > 0)
    assert (found.verdict == Verdict.WORSE) <= (found.percent < 0)
    assert found.interval[0] <= found.interval[1]
    assert found.excluded == len(baseline) + len(variant) - len(found.baseline) - len(found.variant)


@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.tuples(FIGURES, FIGURES), min_size=1))
def test_swapping_the_sides_turns_every_sign(figures):
    there = grid({place: ([measured(1, *a)], [measured(2, *b)]) for place, (a, b) in figures.items()})
    back = grid({place: ([measured(2, *b)], [measured(1, *a)]) for place, (a, b) in figures.items()})

    for place, found in there.cells.items():
        other = back.cells[place]
        assert (1 + found.percent / 100) * (1 + other.percent / 100) == pytest.approx(
            1, rel=1e-3
        )  # of percents near -100 few digits are left
        turned = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
        assert other.verdict == turned.get(found.verdict, found.verdict)
    assert {row: mean.n for row, mean in there.row_means.items()} == {r: m.n for r, m in back.row_means.items()}
