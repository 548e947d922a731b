"""Statistics against scipy and published worked examples; verdicts against simulated noise."""

from math import exp, log, sqrt
from statistics import variance

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from submissions.analysis.compare import Measured, Spreads, Verdict, compare, compare_all
from submissions.analysis.significance import (
    PooledSpread,
    difference,
    holm,
    pooled_from_variances,
    pooled_spread,
    rank_test,
    trials_needed,
)

# Welch's t-test, example 1 of its Wikipedia article: t = -2.46, 25.0 degrees of freedom, p = 0.021
A1 = (27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4)
A2 = (27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4)

NOISE = 0.08  # coefficient of variation
SD = sqrt(log(1 + NOISE**2))  # of the logs of log-normal noise
PAIRS = 2_000

positive = st.floats(min_value=1e-3, max_value=1e9)
samples = st.lists(positive, min_size=1, max_size=6).map(tuple)


def trials(random, n, times=1.0):
    return tuple(float(x) for x in 1000 * times * numpy.exp(random.normal(0, SD, n)))


def of(*throughputs):
    return Measured(name="x", workload="w", throughputs=throughputs)


def verdicts(n_a, n_b, times, spreads=None):
    random = numpy.random.default_rng(20261120)
    return [
        compare(of(*trials(random, n_a)), of(*trials(random, n_b, times)), spreads).throughput.verdict
        for _ in range(PAIRS)
    ]


def share(found, *wanted):
    return sum(verdict in wanted for verdict in found) / len(found)


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


def test_holm_agrees_with_a_published_example():
    # Wikipedia, Holm-Bonferroni method: H4 and H1 are rejected at 0.05, H3 and H2 are not
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], rel=1e-12)


def test_one_comparison_needs_no_correction_and_none_is_nothing():
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


@pytest.mark.parametrize(("distance", "needed"), [(0.8, 26), (1.0, 17), (0.5, 64)])
def test_the_trials_needed_are_those_of_cohens_tables(distance, needed):
    # Cohen, Statistical power analysis, 1988, table 2.4.1: two-sided 5 %, power 0.8
    assert trials_needed(distance, 1.0, 1.0) == needed


def test_a_difference_too_small_to_plan_for_has_no_number_of_trials():
    assert trials_needed(0.2, 1.0, 1.0) is None
    assert trials_needed(0.0, 1.0, 1.0) is None


def test_two_trials_are_the_least_that_a_plan_asks_for():
    assert trials_needed(5.0, 0.01, 0.01) == 2


def test_the_pooled_spread_weighs_each_submission_by_its_degrees_of_freedom():
    many, few = (1.0, exp(0.1), exp(0.2), exp(0.1)), (1.0, exp(0.4))
    by_hand = sqrt((3 * variance([0, 0.1, 0.2, 0.1]) + 1 * variance([0, 0.4])) / 4)

    assert pooled_spread([many, few, (7.0,)]) == PooledSpread(pytest.approx(by_hand), 4)


def test_submissions_of_one_trial_have_no_pooled_spread():
    assert pooled_spread([(1.0,), (2.0,)]) is None
    assert pooled_from_variances([(1, 0.0)]) is None


def test_the_cv_of_log_normal_noise_comes_back():
    assert PooledSpread(SD, 9).cv == pytest.approx(NOISE)


def test_with_one_trial_a_side_the_error_is_that_of_the_workload():
    found = difference((1000.0,), (1300.0,), PooledSpread(0.08, 20))

    assert found.is_pooled
    assert found.standard_error == pytest.approx(0.08 * sqrt(2))
    assert found.freedom == 20


def test_without_any_spread_nothing_is_known_of_the_noise():
    assert difference((1000.0,), (1300.0,)) is None
    assert difference((1000.0, 1000.0), (1300.0, 1300.0)) is None


@pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (3, 3), (5, 5), (2, 10), (3, 10)])
def test_equal_systems_are_told_apart_in_at_most_five_percent_of_pairs(n_a, n_b):
    assert share(verdicts(n_a, n_b, 1.0), Verdict.BETTER, Verdict.WORSE) <= 0.05


def test_equal_systems_of_one_trial_are_told_apart_no_more_often_than_chance_allows():
    # the pooled test is exact: 5 % is its mean, and 2,000 pairs come within three deviations of it
    random = numpy.random.default_rng(7)
    wrong = 0
    for _ in range(PAIRS):
        # four other submissions of the workload with three trials each
        pooled = pooled_spread([trials(random, 3) for _ in range(4)])
        wrong += difference(trials(random, 1), trials(random, 1), pooled).p_value <= 0.05

    assert wrong / PAIRS == pytest.approx(0.05, abs=3 * sqrt(0.05 * 0.95 / PAIRS))


def test_five_comparisons_of_equal_systems_on_one_page_are_all_within_noise_in_95_percent_of_pages():
    random = numpy.random.default_rng(3)
    pages = 600
    wrong = 0
    for _ in range(pages):
        first, *others = [of(*trials(random, 4)) for _ in range(6)]
        found = [one.throughput.verdict for one in compare_all(first, others)]
        wrong += Verdict.BETTER in found or Verdict.WORSE in found

    assert wrong / pages <= 0.05


def test_a_true_difference_of_ten_percent_is_found_with_the_trials_that_were_asked_for():
    spreads = Spreads(throughput=PooledSpread(SD, 60))
    asked = compare(of(1000.0), of(1100.0), spreads).throughput
    n = 1 + asked.trials_needed

    found = verdicts(n, n, 1.1)

    assert asked.verdict == Verdict.WITHIN_NOISE
    assert share(found, Verdict.BETTER) >= 0.8
    assert share(found, Verdict.WORSE) == 0


@given(a=samples, b=samples)
def test_a_verdict_never_points_away_from_the_ratio(a, b):
    found = compare(of(*a), of(*b), Spreads(throughput=PooledSpread(0.05, 10))).throughput

    assert found.ratio > 0
    assert found.interval is None or 0 < found.interval[0] <= found.interval[1] < float("inf")
    assert found.verdict != Verdict.BETTER or found.ratio > 1
    assert found.verdict != Verdict.WORSE or found.ratio < 1


@given(a=samples, b=samples)
def test_turned_around_the_verdict_is_the_opposite(a, b):
    opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}

    there = compare(of(*a), of(*b)).throughput
    back = compare(of(*b), of(*a)).throughput

    assert back.verdict == opposite.get(there.verdict, there.verdict)


@given(st.lists(st.floats(min_value=0, max_value=1), max_size=12))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(p_values):
    found = holm(p_values)

    assert all(p <= corrected <= 1 for p, corrected in zip(p_values, found, strict=True))
    assert [p for _, p in sorted(zip(p_values, found, strict=True))] == sorted(found)
