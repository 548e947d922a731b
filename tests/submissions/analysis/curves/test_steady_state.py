"""Windows of a run and the end of its warm-up, against sums by hand and a plain form of the rule."""

from math import isfinite
from statistics import fmean, median

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.analysis.curves.steady_state import (
    Interval,
    Row,
    WarmUp,
    WindowFigures,
    intervals,
    mser_5,
    spread,
    trial_window,
    warm_up,
    window,
)
from submissions.analysis.trials import Spread


def row(end_s, operations=None, errors=None, rate=None, p99=None):
    return Row(end_s, operations, errors, rate, p99)


def steady(rates, seconds=1.0):
    """A series of intervals of one length with these rates."""
    return intervals([row((n + 1) * seconds, rate=rate) for n, rate in enumerate(rates)])


# cs50-07b-mixed-fixed-hdrfile.log, its total rows 3 to 6
PRINTED = [
    row(1.0, 82, 0, 82, 46.8),
    row(2.0, 637, 0, 637, 820.5),
    row(3.0, 5267, 2, 5267, 846.2),
    row(4.0, 2323, 0, 2323, 357.8),
    row(5.5, 2292, 1, 1528, 518.3),
]


def test_a_window_sums_the_successful_operations_of_the_intervals_inside():
    assert window(intervals(PRINTED), start_s=1.0, end_s=4.0) == WindowFigures(
        start_s=1.0,
        end_s=4.0,
        seconds=3.0,
        operations=637 + 5265 + 2323,
        throughput_ops_s=8225 / 3,
        errors=2,
        p99_low_ms=357.8,
        p99_high_ms=846.2,
        intervals=3,
    )


def test_an_interval_that_a_bound_cuts_is_left_out():
    found = window(intervals(PRINTED), start_s=0.5, end_s=5.4)

    assert (found.start_s, found.end_s, found.seconds, found.intervals) == (1.0, 4.0, 3.0, 3)
    assert window(intervals(PRINTED), start_s=1.2, end_s=1.9) is None
    assert window(intervals(PRINTED), start_s=7.0, end_s=9.0) is None


def test_a_bound_of_fewer_digits_than_a_sum_of_floats_still_meets_it():
    rows = [row(0.1 * 3, 30), row(0.1 * 6, 30)]  # 0.30000000000000004, 0.6000000000000001

    assert window(intervals(rows), start_s=0.3, end_s=0.6).operations == 30


def test_rates_alone_are_weighted_with_their_time():
    rows = [row(1.0, rate=100.0), row(4.0, rate=200.0), row(5.0)]

    found = window(intervals(rows), start_s=0, end_s=5.0)

    # 100 in the first second, 600 in three more; the last second is unknown, not zero
    assert (found.operations, found.seconds, found.throughput_ops_s) == (700.0, 4.0, 175.0)
    assert (found.errors, found.p99_low_ms, found.p99_high_ms) == (None, None, None)


def test_a_series_without_rates_has_no_window():
    assert window(intervals([row(1.0, p99=3.0)]), start_s=0, end_s=1.0) is None


def test_a_row_without_time_of_its_own_is_added_to_the_one_before():
    rows = [row(1.0, 100, 0, 100.0, 3.0), row(1.0, 20, 1, 900.0, 9.0), row(2.0, 100, 0, 100.0, 4.0)]

    assert intervals(rows) == (Interval(0.0, 1.0, 119, 1, 9.0), Interval(1.0, 2.0, 100, 0, 4.0))


def test_clients_of_a_trial_are_added_up_and_their_p99s_are_not_averaged():
    one = intervals([row(1.0, 100, 0, p99=3.0), row(2.0, 110, 0, p99=5.0)])
    other = intervals([row(1.0, 50, 1, p99=9.0), row(2.5, 90, 0, p99=2.0)])

    assert trial_window([one, other], start_s=0, end_s=3) == WindowFigures(
        start_s=0.0,
        end_s=2.5,
        seconds=2.5,
        operations=210 + 139,
        throughput_ops_s=210 / 2 + 139 / 2.5,
        errors=1,
        p99_low_ms=2.0,
        p99_high_ms=9.0,
        intervals=4,
    )


def test_a_trial_of_which_one_client_has_nothing_in_the_window_has_no_figures():
    one, other = steady([100.0] * 5), steady([100.0] * 2)

    assert trial_window([one, other], start_s=3, end_s=5) is None


def test_trials_have_the_spread_of_the_headline():
    trials = [trial_window([steady([rate] * 3)], start_s=0, end_s=3) for rate in (90.0, 100.0, 110.0)]

    found = spread(trials)

    # t(0.975, 2) = 4.302653, s = 10
    assert (found.mean, found.n, found.cv) == (100.0, 3, pytest.approx(0.1))
    assert found.high - found.mean == pytest.approx(4.302652729911275 * 10 / 3**0.5)


def test_a_window_in_which_everything_failed_has_a_rate_of_zero_and_no_spread():
    failed = trial_window([intervals([row(1.0, 50, 50)])], start_s=0, end_s=1)

    assert spread([failed, failed]) == Spread(0.0, None, None, None, 2)


numbers = st.floats(0, 1e7, allow_subnormal=False)
printed_rows = st.lists(
    st.tuples(st.floats(0.01, 1000), st.integers(0, 10**9), st.integers(0, 10**9), st.none() | numbers),
    min_size=1,
    max_size=40,
)


def series_of(printed):
    rows, end = [], 0.0
    for length, operations, errors, p99 in printed:
        end += length
        rows.append(row(end, operations, min(errors, operations), p99=p99))
    return intervals(rows)


@given(printed_rows, st.floats(0, 1), st.floats(0, 1))
def test_a_window_inside_the_run_has_finite_figures(printed, one, other):
    series = series_of(printed)
    end = series[-1].end_s

    found = window(series, start_s=min(one, other) * end, end_s=max(one, other) * end)

    if found is not None:
        assert isfinite(found.throughput_ops_s)
        assert found.throughput_ops_s >= 0
        assert 0 < found.seconds <= end * 1.000001
        assert found.p99_low_ms is None or found.p99_low_ms <= found.p99_high_ms


@given(printed_rows)
def test_the_whole_window_is_the_headline_of_the_intervals(printed):
    series = series_of(printed)

    found = window(series, start_s=0, end_s=series[-1].end_s)

    operations = sum(count - min(errors, count) for _, count, errors, _ in printed)
    seconds = sum(length for length, *_ in printed)
    assert found.throughput_ops_s == pytest.approx(operations / seconds, rel=1e-9)
    assert found.intervals == len(printed)


@given(printed_rows, st.floats(0, 1))
def test_two_halves_of_a_run_have_together_what_the_whole_has(printed, share):
    series = series_of(printed)
    cut = series[int(share * (len(series) - 1))].end_s

    halves = [window(series, start_s=0, end_s=cut), window(series, start_s=cut, end_s=series[-1].end_s)]

    assert sum(half.operations for half in halves if half) == sum(one.operations for one in series)


# MSER-5 by hand: ten batches, of which the first two are warm-up.
# Batch means: 0, 50, then 99, 101 four times. With d = 2 the mean of the rest is 100, the sum of squares 8,
# the statistic 8 / 8^2 = 0.125. With d = 1: mean 850/9 = 94.444, sum of squares 2230.222, / 81 = 27.53.
# With d = 0: mean 85, sum of squares 10258, / 100 = 102.58. With d = 3: values 101, 99, ..., 101: mean 100.1429,
# sum of squares 6.857, / 49 = 0.1399. With d = 4: 6 / 36 = 0.1667.
TEN_BATCHES = [0, 50, 99, 101, 99, 101, 99, 101, 99, 101]


def test_mser_5_cuts_where_the_standard_error_of_what_is_kept_is_least():
    observations = [mean + offset for mean in TEN_BATCHES for offset in (-2, -1, 0, 1, 2)]

    assert mser_5(observations) == 10


def statistic(means, cut):
    kept = means[cut:]
    return sum((mean - fmean(kept)) ** 2 for mean in kept) / len(kept) ** 2


def test_the_statistic_by_hand_is_that_of_the_plain_formula():
    found = [statistic(TEN_BATCHES, cut) for cut in range(5)]

    assert found == pytest.approx([102.58, 27.5336, 0.125, 0.13994, 0.16667], rel=1e-4)


@settings(max_examples=200)
@given(st.lists(st.integers(0, 10**6), min_size=50, max_size=200))
def test_mser_5_is_the_plain_rule_on_any_series(observations):
    count = len(observations) // 5
    means = [fmean(observations[5 * n : 5 * n + 5]) for n in range(count)]
    half = count // 2

    cut = mser_5(observations)

    of_each = [statistic(means, d) for d in range(half + 1)]
    chosen = half if cut is None else cut // 5
    leftmost = next((d for d in range(half) if of_each[d + 1] >= of_each[d] * (1 - 1e-9)), half)
    if min(of_each) < 0.499 * of_each[leftmost]:
        assert of_each[chosen] == pytest.approx(min(of_each), rel=1e-6, abs=1e-6)
    elif min(of_each) > 0.501 * of_each[leftmost]:
        assert of_each[chosen] == pytest.approx(of_each[leftmost], rel=1e-6, abs=1e-6)


def test_a_later_cut_that_is_but_a_little_better_is_chance():
    means = [0, 50, 100, 101, 99, *[100, 101] * 9]

    of_each = [statistic(means, d) for d in range(6)]

    # cutting the 99 as well gives the least of all, and not half of the first minimum
    assert of_each[2:] == pytest.approx([0.0162, 0.0174, 0.0184, 0.0139], abs=5e-5)
    assert mser_5([mean for mean in means for _ in range(5)]) == 10


def test_a_long_first_stretch_that_is_clearly_lower_is_cut_whole():
    assert mser_5([500.0] * 40 + [990.0, 1010.0] * 35) == 40


def test_what_is_left_after_the_last_batch_does_not_count():
    observations = [mean for mean in TEN_BATCHES for _ in range(5)]

    assert mser_5([*observations, 10**9, 10**9]) == mser_5(observations)


def test_a_constant_series_has_no_warm_up():
    assert mser_5([0.1] * 60) == 0


def test_a_rate_that_never_settles_has_no_end_of_a_warm_up():
    assert mser_5(list(range(100))) is None


def test_too_few_observations_are_refused():
    with pytest.raises(ValueError, match="50 observations"):
        mser_5([1.0] * 49)


def test_the_warm_up_ends_with_the_interval_that_is_cut_last():
    rates = [300.0] * 10 + [990.0, 1010.0] * 50

    assert warm_up([steady(rates, seconds=2.0)]) == 20.0


def noisy(rng, trials):
    rates = 1000 * (1 - 0.8 * 0.8 ** numpy.arange(120))
    return [steady((rates + rng.normal(0, 20, 120)).tolist()) for _ in range(trials)]


@pytest.mark.parametrize("trials", [1, 3])
def test_a_warm_up_in_noise_is_found_to_some_batches(trials):
    rng = numpy.random.default_rng(7)

    found = [warm_up(noisy(rng, trials)) for _ in range(200)]

    # after 15 s the rate is within 3 % of the last, after 25 s within 0.3 %; chance sometimes cuts more, never less
    ends = [end for end in found if isinstance(end, float)]
    assert len(ends) >= 180
    assert min(ends) >= 15
    assert median(ends) <= 25


def test_trials_are_averaged_place_by_place_as_far_as_the_shortest_goes():
    one = [300.0] * 10 + [980.0, 1020.0] * 40
    other = [400.0] * 10 + [1020.0, 980.0] * 30  # its noise is the opposite: the mean has none

    assert warm_up([steady(one), steady(other)]) == 10.0


def test_a_short_last_interval_is_no_observation():
    last = Interval(60.0, 60.1, 900.0, None, None)

    assert warm_up([(*steady([100.0] * 60), last)]) == 0.0


def test_a_warm_up_cannot_be_told_from_few_intervals_or_without_rates():
    assert warm_up([steady([100.0] * 49)]) is WarmUp.TOO_SHORT
    assert warm_up([steady([100.0] * 90), steady([100.0] * 49)]) is WarmUp.TOO_SHORT
    assert warm_up([intervals([row(float(n), p99=1.0) for n in range(1, 99)])]) is WarmUp.TOO_SHORT
    assert warm_up([()]) is WarmUp.TOO_SHORT
    assert warm_up([]) is WarmUp.TOO_SHORT
    assert warm_up([steady([float(n) for n in range(100)])]) is WarmUp.NEVER_STEADY
    assert warm_up([steady([100.0] * 60), steady([100.0] * 60, seconds=10.0)]) is WarmUp.UNEVEN
