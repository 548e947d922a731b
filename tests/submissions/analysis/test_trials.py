"""Headline of trials, against values worked out by hand from t tables."""

import pytest

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


def test_the_low_end_of_a_rate_is_never_negative():
    # deviation 707, t(0.975, 1) = 12.706: the half width is 6353, the mean 600
    assert headline([100.0, 1100.0]).low == 0.0


def test_no_trial_has_no_headline():
    with pytest.raises(ValueError, match="no trial"):
        headline([])
