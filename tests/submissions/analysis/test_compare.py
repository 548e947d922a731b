"""Verdicts on two submissions: the published GCE and AWS pair, and trials with known intervals."""

from decimal import Decimal
from math import exp

import pytest

from submissions.analysis.compare import Measured, Ratio, Verdict, compare
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
    assert comparison.sentence == (
        "3 x n1-standard-8 on gce did 22.8 % more operations a second than 3 x m3.2xlarge on aws, "
        "and 2.15 times the operations per dollar; "
        "one trial each is too few to tell how much of that is noise."
    )


def test_one_trial_has_no_interval_and_no_verdict_but_too_few_trials():
    comparison = compare(AWS, GCE)

    for ratio in (comparison.throughput, comparison.ops_per_usd, comparison.latency_p99):
        assert (ratio.interval, ratio.verdict, ratio.trials_needed) == (
            None,
            Verdict.TOO_FEW_TRIALS,
            None,
        )


def test_the_interval_is_welchs_on_the_logs_of_the_trials():
    # logs of b: 1, 1.1, 1.2 (mean 1.1, variance 0.01); of a: 0, 0.1 (mean 0.05, variance 0.005)
    # se^2 = 0.01/3 + 0.005/2 = 0.0058333; df = se^4 / (0.0033333^2/2 + 0.0025^2/1) = 2.88235
    # t(0.975, 2.88235) = 3.260: 1.05 -+ 3.260 x 0.076376 = 0.80101 and 1.29899
    comparison = compare(of(1.0, exp(0.1)), of(exp(1.0), exp(1.1), exp(1.2)))

    low, high = comparison.throughput.interval
    assert low == pytest.approx(exp(0.8010), rel=2e-3)
    assert high == pytest.approx(exp(1.2990), rel=2e-3)
    assert comparison.throughput.verdict == Verdict.BETTER


def test_slower_beyond_noise_is_worse():
    comparison = compare(of(1000.0, 1010.0, 990.0), of(700.0, 710.0, 690.0))

    assert comparison.throughput.verdict == Verdict.WORSE


def test_lower_latency_is_better():
    a = of(1.0, p99_ms=10.0, trial_p99s_ms=(10.0, 10.2, 9.8), latency_kind=LatencyKind.SERVICE_TIME)
    b = of(1.0, p99_ms=5.0, trial_p99s_ms=(5.0, 5.1, 4.9), latency_kind=LatencyKind.SERVICE_TIME)

    assert compare(a, b).latency_p99.verdict == Verdict.BETTER


def test_within_noise_says_how_many_more_trials_would_tell():
    # log ratio 0.0392, variances of the logs about 0.0025: n trials a side tell it once
    # t(2n - 2)^2 x 0.005 / n < 0.0392^2, so n > 3.25 t^2: 13 is below 3.25 x 2.064^2, 14 is enough
    a, b = of(1000.0, 1050.0, 950.0), of(1040.0, 1090.0, 990.0)

    throughput = compare(a, b).throughput

    assert throughput.verdict == Verdict.WITHIN_NOISE
    assert throughput.trials_needed == 11
    assert "11 more trials of each" in compare(a, b).sentence


def test_equal_means_need_more_trials_than_can_be_said():
    throughput = compare(of(990.0, 1010.0), of(990.0, 1010.0)).throughput

    assert (throughput.verdict, throughput.trials_needed) == (Verdict.WITHIN_NOISE, None)


def test_trials_without_spread_have_an_interval_without_width():
    assert compare(of(100.0, 100.0), of(150.0, 150.0)).throughput == Ratio(1.5, (1.5, 1.5), Verdict.BETTER, None)


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
    assert comparison.sentence == "b and a cannot be compared: one has only a relative figure."


def test_different_workloads_get_a_ratio_and_no_verdict():
    other = Measured(name="b", workload="f2", throughputs=(200.0, 201.0))

    comparison = compare(of(100.0, 101.0, name="a"), other)

    assert not comparison.same_workload
    assert comparison.throughput.verdict is None
    assert comparison.sentence == ("b and a ran different workloads: their figures do not say which system is better.")
