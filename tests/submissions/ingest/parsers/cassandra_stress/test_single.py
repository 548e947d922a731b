"""Runs of one operation type: every sample's whole reading, worked out from the file."""

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


# What all these runs have in common: the settings that nobody changed.
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


def reading(facts: Facts, trial: TrialReading, *warnings: str) -> LogReading:
    return LogReading("cassandra-stress", facts, ((trial,),), warnings=warnings)


def row(
    seconds: float, operations: int, rate: float, latency: Latency, gc: tuple[int, float] | None = None
) -> Interval:
    return Interval("total", seconds, operations, 0, rate, latency, *(gc or (None, None)))


def test_three_nodes_with_rf_3_at_quorum():
    log = read("cs50-10-3node-write-rf3-quorum.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="QUORUM",
            replication_factor=3,
            threads=24,
            key_count=30000,
            requested_operations=30000,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=30000 / 28.1,
            operations=30000,
            duration_s=28.1,
            printed_ops_s=1069.0,
            threads=24,
            latency=Latency(21.6, 5.6, 95.6, 194.6, 402.7, 684.7),
        ),
    )
    assert rows(log) == (
        28,
        row(2.0, 242, 242.0, Latency(92.5, 58.4, 257.3, 393.7, 399.5, 399.5)),
        row(28.1, 322, 4756.0, Latency(5.2, 3.7, 13.6, 17.2, 32.2, 32.2)),
    )


def test_the_first_native_log_of_3_11_with_its_misspelt_settings():
    log = read("cs311-01-write-native.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="LOCAL_ONE", threads=4, key_count=3000, requested_operations=3000),
        replace(
            TRIAL,
            throughput_ops_s=3000 / 1.6,
            operations=3000,
            duration_s=1.6,
            printed_ops_s=1856.0,
            threads=4,
            latency=Latency(1.9, 0.9, 5.6, 16.0, 60.8, 89.1),
        ),
    )
    assert rows(log) == (
        2,
        row(1.0, 1273, 1273.0, Latency(2.6, 1.2, 8.0, 32.6, 85.8, 89.1)),
        row(1.6, 1727, 2802.0, Latency(1.4, 0.7, 5.0, 8.1, 37.1, 60.8)),
    )


def test_a_log_of_4_0_against_4_1():
    log = read("cs40a2-01-write-node41.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="ONE", threads=8, key_count=20000, requested_operations=20000),
        replace(
            TRIAL,
            throughput_ops_s=20000 / 6.8,
            operations=20000,
            duration_s=6.8,
            printed_ops_s=2950.0,
            threads=8,
            latency=Latency(2.4, 0.9, 6.1, 28.5, 132.1, 711.5),
        ),
    )
    assert rows(log) == (
        7,
        row(1.0, 157, 157.0, Latency(10.5, 7.6, 31.7, 39.7, 49.4, 49.4)),
        row(6.8, 3006, 3853.0, Latency(2.0, 1.2, 2.3, 5.3, 197.7, 219.9)),
    )


def test_a_log_of_4_0_against_three_nodes():
    log = read("cs40a2-03-netns-3node-write.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="QUORUM",
            replication_factor=3,
            threads=16,
            key_count=20000,
            requested_operations=20000,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=20000 / 35.1,
            operations=20000,
            duration_s=35.1,
            printed_ops_s=569.0,
            threads=16,
            latency=Latency(28.0, 8.3, 121.2, 236.8, 380.1, 572.0),
        ),
    )
    assert rows(log) == (
        36,
        row(1.0, 203, 203.0, Latency(71.3, 44.4, 208.3, 346.3, 395.8, 395.8)),
        row(35.1, 234, 1743.0, Latency(9.5, 2.2, 42.8, 60.6, 61.1, 61.1)),
    )


def test_a_write_with_jmx_has_the_collections_of_the_server():
    log = read("cs50-01-write-n20000-t4.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="ONE", threads=4, key_count=20000, requested_operations=20000),
        replace(
            TRIAL,
            throughput_ops_s=20000 / 5.4,
            operations=20000,
            duration_s=5.4,
            printed_ops_s=3711.0,
            threads=4,
            latency=Latency(0.9, 0.4, 2.2, 8.4, 75.2, 202.8),
        ),
    )
    assert rows(log) == (
        6,
        row(1.0, 672, 672.0, Latency(0.9, 0.8, 1.8, 2.5, 4.5, 4.5), (0, 0.0)),
        row(5.4, 1185, 3041.0, Latency(1.3, 0.2, 3.2, 20.1, 109.3, 109.4), (0, 0.0)),
    )


def test_a_read_of_keys_drawn_from_a_gaussian():
    log = read("cs50-02-read-n20000-t8.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            operations={"read": 1.0},
            consistency_level="LOCAL_ONE",
            threads=8,
            key_count=20000,
            key_distribution="gaussian",
            requested_operations=20000,
        ),
        replace(
            TRIAL,
            throughput_ops_s=2000.0,
            operations=20000,
            duration_s=10.0,
            printed_ops_s=1991.0,
            threads=8,
            latency=Latency(3.9, 0.4, 15.5, 63.5, 153.2, 301.2),
        ),
    )
    assert rows(log) == (
        11,
        row(1.0, 776, 776.0, Latency(7.5, 2.5, 32.4, 80.4, 153.2, 153.2), (0, 0.0)),
        row(10.0, 237, 5419.0, Latency(2.3, 0.2, 7.8, 85.7, 148.8, 148.8), (0, 0.0)),
    )


def test_counters_have_no_value_size_and_a_default_replication_is_not_believed():
    log = read("cs50-24-counter.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            operations={"counter_write": 1.0},
            consistency_level="QUORUM",
            replication_factor=None,
            threads=4,
            value_bytes=None,
            key_count=3000,
            requested_operations=3000,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=3000 / 5.3,
            operations=3000,
            duration_s=5.3,
            printed_ops_s=567.0,
            threads=4,
            latency=Latency(6.3, 2.6, 25.3, 60.5, 124.3, 202.5),
        ),
        DEFAULT_REPLICATION,
    )
    assert rows(log) == (
        6,
        row(1.0, 90, 90.0, Latency(22.2, 16.7, 60.3, 115.3, 115.3, 115.3)),
        row(5.3, 327, 1129.0, Latency(3.5, 1.5, 13.7, 25.3, 109.6, 109.6)),
    )


def test_ten_columns_of_a_kibibyte_with_rf_2():
    log = read("cs50-25-col-large.log")

    assert without_rows(log) == reading(
        replace(
            WRITE,
            consistency_level="ONE",
            replication_factor=2,
            threads=16,
            columns=10,
            value_bytes=1024,
            key_count=4000,
            requested_operations=4000,
            node_count=3,
        ),
        replace(
            TRIAL,
            throughput_ops_s=4000 / 3.9,
            operations=4000,
            duration_s=3.9,
            printed_ops_s=1027.0,
            threads=16,
            latency=Latency(11.5, 3.0, 53.2, 131.0, 249.7, 286.5),
        ),
    )
    assert rows(log) == (
        4,
        row(1.0, 14, 14.0, Latency(54.3, 55.7, 109.4, 109.4, 109.4, 109.4)),
        row(3.9, 1058, 1181.0, Latency(12.6, 3.8, 47.3, 160.4, 286.3, 286.5)),
    )


def test_a_run_of_8_seconds_by_duration():
    log = read("cs50-35-frozen-before-first-op.log")

    assert without_rows(log) == reading(
        replace(WRITE, consistency_level="ONE", threads=2, key_count=1000000, requested_duration_s=8.0),
        replace(
            TRIAL,
            throughput_ops_s=5855 / 8.4,
            operations=5855,
            duration_s=8.4,
            printed_ops_s=697.0,
            threads=2,
            latency=Latency(2.7, 0.7, 10.2, 31.2, 119.4, 566.2),
        ),
    )
    assert rows(log) == (
        9,
        row(1.0, 57, 57.0, Latency(18.9, 16.8, 36.8, 67.4, 67.4, 67.4), (0, 0.0)),
        row(8.4, 358, 889.0, Latency(2.2, 0.8, 6.6, 54.0, 58.5, 58.5), (0, 0.0)),
    )
    # 1946 - 811 operations in the fourth second, in which the server collected once for 14 ms
    assert log.trial_sets[0][0].intervals[3] == row(
        4.0, 1135, 1135.0, Latency(1.7, 0.6, 4.6, 24.8, 71.4, 94.2), (1, 14.0)
    )
