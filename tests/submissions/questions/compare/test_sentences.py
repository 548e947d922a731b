"""A comparison in words, for each verdict."""

from decimal import Decimal

from submissions.analysis.compare import Measured, Spreads, compare, compare_all
from submissions.analysis.significance import PooledSpread
from submissions.questions.compare.sentences import verdict

AWS = Measured(
    name="3× m3.2xlarge · AWS",
    workload="f1",
    throughputs=(90748.0,),
    ops_per_usd=Decimal(90748) * 3600 / Decimal("1.596"),
)
GCE = Measured(
    name="3× n1-standard-8 · Google Cloud",
    workload="f1",
    throughputs=(111394.0,),
    ops_per_usd=Decimal(111394) * 3600 / Decimal("0.912"),
)


def of(*throughputs, name="x", **more):
    return Measured(name=name, workload="f1", throughputs=throughputs, **more)


def words(a, b, spreads=None):
    return verdict(a, b, compare(a, b, spreads))


def test_one_trial_each_is_inconclusive():
    assert words(AWS, GCE) == (
        "3× n1-standard-8 · Google Cloud is 22.8 % faster than 3× m3.2xlarge · AWS "
        "and delivers 2.15 times as much per dollar. With one trial each this is inconclusive; "
        "2 to 6 more trials per side would settle it at the 6 to 12 % noise usual on clouds."
    )
    assert words(GCE, AWS) == (
        "3× m3.2xlarge · AWS is 18.5 % slower than 3× n1-standard-8 · Google Cloud "
        "and delivers 53.4 % less per dollar. With one trial each this is inconclusive; "
        "2 to 6 more trials per side would settle it at the 6 to 12 % noise usual on clouds."
    )


def test_the_noise_of_other_results_is_named_as_the_basis():
    spreads = Spreads(throughput=PooledSpread(0.05, 40))

    assert words(AWS, GCE, spreads) == (
        "3× n1-standard-8 · Google Cloud is 22.8 % faster than 3× m3.2xlarge · AWS "
        "(95 % interval: 6.4 to 41.6 % faster) and delivers 2.15 times as much per dollar. "
        "The noise is estimated from other results for this workload."
    )


def test_trials_without_any_spread_are_inconclusive():
    assert words(of(100.0, 100.0), of(150.0, 150.0)) == (
        "x is 50.0 % faster than x. With 2 trials each this is inconclusive; "
        "1 more trial per side would settle it at the 6 to 12 % noise usual on clouds."
    )


def test_unequal_numbers_of_trials_are_both_named():
    assert "With 1 and 2 trials this is inconclusive" in words(of(100.0, 100.0), of(150.0))


def test_equal_single_trials_are_as_fast_and_need_more_trials_than_can_be_run():
    assert words(of(100.0, name="a"), of(100.0, name="b")) == (
        "b is as fast as a. With one trial each this is inconclusive."
    )


def test_a_difference_within_noise_says_how_many_trials_would_detect_it():
    assert words(of(1000.0, 1050.0, 950.0, name="a"), of(1040.0, 1090.0, 990.0, name="b")) == (
        "There is no measurable difference in throughput between b and a: the difference of 4.0 % is within noise. "
        "Detecting a difference of this size would take 23 more trials per side."
    )


def test_a_difference_that_only_several_comparisons_hide_says_so():
    first = of(1000.0, 1020.0, 980.0, name="a")
    other = of(1060.0, 1080.0, 1040.0, name="b")
    among = compare_all(first, [other, *(of(1000.0, 1025.0, 975.0, name=name) for name in "cdefg")])[0]

    assert "the difference of 6.0 % is within noise after correcting for 6 comparisons" in verdict(first, other, among)


def test_a_slower_system_may_deliver_more_per_dollar():
    a = of(1000.0, 1010.0, 990.0, name="a", ops_per_usd=Decimal(100))
    b = of(700.0, 710.0, 690.0, name="b", ops_per_usd=Decimal(140))

    assert words(a, b) == (
        "b is 30.0 % slower than a (95 % interval: 27.9 to 32.0 % slower), but delivers 40 % more per dollar."
    )


def test_equally_fast_systems_may_differ_per_dollar():
    a = of(1000.0, 1050.0, 950.0, name="a", ops_per_usd=Decimal(100))
    b = of(1000.0, 1040.0, 960.0, name="b", ops_per_usd=Decimal(200))

    assert words(a, b) == (
        "There is no measurable difference in throughput between b and a: the difference of 0.0 % is within noise. "
        "b delivers 2 times as much per dollar."
    )


def test_a_value_within_noise_is_marked():
    a = of(1000.0, 1010.0, 990.0, name="a", ops_per_usd=Decimal(100))
    b = of(1100.0, 1110.0, 1090.0, name="b", ops_per_usd=Decimal("100.1"))

    assert words(a, b).endswith("and delivers 0.1 % more per dollar, a difference within noise.")


def test_figures_without_a_common_unit_are_not_compared():
    relative = of(1.0, relative_base="existing = 1", name="a")

    assert words(of(name="a"), of(100.0, name="b")) == (
        "b and a cannot be compared: one of them has only a relative figure."
    )
    assert words(relative, of(0.8, relative_base="native = 100", name="c")) == (
        "c and a cannot be compared: their figures are relative to different baselines."
    )


def test_different_workloads_have_no_verdict():
    other = Measured(name="b", workload="f2", throughputs=(200.0, 201.0))

    assert words(of(100.0, 101.0, name="a"), other) == (
        "b and a are for different workloads, so their figures do not show which system is faster."
    )
