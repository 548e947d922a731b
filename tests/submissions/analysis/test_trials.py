"""Headline of trials, against values worked out by hand from t tables."""

from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.analysis.trials import Spread, headline


def test_one_trial_has_a_mean_and_no_interval():
    assert headline([90748.0]) == Spread(mean=90748.0, low=None, high=None, cv=None, n=1)


def test_three_trials_get_the_t_interval_of_the_table():
    # mean 1010, deviation 10, t(0.975, 2) = 4.302653: 10 / sqrt(3) x 4.302653 = 24.841
    spread = headline([1000.0, 1010.0, 1020.0])

    assert spread.mean == 1010.0
    assert spread.low == pytest.approx(985.159, abs=0.001)
    assert spread.high == pytest.approx(1034.841, abs=0.001)
    assert spread.cv == pytest.approx(10 / 1010)
    assert spread.n == 3


def test_equal_trials_have_an_interval_without_width():
    assert headline([500.0, 500.0]) == Spread(mean=500.0, low=500.0, high=500.0, cv=0.0, n=2)


@pytest.mark.parametrize("rate", [0.1, 90748.3, 1e8 / 3])
def test_equal_trials_have_no_spread_whatever_their_mean_is_rounded_to(rate):
    assert (headline([rate] * 3).cv, headline([rate] * 7).cv) == (0.0, 0.0)


RATES = st.floats(0.01, 1e9)


@given(RATES, st.lists(st.floats(1e-6, 3), min_size=2, max_size=40))
def test_the_spread_is_that_of_the_standard_library(rate, factors):
    rates = [rate * factor for factor in factors]

    spread = headline(rates)
    assert spread.cv == pytest.approx(stdev(rates) / fmean(rates), rel=1e-9, abs=1e-12)


def test_the_low_end_of_a_rate_is_never_negative():
    # deviation 707, t(0.975, 1) = 12.706: the half width is 6353, the mean 600
    assert headline([100.0, 1100.0]).low == 0.0


def test_no_trial_has_no_headline():
    with pytest.raises(ValueError, match="no trial"):
        headline([])
