"""A comparison in words, for each verdict."""

from datetime import UTC, datetime
from decimal import Decimal
from math import log

from submissions.analysis.comparison.compare import Measured, Noise, compare
from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.significance import PooledSpread
from submissions.analysis.comparison.verdicts import Series
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


def words(a, b, noise=None):
    return verdict(a, b, compare(a, b, noise))


def test_one_run_each_is_inconclusive_and_says_what_is_missing_in_runs():
    noise = Noise(WorkloadNoise(configurations=3))

    assert words(AWS, GCE, noise) == (
        "3× n1-standard-8 · Google Cloud is 22.8 % faster than 3× m3.2xlarge · AWS "
        "and delivers 2.15 times as much per dollar. With one run each this is inconclusive (95 % interval: "
        "4.4 % slower to 57.5 % faster); 4 more runs of each (separate launches, on another day) would detect a "
        "difference of this size. Assuming the usual noise of clouds, 6 % from run to run."
    )
    assert words(GCE, AWS, noise).startswith(
        "3× m3.2xlarge · AWS is 18.5 % slower than 3× n1-standard-8 · Google Cloud "
        "and delivers 53.4 % less per dollar. With one run each this is inconclusive"
    )


def test_the_noise_of_other_results_is_named():
    noise = Noise(WorkloadNoise(of_runs=PooledSpread(0.05, 40)))

    assert words(AWS, GCE, noise) == (
        "3× n1-standard-8 · Google Cloud is 22.8 % faster than 3× m3.2xlarge · AWS "
        "(95 % interval: 5.6 to 42.6 % faster) and delivers 2.15 times as much per dollar. "
        "Runs of other configurations of this workload vary by 5 %."
    )


def test_runs_of_the_same_configurations_are_counted_and_their_noise_named():
    a = of(1000.0, name="a", runs=Runs(2, log(1000.0), 0.0004))
    b = of(1500.0, name="b", runs=Runs(4, log(1500.0), 0.0004))

    assert words(a, b).startswith("b is 50.0 % faster than a (over 4 and 2 runs 50.0 % faster, 95 % interval: ")
    assert words(a, b).endswith(" Runs of these configurations vary by 2 %.")


def test_what_was_measured_in_turns_is_said():
    starts = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 4)]
    a, b = (
        of(*trials, name=name, series=Series("s", tuple(starts)))
        for name, trials in (("a", (1000.0, 900.0, 1100.0)), ("b", (1500.0, 1352.0, 1649.0)))
    )

    assert words(a, b).endswith(" Measured in turns and compared round by round (3 rounds).")


def test_a_small_difference_is_within_noise_and_says_what_would_detect_it():
    assert words(of(1000.0, name="a"), of(1015.0, name="b")) == (
        "There is no measurable difference in throughput between b and a: the difference of 1.5 % is within noise "
        "(95 % interval: 17.2 % slower to 24.4 % faster). Assuming the usual noise of clouds, 6 % from run to run."
    )


def test_equal_figures_are_within_noise():
    text = words(of(100.0, name="a"), of(100.0, name="b"))

    assert text.startswith("There is no measurable difference in throughput between b and a: the difference of 0.0 %")
    assert "more run" not in text


def test_a_slower_system_may_deliver_more_per_dollar():
    a = of(1000.0, name="a", ops_per_usd=Decimal(100))
    b = of(700.0, name="b", ops_per_usd=Decimal(140))

    assert words(a, b).startswith("b is 30.0 % slower than a (95 % interval: ")
    assert " % slower), but delivers 40 % more per dollar." in words(a, b)


def test_equally_fast_systems_may_differ_per_dollar():
    a = of(1000.0, name="a", ops_per_usd=Decimal(100))
    b = of(1000.0, name="b", ops_per_usd=Decimal(200))

    assert ". b delivers 2 times as much per dollar." in words(a, b)


def test_a_value_that_is_not_conclusive_is_marked():
    a = of(1000.0, name="a", ops_per_usd=Decimal(100))
    b = of(1500.0, name="b", ops_per_usd=Decimal("100.1"))

    assert "and delivers 0.1 % more per dollar, a difference that is not conclusive." in words(a, b)


def test_figures_without_a_common_unit_are_not_compared():
    relative = of(1.0, relative_base="existing = 1", name="a")

    assert words(of(name="a"), of(100.0, name="b")) == (
        "b and a cannot be compared: one of them is known only relative to a baseline."
    )
    assert words(relative, of(0.8, relative_base="native = 100", name="c")) == (
        "c and a cannot be compared: their figures are relative to different baselines."
    )


def test_different_workloads_have_no_verdict():
    other = Measured(name="b", workload="f2", throughputs=(200.0, 201.0))

    assert words(of(100.0, 101.0, name="a"), other) == (
        "b and a are for different workloads, so their figures do not show which system is faster."
    )
