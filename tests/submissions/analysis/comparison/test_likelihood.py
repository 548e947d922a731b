"""How likely the next run is to keep a limit."""

from math import exp, log, sqrt
from random import Random
from statistics import fmean, variance

import pytest
from scipy.stats import t

from submissions.analysis.comparison.likelihood import Belief, Figure, beliefs, is_noise_known, of_both, of_next_run
from submissions.analysis.comparison.noise import NoiseFrom, Runs, WorkloadNoise
from submissions.analysis.comparison.significance import PooledSpread


def test_a_limit_at_the_mean_is_a_coin_toss_and_the_directions_are_opposite():
    one = Runs(1, log(1000.0))

    assert of_next_run(one, None, WorkloadNoise(), 1000.0)[0] == pytest.approx(0.5)
    better, source = of_next_run(one, None, WorkloadNoise(), 900.0)
    worse, _ = of_next_run(one, None, WorkloadNoise(), 900.0, higher_is_better=False)
    assert better == pytest.approx(1 - worse)
    assert source == NoiseFrom.CLOUDS


def test_one_run_with_the_usual_noise_by_hand():
    """6 % between runs and 3 % in the one trial: s² = 0.0045, √2 s = 0.0949; ln(110 / 100) is 1.005 of that."""
    share, _ = of_next_run(Runs(1, log(110.0)), None, WorkloadNoise(), 100.0)

    assert share == pytest.approx(t.cdf(log(1.1) / sqrt(2 * 0.0045), 30))
    assert round(share, 2) == 0.84


def test_of_limits_that_are_said_to_hold_nine_times_in_ten_nine_in_ten_hold():
    """Five runs that vary by 10 % are known, and a sixth follows."""
    random, held = Random(7), 0
    for _ in range(2000):
        *known, following = (random.gauss(log(1000.0), 0.1) for _ in range(6))
        runs = Runs(5, fmean(known), variance(known))
        limit = runs.mean - t.ppf(0.9, 4) * sqrt(variance(known) * (1 + 1 / 5))
        share, source = of_next_run(runs, None, WorkloadNoise(), exp(limit))
        assert (round(share, 6), source) == (0.9, NoiseFrom.OWN_RUNS)
        held += following >= limit
    assert held / 2000 == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("others", [(), (Runs(2, log(900.0), 0.0), Runs(1, log(800.0)))])
def test_runs_that_never_differed_hold_what_they_hold(others):
    """As those of a client that limits its rate."""
    same = Runs(40, log(1000.0), 0.0)

    def share(limit, **direction):
        return of_next_run(same, PooledSpread(0.0, 40), WorkloadNoise(), limit, others=others, **direction)[0]

    assert (share(999.0), share(1000.0), share(1001.0)) == (1.0, 1.0, 0.0)
    assert share(999.0, higher_is_better=False) == 0.0


def test_what_is_known_of_noise_and_what_is_not():
    spread = PooledSpread(0.05, 3)

    assert not is_noise_known(Runs(1, 1.0), None, WorkloadNoise())
    assert is_noise_known(Runs(1, 1.0), spread, WorkloadNoise())
    assert is_noise_known(Runs(2, 1.0, 0.01), None, WorkloadNoise())
    assert is_noise_known(Runs(1, 1.0), None, WorkloadNoise(of_runs=spread))


def test_nothing_is_certain():
    assert of_both([1.0, 1.0]) == 0.99
    assert of_both([0.0, 1.0]) == 0.01
    assert of_both([0.5, 0.5]) == 0.25


def expected(figure: Figure, *others: Figure) -> float:
    return sum(belief.share * belief.mean for belief in beliefs(figure, others))


def figures(*means: float) -> list[Figure]:
    return [Figure(mean, 0.0036) for mean in means]


def test_a_figure_without_others_is_what_it_is():
    assert beliefs(Figure(1.0, 0.0036), []) == [Belief(1.0, 1.0, 0.0036)]


def test_the_best_of_figures_that_differ_by_noise_alone_is_drawn_most_of_the_way_to_their_mean():
    best, *others = figures(1.1, 1.05, 1.0, 0.95, 0.9)

    assert 1.0 < expected(best, *others) < 1.03
    assert sum(belief.share for belief in beliefs(best, others)) == pytest.approx(1.0)
    assert all(belief.variance <= best.variance for belief in beliefs(best, others))


def test_the_best_of_figures_that_truly_differ_is_hardly_drawn():
    best, *others = figures(1.5, 1.25, 1.0, 0.75, 0.5)

    assert 1.47 < expected(best, *others) < 1.5


@pytest.mark.parametrize("count", [2, 5, 15])
def test_a_winner_far_above_equal_others_is_not_drawn(count):
    best, *others = figures(2.0, *(1.0 + 0.05 * (-1) ** number for number in range(count - 1)))

    assert 1.98 < expected(best, *others) <= 2.0


def test_a_figure_of_many_runs_is_drawn_less_than_that_of_one_run():
    _, *others = figures(1.0, 1.05, 1.0, 0.95, 0.9)

    assert 1.0 < expected(Figure(1.1, 0.0036), *others) < expected(Figure(1.1, 0.0036 / 10), *others) < 1.1


def test_the_worst_of_a_group_is_drawn_up_and_a_p99_the_other_way():
    """The best p99 is the lowest."""
    others = [Runs(1, log(figure)) for figure in (10.5, 11.0, 11.5, 12.0)]
    alone, _ = of_next_run(Runs(1, log(10.0)), None, WorkloadNoise(), 10.5, higher_is_better=False)
    among, _ = of_next_run(Runs(1, log(10.0)), None, WorkloadNoise(), 10.5, others=others, higher_is_better=False)

    assert among < alone - 0.15
    upwards, _ = of_next_run(Runs(1, log(10.0)), None, WorkloadNoise(), 10.5, others=others)
    assert upwards == pytest.approx(1 - among)
