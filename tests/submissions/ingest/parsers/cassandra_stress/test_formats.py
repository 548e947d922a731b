"""How layouts vary: parts that are missing, repetitions, rows among other output, cql-stress."""

from dataclasses import replace
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, TrialReading
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


HEADER = (
    "type,      total ops,    op/s,    mean,     med,     .95,     .99,    .999,     max,   time,   stderr, errors\n"
)
ROW = "total,      {:9d},{:8.0f},{:8.1f},{:8.1f},{:8.1f},{:8.1f},{:8.1f},{:8.1f},{:7.1f},{:9.5f},{:7d}\n"
RESULTS = """\
Results:
Op rate                   : {rate} op/s  [WRITE: {rate} op/s]
Partition rate            : {rate} pk/s  [WRITE: {rate} pk/s]
Latency mean              :    1.5 ms [WRITE: 1.5 ms]
Total partitions          : {partitions} [WRITE: {partitions}]
Total errors              :          0 [WRITE: 0]
Total operation time      : {time}

END
"""


def parse(text: str) -> LogReading:
    lines = text.splitlines(keepends=True)
    parser = next(parser for parser in PARSERS if parser.matches(lines[:400]))
    return parser.parse(lines)


def only_trial(text: str) -> TrialReading:
    ((trial,),) = parse(text).trial_sets
    return trial


def test_a_summary_alone_is_a_trial_whose_time_is_printed_to_the_second():
    # 255,886 x 19 s is 4,861,834, x 20 s is 5,117,720: 5,000,000 operations took 19.54 s
    trial = only_trial(RESULTS.format(rate="255.886", partitions="5.000.000", time="00:00:19"))

    assert trial == TrialReading(
        throughput_ops_s=255_886.0,
        operations=5_000_000,
        errors=0,
        duration_s=5_000_000 / 255_886,
        printed_ops_s=255_886.0,
        latency_kind=LatencyKind.UNKNOWN,
        latency=Latency(mean=1.5),
    )


def test_a_summary_whose_rate_does_not_fit_its_time_keeps_the_time():
    trial = only_trial(RESULTS.format(rate="900", partitions="1,000", time="00:00:10"))

    assert (trial.throughput_ops_s, trial.duration_s, trial.printed_ops_s) == (100.0, 10.0, 900.0)


def test_end_without_results_is_a_whole_run():
    trial = only_trial(HEADER + ROW.format(500, 500, 2, 2, 3, 4, 5, 6, 1, 0, 0) + "\nEND\n")

    assert trial == TrialReading(
        throughput_ops_s=500.0,
        operations=500,
        errors=0,
        duration_s=1.0,
        latency_kind=LatencyKind.UNKNOWN,
        latency=Latency(2.0, 2.0, 3.0, 4.0, 5.0, 6.0),  # one interval: its percentiles are the run's
        intervals=(Interval("total", 1.0, 500, 0, 500.0, Latency(2.0, 2.0, 3.0, 4.0, 5.0, 6.0)),),
    )


def test_failure_after_results_is_a_failed_run_and_no_truncated_one():
    log = parse(RESULTS.format(rate="100", partitions="1,000", time="00:00:10").replace("END", "FAILURE"))

    assert (log.trial_sets[0][0].failed, log.trial_sets[0][0].truncated) == (True, False)
    assert "The tool printed results, but ended with FAILURE." in log.warnings


def test_a_row_without_operations_has_no_latency_and_headers_repeat():
    trial = only_trial(
        HEADER
        + ROW.format(10, 10, 2, 2, 2, 2, 2, 2, 1, 0, 0)
        + HEADER
        + ROW.format(10, 0, 0, 0, 0, 0, 0, 0, 2, -0.5, 0)
        + "WARN  05:34:10,738 a, b, c, d, e, f, g, h, i, j, k, l\n\tat com.example.Some.method(Some.java:1)\n"
        + "total,        40,      30,     4.0,     NaN,     4.0,     4.0,     4.0,     9.0,    3.5,      NaN,      5\n"
        + "total,        90,      50,   "  # killed while it wrote
    )

    assert trial == TrialReading(
        throughput_ops_s=10.0,
        operations=35,
        errors=5,
        duration_s=3.5,
        latency_kind=LatencyKind.UNKNOWN,
        latency=Latency(mean=3.5, max=9.0),  # (2 x 10 + 4 x 30) / 40
        intervals=(
            Interval("total", 1.0, 10, 0, 10.0, Latency(2.0, 2.0, 2.0, 2.0, 2.0, 2.0)),
            Interval("total", 2.0, 0, 0, 0.0),
            Interval("total", 3.5, 30, 5, 30.0, Latency(4.0, None, 4.0, 4.0, 4.0, 9.0)),
        ),
        truncated=True,
    )


def test_runs_with_the_same_settings_in_one_file_are_trials_of_one_set():
    text = (DATA / "cs50-01-write-n20000-t4.log").read_text()

    once, again = parse(text), text.replace("3,711 op/s", "3,712 op/s")
    ((first, second),) = parse(text + again).trial_sets

    assert parse(text + text).trial_sets == once.trial_sets  # the same twice
    assert (first, second.printed_ops_s) == (once.trial_sets[0][0], 3712.0)


def test_runs_with_other_thread_counts_in_one_file_are_trial_sets():
    text = (DATA / "cs50-01-write-n20000-t4.log").read_text()
    other = text.replace("Thread Count: 4", "Thread Count: 9").replace("with 4 threads", "with 9 threads")
    other = other.replace("Revision: unknown", "Revision: second")

    log = parse(text + other)

    assert [[trial.threads for trial in trials] for trials in log.trial_sets] == [[4], [9]]
    assert log.facts == replace(parse(text).facts, threads=None)


def test_the_order_in_which_a_mix_is_named_is_no_difference():
    text = (DATA / "older/cs226-mixed.log").read_text()

    log = parse(text + text.replace("[READ, WRITE] with", "[WRITE, READ] with").replace("4455 [", "4456 ["))

    assert [len(trials) for trials in log.trial_sets] == [2]


def test_windows_line_ends_change_nothing():
    text = (DATA / "cs50-03-mixed-ratio-duration.log").read_text()

    assert parse(text.replace("\n", "\r\n")) == parse(text)


def test_an_all_failed_thread_count_of_auto_is_left_out_with_a_warning():
    text = (DATA / "cs50-09-auto-threads.log").read_text()
    failed = text.replace("Total errors              :          0 [READ: 0]", "Total errors : 2,000 [READ: 2,000]", 1)

    log = parse(failed)

    assert [trial.threads for (trial,) in log.trial_sets] == [8, 16, 24]
    assert log.warnings == (
        "A run of the log is excluded: all 2,000 of 2,000 operations failed: no throughput to record.",
    )


def test_a_fixed_rate_that_was_kept_cannot_be_told_from_a_throttle():
    log = read("older/cs3115-fixed-idle.log")

    assert log.trial_sets[0][0].latency_kind == LatencyKind.UNKNOWN
    assert (log.facts.fixed_rate_ops_s, log.facts.throttle_ops_s) == (None, 1000.0)
    assert log.warnings == (
        "The settings limit the rate to 1,000 op/s, but do not tell fixed= (response time) from "
        "throttle= (service time).",
    )


@pytest.mark.parametrize(
    ("options", "factor"),
    [("{dc1=3, dc2=3}", 3), ("{dc1=3, dc2=2}", None), ("{dc1=1}", 1), ("{replication_factor=3}", 3)],
)
def test_replication_per_data_centre_is_known_when_it_is_the_same_in_all(options, factor):
    text = (DATA / "cs50-24-counter.log").read_text()
    text = text.replace("locator.SimpleStrategy", "locator.NetworkTopologyStrategy")

    assert parse(text.replace("{replication_factor=1}", options)).facts.replication_factor == factor


def test_a_written_file_does_not_tell_zero_collections_from_no_jmx():
    output, file = read("older/cs3115-log-file.log"), read("older/cs3115-log-file.txt")

    assert {each.gc_count for reading in (output, file) for each in reading.trial_sets[0][0].intervals} == {None}
    assert output == file


def test_cql_stress_is_named_and_prints_operations_not_partitions():
    log = read("older/composed-cql-stress.log")

    assert without_rows(log) == LogReading(
        "cql-stress",
        Facts(),
        (
            (
                TrialReading(
                    throughput_ops_s=119991 / 2.4,
                    operations=119991,
                    errors=9,
                    duration_s=2.4,
                    printed_ops_s=50824.0,
                    latency=Latency(1.1, 0.9, 2.3, 5.6, 18.2, 57.9),
                ),
            ),
        ),
        warnings=("Without the settings the log does not tell service time from response time.",),
    )
    assert rows(log) == (
        3,
        Interval("total", 1.0, 49871, 0, 49869.0, Latency(1.2, 0.9, 2.4, 6.6, 19.8, 57.9)),
        Interval("total", 2.4, 18734, 2, 51802.0, Latency(1.1, 0.9, 2.1, 4.8, 16.6, 29.9)),
    )
