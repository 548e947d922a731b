"""Logs that need care: options of -rate, -log and -reporting, failed operations, killed runs."""

from dataclasses import replace
from pathlib import Path

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


WRITE = Facts(
    operations={"write": 1.0},
    columns=5,
    value_bytes=34,
    key_distribution="sequential",
    replication_factor=1,
    node_count=1,
)
TRIAL = TrialReading(throughput_ops_s=None, errors=0, latency_kind=LatencyKind.SERVICE_TIME)
DEFAULT_REPLICATION = (
    "The settings show the tool's default replication factor 1, which an existing keyspace "
    "overrides: the replication factor is not known."
)
STOPS_EARLY = "The log stops before its results: the figures come from its interval rows."


def reading(facts: Facts, trial: TrialReading, *warnings: str) -> LogReading:
    return LogReading("cassandra-stress", facts, ((trial,),), warnings=warnings)


def test_the_file_of_log_file_reads_like_the_output_beside_it():
    log, file = read("cs50-06-log-file-verbose.log"), read("cs50-06-logfile.txt")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="ONE", threads=10, key_count=30000, requested_operations=30000),
        replace(
            TRIAL,
            throughput_ops_s=30000 / 7.4,
            operations=30000,
            duration_s=7.4,
            printed_ops_s=4032.0,
            threads=10,
            latency=Latency(2.3, 0.4, 11.7, 23.3, 76.0, 132.4),
        ),
    )
    assert rows(log) == (
        4,
        Interval("total", 2.0, 4939, 0, 2470.0, Latency(3.2, 0.3, 12.7, 30.0, 66.5, 86.0), 0, 0.0),
        Interval("total", 7.4, 12104, 0, 8408.0, Latency(1.2, 0.5, 3.0, 15.6, 75.4, 109.6), 0, 0.0),
    )
    assert file == log


def test_rate_auto_is_a_trial_set_for_each_thread_count():
    log = read("cs50-09-auto-threads.log")

    def trial(threads: int, printed: float, seconds: float, latency: Latency) -> tuple[TrialReading]:
        return (
            replace(
                TRIAL,
                throughput_ops_s=2000 / seconds,
                operations=2000,
                duration_s=seconds,
                printed_ops_s=printed,
                threads=threads,
                latency=latency,
            ),
        )

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        replace(
            WRITE,
            operations={"read": 1.0},
            consistency_level="LOCAL_ONE",
            key_count=20000,
            key_distribution="uniform",
            requested_operations=2000,
        ),
        (
            trial(4, 892.0, 2.2, Latency(2.6, 1.2, 8.5, 16.5, 40.4, 86.3)),
            # 0.8 s is too coarse: 2000 / 2361 = 0.847 s, which prints as 0.8
            trial(8, 2361.0, 2000 / 2361, Latency(1.7, 0.8, 4.3, 29.5, 45.0, 93.5)),
            trial(16, 1127.0, 1.8, Latency(6.4, 3.2, 16.6, 24.5, 57.4, 57.9)),
            trial(24, 1837.0, 1.1, Latency(2.5, 1.7, 7.4, 11.4, 24.5, 29.1)),
        ),
    )
    assert [len(trials[0].intervals) for trials in log.trial_sets] == [3, 1, 2, 2]
    assert rows(log, 3) == (
        2,
        Interval("total", 1.0, 1239, 0, 1239.0, Latency(2.3, 1.6, 6.9, 13.8, 25.2, 29.1), 0, 0.0),
        Interval("total", 1.1, 761, 0, 8588.0, Latency(2.7, 1.9, 8.0, 10.9, 17.1, 17.1), 0, 0.0),
    )


def test_without_the_settings_the_kind_of_latency_is_unknown():
    log = read("cs50-22-graph-second-rev-no-settings.log")

    assert without_rows(log) == reading(
        Facts(operations={"write": 1.0}, threads=32, requested_operations=20000, node_count=3),
        replace(
            TRIAL,
            latency_kind=LatencyKind.UNKNOWN,
            throughput_ops_s=20000 / 7.6,
            operations=20000,
            duration_s=7.6,
            printed_ops_s=2617.0,
            threads=32,
            latency=Latency(11.3, 3.5, 37.8, 105.5, 278.1, 425.7),
        ),
        "Without the settings the log does not tell service time from response time.",
    )
    assert rows(log) == (
        8,
        Interval("total", 1.0, 289, 0, 289.0, Latency(51.2, 26.5, 238.3, 423.4, 425.7, 425.7)),
        Interval("total", 7.6, 2219, 0, 3448.0, Latency(9.6, 1.5, 34.7, 207.1, 255.9, 261.2)),
    )


def test_timed_out_operations_are_taken_off_the_total():
    log = read("cs50-27-node-frozen-timeouts.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="ALL",
            replication_factor=None,
            threads=16,
            key_count=1000000,
            requested_duration_s=25.0,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=49714 / 25.8,
            operations=49714,  # 49,730 - 16
            errors=16,
            duration_s=25.8,
            printed_ops_s=1931.0,
            threads=16,
            latency=Latency(8.0, 2.9, 18.1, 50.7, 186.9, 8069.8),
        ),
        DEFAULT_REPLICATION,
    )
    assert rows(log) == (
        23,
        Interval("total", 1.0, 115, 0, 115.0, Latency(29.5, 22.6, 75.7, 81.9, 106.7, 106.7)),
        Interval("total", 25.8, 2422, 0, 3220.0, Latency(4.9, 3.4, 15.7, 28.1, 43.4, 52.1)),
    )
    # two seconds of which only six operations came back, all failed
    assert log.trial_sets[0][0].intervals[9] == Interval(
        "total", 11.0, 6, 6, 6.0, Latency(2016.2, 2005.9, 2041.6, 2041.6, 2041.6, 2041.6)
    )


def test_a_series_that_lacks_its_last_row_takes_the_time_from_the_printed_rate():
    # -reporting leaves the end out: 15,447 of 20,000 operations at 8.0 s; 20,000 / 2,246 = 8.905 s,
    # which `Total operation time` prints as 00:00:08.
    log = read("cs50-30-graph-run1.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="LOCAL_QUORUM", threads=8, key_count=20000, requested_operations=20000),
        replace(
            TRIAL,
            throughput_ops_s=2246.0,
            operations=20000,
            duration_s=20000 / 2246,
            printed_ops_s=2246.0,
            threads=8,
            latency=Latency(3.2, 0.7, 12.2, 43.8, 184.4, 416.0),
        ),
    )
    assert rows(log) == (
        4,
        Interval("total", 2.0, 499, 0, 491.0, Latency(16.5, 11.6, 42.7, 92.4, 143.7, 143.7), 0, 0.0),
        Interval("total", 8.0, 7946, 0, 4482.0, Latency(1.9, 0.7, 4.8, 17.2, 279.7, 356.0), 0, 0.0),
    )


def test_a_single_operation():
    log = read("cs50-33-single-op.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="LOCAL_ONE", threads=1, key_count=1, requested_operations=1),
        replace(
            TRIAL,
            throughput_ops_s=16.0,
            operations=1,
            duration_s=1 / 16,  # printed as 0.1
            printed_ops_s=16.0,
            threads=1,
            latency=Latency(54.9, 55.0, 55.0, 55.0, 55.0, 55.0),
        ),
    )
    only = Interval("total", 0.1, 1, 0, 16.0, Latency(54.9, 55.0, 55.0, 55.0, 55.0, 55.0), 0, 0.0)
    assert rows(log) == (1, only, only)


def test_a_killed_run_is_a_truncated_trial_from_its_rows():
    log = read("cs50-14-sigterm.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="ONE",
            replication_factor=None,
            threads=8,
            key_count=1000000,
            requested_duration_s=30.0,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=4216 / 5.0,
            operations=4216,
            duration_s=5.0,
            threads=8,
            # weighted with 369, 510, 904, 754 and 1679 operations; no percentile can be put together
            latency=Latency(
                mean=(13.0 * 369 + 15.0 * 510 + 8.6 * 904 + 9.6 * 754 + 4.6 * 1679) / 4216,
                max=249.2,
            ),
            truncated=True,
        ),
        STOPS_EARLY,
        DEFAULT_REPLICATION,
    )
    assert rows(log) == (
        5,
        Interval("total", 1.0, 369, 0, 369.0, Latency(13.0, 10.5, 26.6, 111.4, 122.5, 122.5)),
        Interval("total", 5.0, 1679, 0, 1679.0, Latency(4.6, 0.6, 19.5, 73.1, 224.5, 249.2)),
    )


def test_a_run_that_ended_in_failure_is_a_failed_trial_without_its_failed_operations():
    log = read("cs50-29-single-node-killed-default.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="ONE",
            threads=4,
            throttle_ops_s=200.0,
            key_count=1000000,
            requested_duration_s=20.0,
        ),
        replace(
            TRIAL,
            latency_kind=LatencyKind.UNKNOWN,
            throughput_ops_s=836 / 5.0,
            operations=836,  # 840 - 4
            errors=4,
            duration_s=5.0,
            threads=4,
            latency=Latency(
                mean=(43.5 * 35 + 10.1 * 248 + 7.1 * 199 + 6.9 * 200 + 15.3 * 158) / 840,
                max=245.0,
            ),
            failed=True,
        ),
        "The tool ended with FAILURE and without results: the figures come from its interval rows.",
        "The settings limit the rate to 200 op/s, but do not tell fixed= (response time) from "
        "throttle= (service time).",
    )
    assert rows(log) == (
        5,
        Interval("total", 1.0, 35, 0, 35.0, Latency(43.5, 20.8, 236.2, 245.0, 245.0, 245.0), 0, 0.0),
        Interval("total", 5.0, 158, 4, 159.0, Latency(15.3, 8.8, 29.5, 216.0, 226.4, 226.4), 0, 0.0),
    )
