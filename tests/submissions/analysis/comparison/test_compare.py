"""Verdicts on two submissions: the published GCE and AWS pair, and trials with known intervals."""

from decimal import Decimal
from math import exp, log

import pytest

from submissions.analysis.comparison.compare import Measured, Noise, compare
from submissions.analysis.comparison.noise import NoiseFrom, Runs, WorkloadNoise
from submissions.analysis.comparison.significance import PooledSpread
from submissions.analysis.comparison.verdicts import Verdict
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


def test_one_run_each_of_the_published_pair_needs_more():
    throughput = compare(AWS, GCE, Noise(WorkloadNoise(configurations=3))).throughput.judgement

    # log 1.2275 = 0.205: with 6 % between runs and 3 % inside, five of each have a power of 80 %
    assert (throughput.verdict, throughput.noise_from) == (Verdict.INCONCLUSIVE, NoiseFrom.CLOUDS)
    assert throughput.runs_needed == 4


def test_a_p99_is_judged_by_the_upper_end_of_the_usual_noise():
    throughput, p99 = compare(AWS, GCE).throughput.judgement, compare(AWS, GCE).latency_p99.judgement

    assert (round(throughput.noise, 3), round(p99.noise, 3)) == (0.067, 0.124)
    assert p99.verdict == Verdict.INCONCLUSIVE


def test_the_noise_of_the_workload_is_taken_before_the_usual_one():
    noise = Noise(WorkloadNoise(of_runs=PooledSpread(0.05, 40)))

    throughput = compare(AWS, GCE, noise).throughput.judgement

    # 0.205 -+ t(0.98, 40) x 0.05 x sqrt(2) = 2.1229 x 0.07071
    assert (throughput.verdict, throughput.noise_from) == (Verdict.BETTER, NoiseFrom.WORKLOAD)
    assert throughput.interval == pytest.approx((1.0564, 1.4263), abs=1e-4)


def test_trials_alone_are_an_interval_in_these_runs_and_no_verdict():
    # logs of b: 1, 1.1, 1.2 (mean 1.1, variance 0.01); of a: 0, 0.05, 0.1 (mean 0.05, variance 0.0025)
    # se^2 = 0.01/3 + 0.0025/3 = 0.0041667; df = se^4 / (0.0033333^2/2 + 0.00083333^2/2) = 2.94118
    # t(0.975, 2.94118) = 3.221: 1.05 -+ 3.221 x 0.064550 = 0.8421 and 1.2579
    found = compare(of(1.0, exp(0.05), exp(0.1)), of(exp(1.0), exp(1.1), exp(1.2))).throughput

    assert found.in_these_runs == pytest.approx((exp(0.8421), exp(1.2579)), rel=2e-3)
    assert found.judgement.interval != found.in_these_runs


def test_a_difference_that_trials_show_and_runs_do_not_is_inconclusive():
    """3 % inside: trials alone called this pair better, and were wrong in 43 % of equal pairs."""
    found = compare(of(1000.0, 1010.0, 990.0), of(1100.0, 1110.0, 1090.0)).throughput

    assert found.in_these_runs[0] > 1
    assert found.judgement.verdict == Verdict.INCONCLUSIVE


def test_the_interval_is_about_all_runs_where_there_are_several():
    runs = [Runs(2, log(1000.0), 0.0002), Runs(3, log(1500.0), 0.0002)]
    a, b = (of(figure, runs=own) for figure, own in zip((990.0, 1600.0), runs, strict=True))

    found = compare(a, b).throughput

    assert found.ratio == pytest.approx(1600 / 990)
    assert found.judgement.ratio_over_runs == pytest.approx(1.5)
    assert (found.judgement.runs, found.judgement.verdict) == ((2, 3), Verdict.BETTER)


def test_lower_latency_is_better():
    a = of(1.0, p99_ms=10.0, trial_p99s_ms=(10.0, 10.2, 9.8), latency_kind=LatencyKind.SERVICE_TIME)
    b = of(1.0, p99_ms=5.0, trial_p99s_ms=(5.0, 5.1, 4.9), latency_kind=LatencyKind.SERVICE_TIME)

    assert compare(a, b).latency_p99.judgement.verdict == Verdict.BETTER


def test_the_interval_per_dollar_is_that_of_the_throughput_scaled_by_the_costs():
    a = of(100.0, 102.0, 98.0, ops_per_usd=Decimal(100))
    b = of(150.0, 152.0, 148.0, ops_per_usd=Decimal(50))  # three times the cost

    comparison = compare(a, b)

    low, high = comparison.throughput.judgement.interval
    assert comparison.ops_per_usd.judgement.interval == pytest.approx((low / 3, high / 3))
    assert comparison.ops_per_usd.judgement.verdict == Verdict.WORSE
    assert comparison.throughput.judgement.verdict == Verdict.BETTER


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
    assert comparison.throughput.judgement is None


@pytest.mark.parametrize(
    ("bound_a", "bound_b", "is_compared"),
    [
        ("YCSB read", "YCSB read", True),
        ("YCSB read", "YCSB update", False),
        ("YCSB read", "", False),
        (None, None, False),
    ],
)
def test_a_p99_that_is_a_bound_is_compared_with_one_of_the_same_type_of_operation_only(bound_a, bound_b, is_compared):
    a = of(1.0, p99_ms=4.0, latency_kind=LatencyKind.SERVICE_TIME, p99_bound=bound_a)
    b = of(1.0, p99_ms=3.0, latency_kind=LatencyKind.SERVICE_TIME, p99_bound=bound_b)

    assert (compare(a, b).latency_p99 is not None) == is_compared
