"""The eras before 3.10; which file was printed by the tool and which composed: its README.md."""

from dataclasses import replace
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.cassandra_stress import PARSERS

DATA = Path("tests/data/cassandra-stress")


def read(name: str) -> LogReading:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)
    parser = next(parser for parser in PARSERS if parser.matches(lines[:400]))
    return parser.parse(lines)


def without_rows(reading: LogReading) -> LogReading:
    sets = tuple(tuple(replace(trial, intervals=()) for trial in trials) for trials in reading.trial_sets)
    return replace(reading, trial_sets=sets)


def rows(reading: LogReading, trial_set: int = 0) -> tuple[int, Interval, Interval]:
    intervals = reading.trial_sets[trial_set][0].intervals
    return len(intervals), intervals[0], intervals[-1]


TRIAL = TrialReading(throughput_ops_s=None, latency_kind=LatencyKind.SERVICE_TIME)
STOPS_EARLY = "The log stops before its results: the figures come from its interval rows."
NO_END_MARK = "py_stress prints no end mark: whether the run was complete is not known."


def reading(trial: TrialReading, *warnings: str, facts: Facts = Facts()) -> LogReading:  # noqa: B008
    return LogReading("cassandra-stress", facts, ((trial,),), warnings=warnings)


def cut_off(percent: int) -> str:
    return f"The tool cuts elapsed_time to whole seconds: the throughput may be up to {percent} % too high."


def test_py_stress_of_0_6_prints_seconds_and_four_columns():
    log = read("older/composed-060-py-stress.log")

    mean = pytest.approx(
        (6.98312676056 * 14200 + 6.41902127506 * 15511 + 6.51883205957 * 15309 + 5.88146064257 * 4980) / 50000
    )
    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=50000 / 44, operations=50000, duration_s=44.0, latency=Latency(mean=mean)),
        NO_END_MARK,
        cut_off(2),
    )
    assert log.trial_sets[0][0].intervals == (
        Interval("total", 10.0, 14200, None, 1420.0, Latency(mean=6.98312676056)),
        Interval("total", 20.0, 15511, None, 1551.0, Latency(mean=6.41902127506)),
        Interval("total", 30.0, 0, None, 0.0),  # NAN: nothing came back
        Interval("total", 40.0, 15309, None, 1530.0, Latency(mean=6.51883205957)),
        Interval("total", 44.0, 4980, None, 498.0, Latency(mean=5.88146064257)),
    )


def test_py_stress_of_0_7_has_a_key_rate():
    log = read("older/composed-070-py-stress.log")

    mean = pytest.approx((6.11551724138 * 8120 + 5.96842105263 * 8360 + 7.02272727273 * 3520) / 20000)
    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=20000 / 17, operations=20000, duration_s=17.0, latency=Latency(mean=mean)),
        NO_END_MARK,
        cut_off(6),
    )
    assert rows(log) == (
        4,
        Interval("total", 5.0, 8120, None, 1624.0, Latency(mean=6.11551724138)),
        Interval("total", 17.0, 3520, None, 704.0, Latency(mean=7.02272727273)),
    )


def test_stress_jar_of_1_1_prints_seconds():
    log = read("older/cs110-write.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=30000 / 7,
            operations=30000,
            duration_s=7.0,
            latency=Latency(mean=pytest.approx(1.788133333333)),  # awk: sum of avg_latency x operations
        ),
        cut_off(14),
    )
    assert rows(log) == (
        8,
        Interval("total", 1.0, 1759, None, 1759.0, Latency(mean=2.607163160887)),
        Interval("total", 7.0, 71, None, 71.0, Latency(mean=1.408450704225)),
    )


def test_stress_jar_of_1_1_killed():
    log = read("older/cs110-killed.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=4787 / 2,
            operations=4787,
            duration_s=2.0,
            latency=Latency(mean=pytest.approx(1.709630248590)),
            truncated=True,
        ),
        STOPS_EARLY,
        cut_off(50),
    )
    assert rows(log) == (
        2,
        Interval("total", 1.0, 2170, None, 2170.0, Latency(mean=1.766359447005)),
        Interval("total", 2.0, 2617, None, 2617.0, Latency(mean=1.662590752770)),
    )


def test_late_1_2_has_seven_values_under_five_titles():
    log = read("older/cs128-write.log")

    # percentiles of rows make none of the whole; `latency` is a median, so there is no mean either
    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=30000 / 7, operations=30000, duration_s=7.0), cut_off(14)
    )
    assert rows(log) == (
        4,
        Interval("total", 2.0, 8717, None, 4358.0, Latency(p50=1.1, p95=6.0, p999=10.1)),
        Interval("total", 7.0, 5147, None, 2573.0, Latency(p50=1.1, p95=6.1, p999=13.1)),
    )


def test_late_1_2_counts_failed_operations_in_its_total():
    log = read("older/cs128-write-errors.log")

    # 89 lines "Operation [5] retried 1 times - error inserting key 0005"
    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=3911.0, operations=3911, errors=89, duration_s=1.0), cut_off(100)
    )
    assert rows(log) == (
        2,
        Interval("total", 1.0, 2017, None, 2017.0, Latency(p50=2.1, p95=7.0, p999=22.4)),
        Interval("total", 1.0, 1983, None, 1983.0, Latency(p50=1.9, p95=6.3, p999=14.3)),
    )


def test_2_0_0_heads_its_99_9th_percentile_99th():
    log = read("older/composed-200-write.log")

    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=2400.0, operations=60000, duration_s=25.0), cut_off(4)
    )
    assert rows(log) == (
        3,
        Interval("total", 10.0, 21017, None, 2101.0, Latency(p50=1.4, p95=6.6, p999=31.9)),
        Interval("total", 25.0, 12690, None, 1269.0, Latency(p50=1.1, p95=5.7, p999=24.0)),
    )


def test_averages_of_the_middle_rows_of_2_0_are_no_result():
    log = read("older/cs207-write.log")

    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=30000 / 7, operations=30000, duration_s=7.0), cut_off(14)
    )
    assert rows(log) == (
        7,
        Interval("total", 1.0, 2302, None, 2302.0, Latency(p50=1.6, p95=6.4, p999=17.5)),
        Interval("total", 7.0, 2922, None, 2922.0, Latency(p50=1.1, p95=5.6, p999=16.1)),
    )


def test_2_0_in_a_locale_with_decimal_commas():
    log = read("older/cs207-write-german.log")

    assert without_rows(log) == reading(
        replace(TRIAL, throughput_ops_s=4000.0, operations=20000, duration_s=5.0), cut_off(20)
    )
    assert rows(log) == (
        5,
        Interval("total", 1.0, 3388, None, 3388.0, Latency(p50=1.1, p95=6.1, p999=15.0)),
        Interval("total", 5.0, 1897, None, 1897.0, Latency(p50=1.1, p95=6.1, p999=13.1)),
    )


def test_2_1_0_has_its_own_columns_and_no_errors():
    log = read("older/composed-210-write.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=30000 / 2.4,
            operations=30000,
            duration_s=2.4,
            printed_ops_s=12396.0,
            threads=50,
            latency=Latency(4.1, 2.7, 10.7, 24.6, 63.8, 88.0),
        ),
        facts=Facts(operations={"write": 1.0}, threads=50, requested_operations=30000, node_count=1),
    )
    assert rows(log) == (
        3,
        Interval("total", 1.0, 10211, None, 10205.0, Latency(4.9, 3.1, 13.8, 30.2, 71.4, 88.0), 1, 22.0),
        Interval("total", 2.4, 6126, None, 14051.0, Latency(3.5, 2.5, 9.1, 19.7, 44.0, 51.2), 1, 25.0),
    )


def test_2_2_prints_a_summary_without_units():
    log = read("older/cs226-write.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=20000 / 4.6,
            operations=20000,
            errors=0,
            duration_s=4.6,
            printed_ops_s=4375.0,
            threads=8,
            latency=Latency(1.8, 1.1, 6.1, 9.1, 15.1, 31.4),
        ),
        facts=Facts(operations={"write": 1.0}, threads=8, requested_operations=20000),
    )
    assert rows(log) == (
        5,
        Interval("total", 1.0, 3524, 0, 3521.0, Latency(2.2, 1.9, 6.1, 9.6, 24.8, 27.5)),
        Interval("total", 4.6, 2563, 0, 4843.0, Latency(1.6, 1.1, 5.2, 9.1, 12.1, 15.1)),
    )


def test_2_2_mixed_without_a_printed_ratio_has_the_measured_shares():
    log = read("older/cs226-mixed.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=9719 / 2.2,
            operations=9719,
            errors=0,
            duration_s=2.2,
            printed_ops_s=4455.0,
            threads=8,
            latency=Latency(1.8, 1.1, 6.1, 9.1, 14.2, 23.2),
            by_operation=(
                OperationReading("read", 7418, 0, 3402.0, Latency(1.8, 1.1, 6.1, 9.1, 14.5, 23.2)),
                OperationReading("write", 2301, 0, 1055.0, Latency(1.7, 1.1, 6.1, 9.1, 14.1, 22.1)),
            ),
        ),
        facts=Facts(operations={"read": 7418 / 9719, "write": 2301 / 9719}, threads=8, requested_operations=10000),
    )
    assert rows(log) == (
        6,
        Interval("read", 1.0, 3201, 0, 3197.0, Latency(1.9, 1.1, 6.1, 9.1, 16.7, 23.2)),
        Interval("total", 2.2, 5583, 0, 4729.0, Latency(1.7, 1.1, 5.7, 9.1, 14.2, 22.1)),
    )


def test_2_2_auto_is_a_trial_set_for_each_thread_count():
    log = read("older/cs226-auto.log")

    assert [
        (trial.threads, trial.operations, trial.duration_s, trial.throughput_ops_s, trial.latency, len(trial.intervals))
        for (trial,) in log.trial_sets
    ] == [
        (4, 2000, 2000 / 2022, 2022.0, Latency(1.9, 1.1, 6.1, 9.1, 18.1, 20.1), 1),
        (8, 2000, 2000 / 4516, 4516.0, Latency(1.7, 1.1, 6.1, 8.9, 12.1, 14.6), 1),
        (16, 2000, 2000 / 8930, 8930.0, Latency(1.7, 1.1, 6.1, 9.2, 12.1, 13.1), 1),
    ]
    assert log.facts == Facts(operations={"write": 1.0}, requested_operations=2000)


def test_3_3_with_failed_operations():
    log = read("older/cs33-write-errors.log")

    assert without_rows(log) == reading(
        replace(
            TRIAL,
            throughput_ops_s=9794 / 2.6,
            operations=9794,  # 10,000 - 206
            errors=206,
            duration_s=2.6,
            printed_ops_s=3871.0,
            threads=8,
            latency=Latency(2.0, 1.3, 6.1, 9.1, 14.1, 16.1),
        ),
        facts=Facts(operations={"write": 1.0}, threads=8, requested_operations=10000),
    )
    assert rows(log) == (
        3,
        Interval("total", 1.0, 3512, 81, 3510.0, Latency(2.2, 1.7, 6.2, 9.3, 12.2, 15.2)),
        Interval("total", 2.6, 2653, 50, 4681.0, Latency(1.7, 1.1, 6.1, 9.1, 15.7, 16.1)),
    )
