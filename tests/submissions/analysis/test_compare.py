"""Verdicts on two submissions: the published GCE and AWS pair, and trials with known intervals."""

from decimal import Decimal
from math import exp

import pytest

from submissions.analysis.compare import Basis, Measured, Spreads, Verdict, compare, compare_all
from submissions.analysis.significance import PooledSpread
from submissions.choices import LatencyKind

AWS = Measured(
    name="3 x m3.2xlarge on aws",
    workload="f1",
    throughputs=(90748.0,),
    ops_per_usd=Decimal(90748) * 3600 / Decimal("1.596"),
    p99_ms=4.0,
    trial_p99s_ms=(4.0,),
    latency_kind=LatencyKind.SERVICE_TIME,
)
GCE = Measured(
    name="3 x n1-standard-8 on gce",
    workload="f1",
    throughputs=(111394.0,),
    ops_per_usd=Decimal(111394) * 3600 / Decimal("0.912"),
    p99_ms=3.0,
    trial_p99s_ms=(3.0,),
    latency_kind=LatencyKind.SERVICE_TIME,
)


def of(*throughputs, name="x", **more):
    return Measured(name=name, workload="f1", throughputs=throughputs, **more)


def test_the_published_pair_is_22_8_percent_and_2_15_times_per_dollar():
    comparison = compare(AWS, GCE)

    assert comparison.throughput.ratio == pytest.approx(1.22751, abs=1e-5)
    assert comparison.ops_per_usd.ratio == pytest.approx(2.14814, abs=1e-5)
    assert comparison.latency_p99.ratio == 0.75


def test_one_trial_has_no_interval_and_the_trials_needed_at_the_usual_noise():
    comparison = compare(AWS, GCE)

    for ratio in (comparison.throughput, comparison.ops_per_usd, comparison.latency_p99):
        assert (ratio.interval, ratio.verdict, ratio.basis) == (None, Verdict.TOO_FEW_TRIALS, Basis.USUAL)
    # log 1.2275 = 0.205 at a deviation of 0.12: 7 trials have a power of 0.84, 6 one of 0.76
    assert (comparison.throughput.trials_needed_low, comparison.throughput.trials_needed) == (2, 6)


def test_the_spread_of_the_workload_stands_in_for_trials_that_one_side_lacks():
    spreads = Spreads(throughput=PooledSpread(0.05, 40))

    throughput = compare(AWS, GCE, spreads).throughput

    # 0.205 -+ t(0.975, 40) x 0.05 x sqrt(2) = 2.0211 x 0.07071
    low, high = throughput.interval
    assert (throughput.verdict, throughput.basis) == (Verdict.BETTER, Basis.WORKLOAD)
    assert (low, high) == (pytest.approx(1.0640, abs=1e-4), pytest.approx(1.4161, abs=1e-4))


def test_several_comparisons_on_a_page_need_more_evidence_each():
    first = of(1000.0, 1020.0, 980.0, name="a")
    others = [of(1060.0, 1080.0, 1040.0, name=name) for name in "bcdefg"]

    alone = compare(first, others[0])
    among = compare_all(first, [*others[:1], *(of(1000.0, 1025.0, 975.0, name=name) for name in "cdefg")])[0]

    assert alone.throughput.verdict == Verdict.BETTER
    assert among.throughput.verdict == Verdict.WITHIN_NOISE
    assert among.throughput.p_value == pytest.approx(6 * alone.throughput.p_value)


def test_the_interval_is_welchs_on_the_logs_of_the_trials():
    # logs of b: 1, 1.1, 1.2 (mean 1.1, variance 0.01); of a: 0, 0.05, 0.1 (mean 0.05, variance 0.0025)
    # se^2 = 0.01/3 + 0.0025/3 = 0.0041667; df = se^4 / (0.0033333^2/2 + 0.00083333^2/2) = 2.94118
    # t(0.975, 2.94118) = 3.221: 1.05 -+ 3.221 x 0.064550 = 0.8421 and 1.2579
    comparison = compare(of(1.0, exp(0.05), exp(0.1)), of(exp(1.0), exp(1.1), exp(1.2)))

    low, high = comparison.throughput.interval
    assert low == pytest.approx(exp(0.8421), rel=2e-3)
    assert high == pytest.approx(exp(1.2579), rel=2e-3)
    assert comparison.throughput.verdict == Verdict.BETTER


def test_slower_beyond_noise_is_worse():
    comparison = compare(of(1000.0, 1010.0, 990.0), of(700.0, 710.0, 690.0))

    assert comparison.throughput.verdict == Verdict.WORSE


def test_lower_latency_is_better():
    a = of(1.0, p99_ms=10.0, trial_p99s_ms=(10.0, 10.2, 9.8), latency_kind=LatencyKind.SERVICE_TIME)
    b = of(1.0, p99_ms=5.0, trial_p99s_ms=(5.0, 5.1, 4.9), latency_kind=LatencyKind.SERVICE_TIME)

    assert compare(a, b).latency_p99.verdict == Verdict.BETTER


def test_within_noise_says_how_many_more_trials_would_settle_it():
    # log ratio 0.0394, deviations of the logs 0.0501 and 0.0482: d = 0.801, Cohen's 26 trials of each
    a, b = of(1000.0, 1050.0, 950.0), of(1040.0, 1090.0, 990.0)

    throughput = compare(a, b).throughput

    assert throughput.verdict == Verdict.WITHIN_NOISE
    assert throughput.trials_needed == 23


def test_equal_means_need_more_trials_than_can_be_said():
    throughput = compare(of(990.0, 1010.0), of(990.0, 1010.0)).throughput

    assert (throughput.verdict, throughput.trials_needed) == (Verdict.WITHIN_NOISE, None)


def test_equal_trials_do_not_mean_that_there_is_no_noise():
    # figures of a tool that rounds: the spread is unknown, not zero
    throughput = compare(of(100.0, 100.0), of(150.0, 150.0)).throughput

    assert (throughput.interval, throughput.verdict) == (None, Verdict.TOO_FEW_TRIALS)


def test_the_interval_per_dollar_is_that_of_the_throughput_scaled_by_the_costs():
    a = of(100.0, 102.0, 98.0, ops_per_usd=Decimal(100))
    b = of(110.0, 112.0, 108.0, ops_per_usd=Decimal(55))  # twice the cost

    comparison = compare(a, b)

    low, high = comparison.throughput.interval
    assert comparison.ops_per_usd.interval == pytest.approx((low / 2, high / 2))
    assert comparison.ops_per_usd.verdict == Verdict.WORSE
    assert comparison.throughput.verdict == Verdict.BETTER


@pytest.mark.parametrize(
    ("kind_a", "kind_b"),
    [
        (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME),
        (LatencyKind.UNKNOWN, LatencyKind.UNKNOWN),
        (LatencyKind.UNKNOWN, LatencyKind.SERVICE_TIME),
    ],
)
def test_latencies_are_compared_only_within_one_known_kind(kind_a, kind_b):
    a = of(1.0, p99_ms=4.0, latency_kind=kind_a)
    b = of(1.0, p99_ms=3.0, latency_kind=kind_b)

    assert compare(a, b).latency_p99 is None


def test_an_unpriced_side_has_no_ratio_per_dollar():
    comparison = compare(of(100.0, ops_per_usd=Decimal(1)), of(200.0))

    assert comparison.ops_per_usd is None
    assert comparison.throughput.ratio == 2.0


def test_a_relative_figure_is_compared_with_nothing():
    comparison = compare(of(name="a"), of(100.0, name="b"))

    assert comparison.throughput is None


def test_relative_figures_of_one_base_are_compared_and_of_two_are_not():
    base = of(1.0, relative_base="existing = 1", name="a", ops_per_usd=Decimal(36))
    same = of(0.8, relative_base="existing = 1", name="b", ops_per_usd=Decimal(72))
    other = of(0.8, relative_base="native = 100", name="c")

    assert (compare(base, same).throughput.ratio, compare(base, same).ops_per_usd.ratio) == (0.8, 2.0)
    assert compare(base, other).throughput is None


def test_different_workloads_get_a_ratio_and_no_verdict():
    other = Measured(name="b", workload="f2", throughputs=(200.0, 201.0))

    comparison = compare(of(100.0, 101.0, name="a"), other)

    assert not comparison.same_workload
    assert comparison.throughput.verdict is None
