"""The noise between runs: from the runs themselves, completed from the workload's and the usual one."""

from math import exp, inf, log
from statistics import fmean, variance

import pytest

from submissions.analysis.comparison.noise import (
    MOST_COMPARED,
    NoiseFrom,
    Runs,
    WorkloadNoise,
    full_freedom,
    merged,
    pairs_of,
    pooled,
    run_noise,
    trial_variance,
    within,
)
from submissions.analysis.comparison.significance import PooledSpread

LOGS = (0.1, 0.2, 0.4, 0.8, 0.3)
TRIALS = 0.03**2  # the variance of trials


def runs(*logs, trials=1.0):
    return Runs(len(logs), fmean(logs), variance(logs) if len(logs) > 1 else None, trials)


def test_runs_counted_apart_are_merged_and_taken_out_again():
    whole = merged([runs(*LOGS[:2]), Runs(0), runs(*LOGS[2:])])

    assert (whole.count, whole.mean, whole.variance) == (5, *map(pytest.approx, (fmean(LOGS), variance(LOGS))))
    rest = whole.without(exp(0.8), exp(0.1))
    assert (rest.count, rest.mean) == (3, pytest.approx(0.3))
    assert rest.variance == pytest.approx(variance((0.2, 0.4, 0.3)))
    assert whole.without(*map(exp, LOGS)) is None
    assert merged([Runs(0)]) is None


def test_runs_of_two_configurations_vary_about_a_mean_of_their_own():
    both = within([runs(0.0, 0.2), runs(5.0, 5.1, 5.2), runs(9.0)])

    # by hand: (0.02 + 0.02) / 3
    assert (both.freedom, both.variance) == (3, pytest.approx(0.04 / 3))
    assert within([runs(9.0)]) is None


def test_the_noise_of_a_workload_is_pooled_over_its_configurations():
    spread, trials = pooled([runs(0.0, 0.2, trials=3), runs(5.0, 5.1, 5.2, trials=6)])

    assert (spread.freedom, spread.sd**2) == (3, pytest.approx(0.04 / 3))
    assert trials == pytest.approx(3 / (1 / 3 + 2 / 6))
    assert pooled([runs(1.0, 1.0)]) == (None, 1.0)  # equal figures are no freedom from noise


def test_what_runs_say_themselves_is_no_part_of_the_others():
    own = runs(0.0, 0.2)
    spread, trials = pooled([own, runs(5.0, 5.1, 5.2)])

    rest = WorkloadNoise(of_runs=spread, trials=trials).without(own).of_runs

    assert (rest.freedom, rest.sd**2) == (2, pytest.approx(0.01))
    assert WorkloadNoise(of_runs=PooledSpread(0.1, 1)).without(own).of_runs is None


def test_without_any_repeated_run_it_is_the_usual_one_with_the_noise_of_trials():
    noise = run_noise(None, WorkloadNoise(), TRIALS, full=4)

    assert (noise.source, noise.trials) == (NoiseFrom.CLOUDS, inf)
    assert noise.of_run(3, TRIALS) == pytest.approx(0.06**2 + 0.03**2 / 3)


def test_the_workloads_is_taken_before_the_usual_one():
    noise = run_noise(None, WorkloadNoise(of_runs=PooledSpread(0.1, 20), trials=3), TRIALS, full=4)

    assert (noise.source, noise.freedom, noise.of_run(3, TRIALS)) == (NoiseFrom.WORKLOAD, 20, pytest.approx(0.01))
    # one trial has more noise than the three of each run behind the estimate
    assert noise.of_run(1, TRIALS) == pytest.approx(0.01 + 0.03**2 * (1 - 1 / 3))


def test_five_own_runs_speak_for_themselves():
    own = runs(*LOGS)

    noise = run_noise(own, WorkloadNoise(of_runs=PooledSpread(0.01, 20)), TRIALS, full=4)

    assert (noise.source, noise.freedom, noise.variance) == (NoiseFrom.OWN_RUNS, 4, own.variance)


def test_two_own_runs_are_completed_to_four_degrees_of_freedom():
    own = runs(0.0, 0.02)

    noise = run_noise(own, WorkloadNoise(), TRIALS, full=4)

    assert (noise.source, noise.freedom) == (NoiseFrom.OWN_RUNS, 4)
    assert noise.variance == pytest.approx((1 * 0.0002 + 3 * (0.06**2 + 0.03**2)) / 4)


def test_more_pairs_need_more_freedom_up_to_the_most_that_a_board_ranks():
    assert [full_freedom(pairs) for pairs in (1, 2, 8)] == [4, 5, 7]
    assert [pairs_of(count) for count in (0, 2, 10)] == [1, 1, 45]
    assert pairs_of(10_000) == pairs_of(MOST_COMPARED)


def test_the_noise_of_trials_is_their_own_completed_from_the_workloads():
    spread = PooledSpread(0.1, 2)

    assert trial_variance([None], WorkloadNoise()) == pytest.approx(0.03**2)
    assert trial_variance([spread, None], WorkloadNoise(of_trials=PooledSpread(0.05, 9))) == pytest.approx(
        (2 * 0.01 + 2 * 0.0025) / 4
    )
    assert trial_variance([PooledSpread(0.1, 7)], WorkloadNoise()) == pytest.approx(0.01)


def test_figures_in_another_unit_vary_alike():
    dollars = runs(0.0, 0.2).scaled(10.0)

    assert (dollars.mean, dollars.variance) == (pytest.approx(0.1 + log(10)), pytest.approx(0.02))
