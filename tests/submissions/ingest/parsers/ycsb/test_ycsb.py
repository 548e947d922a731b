"""YCSB (Java): each expected reading is worked out by hand from the file."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.ycsb.ycsb import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "ycsb"
SERVICE, RESPONSE = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME
BASIC = "site.ycsb.BasicDB"
WORKLOAD = "-p workload=site.ycsb.workloads.CoreWorkload -p basicdb.verbose=false"


def parse(name: str) -> LogReading:
    return PARSER.parse(iter((DATA / name).read_text().splitlines()))


def without_intervals(reading: LogReading) -> tuple[LogReading, tuple[Interval, ...]]:
    ((trial,),) = reading.trial_sets
    bare = replace(reading, trial_sets=((replace(trial, intervals=()),),))
    return bare, trial.intervals


def us(**microseconds: float) -> Latency:
    return Latency(**{name: value / 1000 for name, value in microseconds.items()})


def test_a_load_phase_is_an_insert_run_with_its_status_rows():
    reading, intervals = without_intervals(parse("ycsb17-01-load-status.log"))

    latency = us(mean=1585.2808, p95=3095, p99=3147, max=6339)
    assert reading == LogReading(
        tool="ycsb",
        facts=Facts(
            tool_version="0.17.0",
            command=f"-load -db {BASIC} -s -threads 4 {WORKLOAD} -p recordcount=5000 "
            "-p basicdb.simulatedelay=4 -p status.interval=1",
            operations={"insert": 1.0},
            threads=4,
            key_count=5000,
            requested_operations=5000,
            measured_at=datetime(2026, 11, 20, 6, 49, 8, tzinfo=UTC),
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=5000 / 2.096,
                    operations=5000,
                    errors=0,
                    duration_s=2.096,
                    printed_ops_s=2385.4961832061067,
                    threads=4,
                    latency_kind=SERVICE,
                    latency=latency,
                    by_operation=(OperationReading("insert", 5000, 0, 5000 / 2.096, latency),),
                ),
            ),
        ),
    )
    assert len(intervals) == 8
    assert intervals[:2] == (
        Interval("total", 0.0, 55, 0, None),
        Interval("insert", 0.0, 64, 0, None, us(mean=1930.06, p99=5199, p999=5223, max=5223)),
    )
    assert intervals[-2:] == (
        Interval("total", 2.096, 98, 0, 1042.55),
        Interval("insert", 2.096, 98, 0, None, us(mean=1685.18, p99=4751, p999=4871, max=4871)),
    )


def test_latencies_against_the_schedule_are_response_time_and_come_first():
    reading, intervals = without_intervals(parse("ycsb17-02-mixed-target-both.log"))

    read = us(mean=1838.4565004887586, p50=2133, p95=3205, p99=5859, p999=30255, max=33951)
    update = us(mean=1953.0385533947458, p50=2143, p95=3221, p99=14407, p999=29711, max=33343)
    assert reading == LogReading(
        tool="ycsb",
        facts=Facts(
            tool_version="0.17.0",
            command=f"-t -db {BASIC} -s -threads 8 -target 1500 {WORKLOAD} -p recordcount=5000 "
            "-p operationcount=6000 -p readproportion=0.5 -p updateproportion=0.5 "
            "-p requestdistribution=zipfian -p basicdb.simulatedelay=4 -p status.interval=1 "
            "-p measurement.interval=both -p hdrhistogram.percentiles=50,95,99,99.9",
            operations={"read": 0.5, "update": 0.5},
            threads=8,
            fixed_rate_ops_s=1500.0,
            key_count=5000,
            key_distribution="zipfian",
            requested_operations=6000,
            measured_at=datetime(2026, 11, 20, 6, 49, 10, tzinfo=UTC),
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=6000 / 4.008,
                    operations=6000,
                    errors=0,
                    duration_s=4.008,
                    printed_ops_s=1497.005988023952,
                    threads=8,
                    latency_kind=RESPONSE,
                    # (1838.4565 us x 3069 + 1953.0386 us x 2931) / 6000
                    latency=Latency(mean=1.89443, max=33.951),
                    by_operation=(
                        OperationReading("read", 3069, 0, 3069 / 4.008, read),
                        OperationReading("update", 2931, 0, 2931 / 4.008, update),
                    ),
                ),
            ),
        ),
    )
    assert len(intervals) == 18  # 6 lines x (total, read, update)
    assert intervals[1] == Interval("read", 0.0, 40, 0, None, us(mean=14727.88, p99=33951, p999=33951, max=33951))
    assert intervals[-3:] == (
        Interval("total", 4.008, 12, 0, 1000.0),
        Interval("read", 4.008, 5, 0, None, us(mean=1976.2, p99=3413, p999=3413, max=3413)),
        Interval("update", 4.008, 1, 0, None, us(mean=3157, p99=3157, p999=3157, max=3157)),
    )


def test_a_read_modify_write_is_one_operation_though_it_is_measured_three_times():
    reading = parse("ycsb17-03-histogram.log")

    insert = us(mean=1621.7350096711798, p95=3000, p99=4000, max=7062)
    read = us(mean=1575.4285714285713, p95=3000, p99=5000, max=6816)
    both = us(mean=3313.033126293996, p95=6000, p99=8000, max=11127)
    update = us(mean=1716.8095238095239, p95=3000, p99=6000, max=8027)
    assert reading == LogReading(
        tool="ycsb",
        facts=Facts(
            tool_version="0.17.0",
            command=f"-t -db {BASIC} -threads 2 {WORKLOAD} -p recordcount=1000 "
            "-p operationcount=1000 -p readproportion=0 -p updateproportion=0 "
            "-p readmodifywriteproportion=0.5 -p insertproportion=0.5 -p basicdb.simulatedelay=4 "
            "-p measurementtype=histogram -p histogram.buckets=10 "
            "-p measurement.histogram.verbose=true",
            operations={"insert": 0.5, "read-modify-write": 0.5},
            threads=2,
            key_count=1000,
            requested_operations=1000,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=1000 / 1.272,
                    operations=1000,  # 517 inserts + 483 read-modify-writes
                    errors=0,
                    duration_s=1.272,
                    printed_ops_s=786.1635220125786,
                    threads=2,
                    latency_kind=SERVICE,
                    # of the 1,483 calls: (1621.735 x 517 + 1575.4286 x 483 + 1716.8095 x 483) us
                    latency=Latency(mean=1.637618, max=8.027),
                    by_operation=(
                        OperationReading("insert", 517, 0, 517 / 1.272, insert),
                        OperationReading("read", 483, 0, 483 / 1.272, read),
                        OperationReading("read-modify-write", 483, 0, 483 / 1.272, both),
                        OperationReading("update", 483, 0, 483 / 1.272, update),
                    ),
                ),
            ),
        ),
    )


def test_raw_measurements_are_passed_over_and_their_summary_is_read():
    reading = parse("ycsb17-04-raw.log")

    latency = us(mean=1714.755, p50=2070, p95=3087, p99=5856, p999=6198, max=6198)
    assert reading == LogReading(
        tool="ycsb",
        facts=Facts(
            tool_version="0.17.0",
            command=f"-t -db {BASIC} -threads 2 {WORKLOAD} -p recordcount=100 "
            "-p operationcount=200 -p readproportion=1.0 -p updateproportion=0 "
            "-p basicdb.simulatedelay=4 -p measurementtype=raw",
            operations={"read": 1.0},
            threads=2,
            key_count=100,
            requested_operations=200,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=200 / 0.192,
                    operations=200,
                    errors=0,
                    duration_s=0.192,
                    printed_ops_s=1041.6666666666667,
                    threads=2,
                    latency_kind=SERVICE,
                    latency=latency,
                    by_operation=(OperationReading("read", 200, 0, 200 / 0.192, latency),),
                ),
            ),
        ),
    )


def test_a_time_series_has_a_mean_and_no_percentile():
    reading = parse("ycsb17-05-timeseries.log")

    ((trial,),) = reading.trial_sets
    latency = us(mean=1639.2213333333334, max=6287)
    assert trial == TrialReading(
        throughput_ops_s=1500 / 1.268,
        operations=1500,
        errors=0,
        duration_s=1.268,
        printed_ops_s=1182.9652996845425,
        threads=2,
        latency_kind=SERVICE,
        latency=latency,
        by_operation=(OperationReading("read", 1500, 0, 1500 / 1.268, latency),),
    )
    assert (reading.facts.operations, reading.warnings) == ({"read": 1.0}, ())


def test_failed_operations_are_errors_and_in_no_average():
    reading, intervals = without_intervals(parse("ycsb17-06-failed.log"))

    read = us(mean=1575.4277917716204, p95=3077, p99=3099, max=8247)
    update = us(mean=1588.7261477045909, p95=3077, p99=3103, max=5615)
    assert reading.trial_sets == (
        (
            TrialReading(
                throughput_ops_s=4887 / 2.024,
                operations=4887,  # 2,382 + 2,505
                errors=113,  # 54 + 59
                duration_s=2.024,
                printed_ops_s=2470.3557312252965,
                threads=4,
                latency_kind=SERVICE,
                latency=Latency(mean=1.582244, max=8.247),
                by_operation=(
                    OperationReading("read", 2382, 54, 2382 / 2.024, read),
                    OperationReading("update", 2505, 59, 2505 / 2.024, update),
                ),
            ),
        ),
    )
    assert len(intervals) == 12
    assert intervals[3:6] == (
        Interval("total", 1.0, 2440, 55, 2440.0),
        Interval("read", 1.0, 1197, 23, None, us(mean=1574.01, p99=3103, p999=3773, max=8247)),
        Interval("update", 1.0, 1249, 32, None, us(mean=1593.69, p99=3103, p999=4355, max=5615)),
    )


def test_failures_told_apart_by_their_reason_are_errors_too():
    ((trial,),) = parse("ycsb17-09-each-error.log").trial_sets

    assert (trial.operations, trial.errors) == (1960, 40)
    assert [(o.name, o.operations, o.errors) for o in trial.by_operation] == [
        ("read", 1004, 16),
        ("update", 956, 24),
    ]


def test_the_interval_option_makes_response_time_of_an_unmarked_name():
    reading = parse("ycsb17-08-intended.log")

    ((trial,),) = reading.trial_sets
    latency = us(mean=1628.721875, p95=3167, p99=3213, max=9119)
    assert (trial.latency_kind, trial.latency) == (RESPONSE, latency)
    assert (reading.facts.fixed_rate_ops_s, reading.facts.throttle_ops_s) == (800.0, None)


def test_a_killed_run_is_what_its_status_rows_say():
    reading, intervals = without_intervals(parse("ycsb17-10-killed.log"))

    assert reading.trial_sets == (
        (
            TrialReading(
                throughput_ops_s=10164 / 4,
                operations=10164,
                errors=0,
                duration_s=4.0,
                threads=4,
                truncated=True,
            ),
        ),
    )
    assert len(intervals) == 10
    assert intervals[-2] == Interval("total", 4.0, 2554, 0, 2554.0)


def test_the_first_releases_count_failures_by_return_code_and_percentiles_in_ms():
    reading, intervals = without_intervals(parse("composed-ycsb-0.1.log"))

    read = Latency(mean=3411.25 / 1000, p95=4.0, p99=12.0, max=25.321)
    update = Latency(mean=1200.75 / 1000, p95=2.0, p99=9.0, max=15.321)
    assert reading == LogReading(
        tool="ycsb",
        facts=Facts(
            tool_version="0.1",
            command="-db com.yahoo.ycsb.BasicDB -P workloads/workloada -threads 10 -target 100 -s -t",
            operations={"read": 0.5, "update": 0.5},  # 990 and 1,010 attempts, to the per cent
            threads=10,
            throttle_ops_s=100.0,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=1990 / 20.11,
                    operations=1990,
                    errors=10,
                    duration_s=20.11,
                    printed_ops_s=99.45300845350571,
                    threads=10,
                    latency_kind=SERVICE,
                    latency=Latency(mean=2.300446, max=25.321),  # 3.41125 x 990 + 1.20075 x 1000
                    by_operation=(
                        OperationReading("read", 990, 0, 990 / 20.11, read),
                        OperationReading("update", 1000, 10, 1000 / 20.11, update),
                    ),
                ),
            ),
        ),
    )
    assert len(intervals) == 7
    assert intervals[:3] == (
        Interval("total", 0.0, 0, None, None),
        Interval("total", 10.0, 995, None, 99.5),
        Interval("update", 10.0, None, None, None, us(mean=1200.5)),
    )
    assert intervals[-1] == Interval("read", 20.11, None, None, None, us(mean=3400))


def test_the_90th_percentile_is_not_taken_for_the_95th_and_an_unknown_command_leaves_the_kind():
    reading = parse("composed-ycsb-early-hdr.log")

    ((trial,),) = reading.trial_sets
    assert trial.latency == Latency(mean=1.9995, p99=12.0, max=25.343)
    assert trial.latency_kind == LatencyKind.UNKNOWN
    assert reading.warnings == (
        "the 95th percentile was omitted: this release of YCSB prints the 90th in its place",
        "the log does not show the command line, so it is not known whether its latencies are service or response time",
    )


def test_passwords_leave_the_command_and_are_warned_of():
    lines = (DATA / "ycsb17-04-raw.log").read_text().splitlines()
    lines[0] = "Command line: -t -p db.user=me -p db.passwd=hunter2 -p cassandra.password=x -threads 2"

    reading = PARSER.parse(lines)

    assert reading.facts.command == ("-t -p db.user=me -p db.passwd=*** -p cassandra.password=*** -threads 2")
    assert reading.warnings == ("the file has a password in it: whoever can see the submission can download it",)


def test_a_masked_password_is_not_warned_of():
    lines = (DATA / "ycsb17-04-raw.log").read_text().splitlines()
    lines[0] = "Command line: -t -p db.passwd=*masked* -p cassandra.password=MASKED -threads 2"

    assert PARSER.parse(lines).warnings == ()


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ("-p cassandra.readconsistencylevel=local_one", "LOCAL_ONE"),
        ("-p cassandra.writeconsistencylevel=QUORUM", None),  # nothing was written
        ("-p cassandra.readconsistencylevel=NO_SUCH", None),
    ],
)
def test_the_consistency_level_is_that_of_what_was_done(options, level):
    lines = (DATA / "ycsb17-04-raw.log").read_text().splitlines()
    lines[0] = f"Command line: -t {options}"

    assert PARSER.parse(lines).facts.consistency_level == level
