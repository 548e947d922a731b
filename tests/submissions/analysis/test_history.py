"""Change points: a step is found where it is, noise shows none, few points are not judged."""

import math
import random
from statistics import fmean

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.analysis.history import FALSE_ALARMS, ChangePoint, change_points


def noise(seed, count, mean=100_000.0, cv=0.05):
    draw = random.Random(seed)
    return [draw.gauss(mean, mean * cv) for _ in range(count)]


@pytest.mark.slow
def test_a_step_of_15_percent_in_5_percent_noise_is_found_where_it_is():
    found = [change_points([*noise(seed, 10), *noise(1_000 + seed, 10, mean=115_000.0)]) for seed in range(200)]

    # three standard deviations: a neighbour of the step may look like the other level
    at_the_step = [one for one in found if len(one) == 1 and abs(one[0].index - 10) <= 2]
    assert len(at_the_step) >= 170
    assert sum(1 for one in found if one) >= 180
    assert 14 < fmean(one[0].percent for one in at_the_step) < 17


def test_the_step_is_at_the_first_point_of_the_new_level_with_the_means_beside_it():
    before = [99.0, 101.0, 100.0, 98.0, 102.0, 100.0, 99.0, 101.0, 103.0, 97.0]
    after = [114.0, 116.0, 115.0, 113.0, 117.0, 115.0, 114.0, 116.0, 118.0, 112.0]

    (found,) = change_points([*before, *after])

    assert (found.index, found.mean_before, found.mean_after) == (10, 100.0, 115.0)
    assert (found.n_before, found.n_after) == (10, 10)
    assert found.percent == pytest.approx(15.0)
    assert found.p_value < 1e-10


def test_two_steps_have_the_means_of_their_own_stretches():
    low = [99.0, 101.0, 100.0, 98.0, 102.0, 100.0, 99.0, 101.0]

    found = change_points([*low, *(x + 50 for x in low), *low])

    assert [(one.index, one.mean_before, one.mean_after) for one in found] == [(8, 100.0, 150.0), (16, 150.0, 100.0)]
    assert [(one.n_before, one.n_after) for one in found] == [(8, 8), (8, 8)]


def test_nine_points_are_not_judged_and_ten_are():
    assert change_points(noise(1, 9)) is None
    assert change_points(noise(1, 10)) == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [10, 20, 60])
def test_noise_alone_is_taken_for_a_change_in_at_most_5_percent(count):
    alarms = sum(bool(change_points(noise(f"{count} {seed}", count))) for seed in range(400))

    assert alarms <= FALSE_ALARMS * 400


def test_the_same_series_has_always_the_same_change_points():
    series = [*noise(3, 15), *noise(4, 15, mean=110_000.0)]

    assert change_points(series) == change_points(series)


@pytest.mark.parametrize("series", [[0.0] * 12, [-1.0] * 12])
def test_what_is_not_positive_is_refused(series):
    with pytest.raises(ValueError, match="positive"):
        change_points(series)


def test_equal_figures_do_not_change():
    assert change_points([5.0] * 20) == []


def test_a_step_without_any_noise_is_found():
    assert change_points([100.0] * 10 + [110.0] * 10) == [
        ChangePoint(10, 100.0, pytest.approx(110.0), 10, 10, p_value=pytest.approx(0.0))
    ]


@settings(suppress_health_check=[HealthCheck.too_slow])  # of a loaded machine: drawing sixty numbers is not slow
@given(st.lists(st.floats(1e-3, 1e9), min_size=10, max_size=60))
def test_change_points_are_inside_ordered_finite_and_of_the_segments_beside_them(series):
    found = change_points(series)

    places = [0, *(one.index for one in found), len(series)]
    assert places == sorted(set(places))
    for number, one in enumerate(found, start=1):
        before, after = series[places[number - 1] : one.index], series[one.index : places[number + 1]]
        assert (one.n_before, one.n_after) == (len(before), len(after))
        assert one.mean_before == pytest.approx(fmean(before))
        assert one.mean_after == pytest.approx(fmean(after))
        assert math.isfinite(one.percent)
        assert (one.percent > 0) == (fmean(after) > fmean(before))
