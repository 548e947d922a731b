"""Runs of several operation types, and user profiles: a row for each type plus the total."""

from dataclasses import replace
from pathlib import Path

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


TRIAL = TrialReading(throughput_ops_s=None, errors=0, latency_kind=LatencyKind.SERVICE_TIME)
DEFAULT_REPLICATION = (
    "The settings show the tool's default replication factor 1, which an existing keyspace "
    "overrides: the replication factor is not known."
)


def test_a_mixed_run_of_15_seconds():
    log = read("cs50-03-mixed-ratio-duration.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"write": 0.25, "read": 0.75},
            consistency_level="LOCAL_ONE",
            replication_factor=1,
            threads=16,
            columns=5,
            value_bytes=34,
            key_count=20000,
            key_distribution="sequential",
            requested_duration_s=15.0,
            node_count=1,
        ),
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=86079 / 15.3,
                    operations=86079,
                    duration_s=15.3,
                    printed_ops_s=5638.0,
                    threads=16,
                    latency=Latency(2.8, 0.7, 11.6, 29.9, 115.9, 372.0),
                    by_operation=(
                        OperationReading("read", 64937, 0, 4253.0, Latency(2.8, 0.7, 11.5, 29.4, 111.4, 372.0)),
                        OperationReading("write", 21142, 0, 1385.0, Latency(2.8, 0.7, 11.8, 31.2, 129.6, 331.4)),
                    ),
                ),
            ),
        ),
    )
    assert rows(log) == (
        48,
        Interval("read", 1.0, 3883, 0, 3883.0, Latency(2.2, 0.6, 9.9, 22.6, 89.7, 200.7), 1, 3.0),
        Interval("total", 15.3, 685, 0, 2566.0, Latency(6.3, 7.2, 15.8, 39.3, 44.8, 44.8), 0, 0.0),
    )
    assert [each.operation for each in log.trial_sets[0][0].intervals[:4]] == ["read", "write", "total", "read"]


def test_a_fixed_rate_that_the_system_could_not_keep_is_response_time():
    # 8 threads cannot have 2395 x 1.337 = 3202 requests under way: the wait is counted.
    log = read("cs50-07b-mixed-fixed-hdrfile.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"write": 0.5, "read": 0.5},
            consistency_level="LOCAL_ONE",
            replication_factor=1,
            threads=8,
            fixed_rate_ops_s=3000.0,
            columns=5,
            value_bytes=34,
            key_count=20000,
            key_distribution="uniform",
            requested_operations=30000,
            node_count=1,
        ),
        (
            (
                replace(
                    TRIAL,
                    latency_kind=LatencyKind.RESPONSE_TIME,
                    throughput_ops_s=2400.0,
                    operations=30000,
                    duration_s=12.5,
                    printed_ops_s=2395.0,
                    threads=8,
                    latency=Latency(1337.2, 1667.2, 2365.6, 2464.2, 2516.6, 2573.2),
                    by_operation=(
                        OperationReading(
                            "read", 15308, 0, 1222.0, Latency(1335.0, 1646.3, 2363.5, 2462.1, 2514.5, 2537.6)
                        ),
                        OperationReading(
                            "write", 14692, 0, 1173.0, Latency(1339.5, 1680.9, 2369.8, 2466.3, 2516.6, 2573.2)
                        ),
                    ),
                ),
            ),
        ),
    )
    assert rows(log) == (
        39,
        Interval("read", 1.0, 34, 0, 34.0, Latency(15.3, 15.7, 35.5, 44.2, 44.2, 44.2), 0, 0.0),
        Interval("total", 12.5, 2660, 0, 5032.0, Latency(1734.1, 1736.4, 1937.8, 1951.4, 2057.3, 2275.4), 0, 0.0),
    )


def test_a_mixed_run_through_the_loss_of_a_node_with_traces_between_the_rows():
    log = read("cs50-19-3node-one-killed-cl-one.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"write": 0.5, "read": 0.5},
            consistency_level="ONE",
            threads=12,
            columns=5,
            value_bytes=34,
            key_count=20000,
            key_distribution="uniform",
            requested_duration_s=20.0,
            node_count=3,
        ),
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=32936 / 20.6,
                    operations=32936,
                    duration_s=20.6,
                    printed_ops_s=1599.0,
                    threads=12,
                    latency=Latency(7.2, 1.4, 34.4, 100.3, 227.0, 500.7),
                    by_operation=(
                        OperationReading("read", 16441, 0, 798.0, Latency(8.1, 1.5, 38.0, 108.5, 268.7, 500.7)),
                        OperationReading("write", 16495, 0, 801.0, Latency(6.3, 1.3, 30.0, 87.6, 206.2, 462.4)),
                    ),
                ),
            ),
        ),
        warnings=(DEFAULT_REPLICATION,),
    )
    assert rows(log) == (
        63,
        Interval("read", 1.0, 82, 0, 82.0, Latency(29.7, 12.0, 170.8, 270.5, 270.5, 270.5)),
        Interval("total", 20.6, 2005, 0, 3386.0, Latency(3.8, 1.3, 8.8, 96.9, 219.2, 240.9)),
    )


def test_a_user_profile_with_one_query_has_the_replication_of_its_own_keyspace():
    log = read("cs50-04-user-profile-insert.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"insert": 1.0},
            consistency_level="ONE",
            replication_factor=1,
            threads=8,
            key_count=4000,
            key_distribution="sequential",
            requested_operations=4000,
            node_count=1,
        ),
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=4000 / 5.1,
                    operations=4000,
                    duration_s=5.1,
                    printed_ops_s=777.0,
                    threads=8,
                    latency=Latency(9.1, 0.7, 49.0, 129.8, 268.7, 392.2),
                ),
            ),
        ),
    )
    assert rows(log) == (
        6,
        Interval("total", 1.0, 62, 0, 62.0, Latency(53.3, 32.9, 204.3, 236.7, 236.7, 236.7), 0, 0.0),
        Interval("total", 5.1, 210, 0, 1448.0, Latency(6.6, 0.7, 35.6, 58.1, 117.3, 117.3), 0, 0.0),
    )


def test_partitions_are_no_operations_in_a_profile_whose_queries_miss():
    # 20,000 operations on 17,670 partitions; the header's replication factor 1 is not the profile's 3.
    log = read("cs50-23-user-3node-rf3.log")

    assert without_rows(log) == LogReading(
        "cassandra-stress",
        Facts(
            operations={"insert": 0.75, "singlepost": 0.25},
            consistency_level="QUORUM",
            replication_factor=3,
            threads=16,
            key_count=20000,
            key_distribution="gaussian",
            requested_operations=20000,
            node_count=3,
        ),
        (
            (
                replace(
                    TRIAL,
                    throughput_ops_s=20000 / 16.4,
                    operations=20000,
                    duration_s=16.4,
                    printed_ops_s=1218.0,
                    threads=16,
                    latency=Latency(12.2, 4.5, 50.5, 112.3, 200.4, 428.1),
                    by_operation=(
                        OperationReading("insert", 15026, 0, 915.0, Latency(10.7, 3.3, 46.0, 106.8, 187.7, 428.1)),
                        OperationReading("singlepost", 4974, 0, 303.0, Latency(17.0, 8.2, 63.2, 123.3, 205.4, 279.4)),
                    ),
                ),
            ),
        ),
    )
    assert rows(log) == (
        27,
        Interval("insert", 2.0, 270, 0, 135.0, Latency(42.1, 18.6, 172.5, 288.4, 300.9, 300.9)),
        Interval("total", 16.4, 1181, 0, 2798.0, Latency(5.8, 3.0, 22.0, 46.4, 59.6, 62.2)),
    )
