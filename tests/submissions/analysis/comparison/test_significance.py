"""Statistics against scipy and published worked examples."""

from math import exp, log, sqrt
from statistics import variance

import pytest
from scipy.stats import t, ttest_ind

from submissions.analysis.comparison import significance
from submissions.analysis.comparison.significance import (
    PooledSpread,
    difference,
    pooled_from_variances,
    pooled_spread,
    rank_test,
    t_of,
)

# Welch's t-test, example 1 of its Wikipedia article: t = -2.46, 25.0 degrees of freedom, p = 0.021
A1 = (27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4)
A2 = (27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4)


def test_welch_agrees_with_a_published_example():
    # of figures whose logs are the example's
    found = difference([exp(x) for x in A2], [exp(x) for x in A1])

    assert round(found.log_ratio / found.standard_error, 2) == -2.46
    assert round(found.freedom, 1) == 25.0
    assert round(found.p_value, 3) == 0.021


def test_welch_agrees_with_scipy_to_nine_digits():
    a, b = (980.0, 1010.0, 1075.0, 940.0), (1100.0, 1290.0, 1083.0, 1201.0)
    expected = ttest_ind([log(x) for x in b], [log(x) for x in a], equal_var=False)
    low, high = expected.confidence_interval(0.95)

    found = difference(a, b)

    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.interval == pytest.approx((exp(low), exp(high)), rel=1e-9)


def test_few_trials_against_many_get_the_wider_interval_of_student():
    a, b = (1000.0, 1001.0), (900.0, 1000.0, 1100.0, 950.0, 1050.0, 1020.0)
    expected = ttest_ind([log(x) for x in b], [log(x) for x in a], equal_var=True)

    assert difference(a, b).p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_mann_whitney_agrees_with_a_published_example():
    # ages at diagnosis of diabetes, from scipy's own documentation: exact p = 0.1111
    assert rank_test([20, 11, 17, 12], [19, 22, 16, 29, 24]) == pytest.approx(1 / 9, rel=1e-9)


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 30), (2, 7), (3, 3)])
def test_ranks_say_nothing_where_they_could_never_reach_five_percent(n_a, n_b):
    assert rank_test(range(1, n_a + 1), range(100, 100 + n_b)) is None


def test_the_pooled_spread_weighs_each_submission_by_its_degrees_of_freedom():
    many, few = (1.0, exp(0.1), exp(0.2), exp(0.1)), (1.0, exp(0.4))
    by_hand = sqrt((3 * variance([0, 0.1, 0.2, 0.1]) + 1 * variance([0, 0.4])) / 4)

    assert pooled_spread([many, few, (7.0,)]) == PooledSpread(pytest.approx(by_hand), 4)


def test_submissions_of_one_trial_have_no_pooled_spread():
    assert pooled_spread([(1.0,), (2.0,)]) is None
    assert pooled_from_variances([(1, 0.0)]) is None


def test_the_cv_of_log_normal_noise_comes_back():
    assert PooledSpread(sqrt(log(1 + 0.08**2)), 9).cv == pytest.approx(0.08)


def test_without_any_spread_nothing_is_known_of_the_noise():
    assert difference((1000.0,), (1300.0,)) is None
    assert difference((1000.0, 1000.0), (1300.0, 1300.0)) is None


def test_the_quantiles_are_scipys():
    assert t_of(0.05, 10) == pytest.approx(t.ppf(0.975, 10), rel=1e-9)


def test_the_fast_variance_is_that_of_the_standard_library():
    figures = [1.5, 2.25, 9.0, 1e-3]

    assert significance.variance(figures) == pytest.approx(variance(figures), rel=1e-12)
