"""Whole readings of real outputs of sysbench; the expected values are worked out from the files by hand."""

from pathlib import Path

import pytest

from submissions.analysis.curves.histograms import percentiles
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.sysbench.sysbench import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "sysbench"


def parse(name):
    return PARSER.parse((DATA / name).read_text().splitlines())


def row(at, tps, p95, errors):
    return Interval("total", at, None, errors, tps, Latency(p95=p95))


def test_reads_writes_and_the_rows_of_a_transaction_test():
    assert parse("sb10-01-read-write.log") == LogReading(
        tool="sysbench",
        facts=Facts(tool_version="1.0.20", operations={"read": 0.7, "write": 0.2, "other": 0.1}, threads=4),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=3209 / 12.0449,
                    operations=3209,
                    errors=10,
                    duration_s=12.0449,
                    printed_ops_s=266.41,
                    threads=4,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(mean=14.98, p95=52.89, max=418.9),  # its default percentile is the 95th
                    intervals=(
                        row(3.0, 407.37, 29.19, 4),  # 1.33 errors a second
                        row(6.0, 237.99, 58.92, 3),
                        row(9.0, 194.16, 59.99, 1),
                        row(12.0, 228.21, 56.84, 2),
                    ),
                ),
            ),
        ),
        warnings=("10 transactions were rolled back after an error that sysbench ignores, and not counted",),
    )


def test_a_histogram_gives_the_percentiles_that_the_summary_lacks():
    ((trial,),) = parse("sb10-02-histogram.log").trial_sets

    # of 17,194 events the 8,597th is in the bucket 0.077, the 16,335th in 6.205
    assert trial.latency == Latency(mean=1.17, p50=0.077, p95=6.205, p99=23.1, p999=49.218, max=221.08)
    (histogram,) = trial.histograms
    assert (histogram.operation, histogram.kind) == ("total", LatencyKind.SERVICE_TIME)
    assert percentiles(histogram.encoded).p99 == pytest.approx(23.103, rel=0.001)


def test_with_a_rate_the_latency_counts_the_queue_and_the_rate_is_a_fact():
    reading = parse("sb10-03-rate.log")
    ((trial,),) = reading.trial_sets

    assert reading.facts.fixed_rate_ops_s == 100.0
    assert trial.latency_kind == LatencyKind.RESPONSE_TIME
    assert trial.throughput_ops_s == pytest.approx(101.35, rel=1e-4)
    assert [row.throughput_ops_s for row in trial.intervals] == [100.4, 106.87, 97.29, 93.91, 111.16]


def test_errors_are_counted_and_a_99th_percentile_is_a_p99():
    ((trial,),) = parse("sb10-04-conflicts.log").trial_sets

    assert (trial.operations, trial.errors) == (61, 55)
    assert (trial.latency.p95, trial.latency.p99) == (None, 5312.73)


def test_without_percentiles_there_are_none_and_a_test_of_writes_has_no_name():
    reading = parse("sb10-05-no-percentile.log")
    ((trial,),) = reading.trial_sets

    assert trial.latency == Latency(mean=2.95, max=66.27)
    assert reading.facts.operations is None
    assert "state the command or the operations" in reading.warnings[0]


def test_a_killed_run_is_read_from_its_rows():
    ((trial,),) = parse("sb10-06-killed.log").trial_sets

    assert trial.truncated
    assert (trial.throughput_ops_s, trial.duration_s, trial.errors) == (
        pytest.approx((157.44 + 215.13 + 125.12) / 3),
        6.0,
        5,
    )


def test_the_layout_of_0_5_is_read():
    reading = parse("sb05-01-read-only.log")
    ((trial,),) = reading.trial_sets

    assert (reading.facts.tool_version, reading.facts.threads) == ("0.5", 32)
    assert (trial.operations, trial.errors, trial.duration_s) == (398538, 0, 61.0031)
    assert trial.latency == Latency(mean=4.9, p95=6.89, max=145.8)
    assert trial.intervals[1] == Interval("total", 4.0, None, 0, 5909.52, Latency(p95=7.76))


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("sb10-00-prepare.log", "the output of sysbench prepare, which fills the tables: no run in it"),
        ("sb10-07-no-database.log", "the run failed: FATAL: Connection to database failed"),
        ("sb10-08-cpu.log", "a test of sysbench that uses no database"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(file, reason):
    with pytest.raises(ParseError) as caught:
        parse(file)

    assert str(caught.value).startswith(reason)


def test_the_same_run_twice_counts_once_and_another_thread_count_is_a_point_of_a_curve():
    lines = (DATA / "sb10-01-read-write.log").read_text().splitlines()
    other = [line.replace("Number of threads: 4", "Number of threads: 8") for line in lines]

    assert [len(trials) for trials in PARSER.parse(lines + lines).trial_sets] == [1]
    assert [[trial.threads for trial in trials] for trials in PARSER.parse(lines + other).trial_sets] == [[4], [8]]


def test_a_run_that_failed_between_others_is_said_and_gives_them_nothing():
    failed = (DATA / "sb10-07-no-database.log").read_text().splitlines()
    lines = (DATA / "sb10-01-read-write.log").read_text().splitlines()

    reading = PARSER.parse(failed + lines)

    assert reading.trial_sets == PARSER.parse(lines).trial_sets
    assert any(each.startswith("a run of the file is left out: the run failed: FATAL") for each in reading.warnings)


def test_a_histogram_whose_head_is_lost_gives_no_percentile():
    lines = (DATA / "sb10-02-histogram.log").read_text().splitlines()

    ((trial,),) = PARSER.parse(lines[200:]).trial_sets

    assert (trial.operations, trial.latency.p50, trial.latency.p99, trial.histograms) == (17194, None, 23.1, ())
