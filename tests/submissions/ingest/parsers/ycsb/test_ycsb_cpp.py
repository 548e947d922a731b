"""Readings of YCSB-cpp: the expected values are worked out by hand from the files."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest import parsers
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.ycsb.ycsb_cpp import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "ycsb-cpp"
NOT_IN_THE_LOG = (
    "the log's times have no time zone: they are read as UTC",
    "the number of threads is not in the log: state it",
)


def lines(name):
    return (DATA / name).read_text().splitlines()


def us(mean, p99, p999, highest):
    return Latency(
        mean=pytest.approx(mean / 1000),
        p99=pytest.approx(p99 / 1000),
        p999=pytest.approx(p999 / 1000),
        max=pytest.approx(highest / 1000),
    )


def rows(*ends_and_counts):
    return tuple(Interval("total", end, count, None, None) for end, count in ends_and_counts)


def test_the_load_and_the_run_are_a_result_each_and_counts_are_cumulative():
    insert = us(45.72, 1116.16, 1240.06, 541589.5)

    assert PARSER.parse(lines("leveldb-a.log")) == LogReading(
        tool="ycsb-cpp",
        set_facts=(
            Facts(operations={"insert": 1.0}, measured_at=datetime(2025, 1, 5, 15, 21, 57, tzinfo=UTC)),
            Facts(operations={"read": 0.5, "update": 0.5}, measured_at=datetime(2025, 1, 5, 15, 22, 48, tzinfo=UTC)),
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=1_000_000 / 51.4745,
                    operations=1_000_000,
                    errors=0,
                    duration_s=51.4745,
                    printed_ops_s=19427.1,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=insert,
                    by_operation=(OperationReading("insert", 1_000_000, 0, None, insert),),
                    intervals=rows(
                        (10.0, 387_047), (21.0, 144_223), (31.0, 227_629), (41.0, 118_020), (51.4745, 123_081)
                    ),
                ),
            ),
            (
                TrialReading(
                    throughput_ops_s=1_000_000 / 22.4951,
                    operations=1_000_000,
                    errors=0,
                    duration_s=22.4951,
                    printed_ops_s=44454.2,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(
                        mean=pytest.approx((499_823 * 8.73 + 500_177 * 34.47) / 1e9, abs=1e-6),
                        max=pytest.approx(22.72461),
                    ),
                    by_operation=(
                        OperationReading("read", 499_823, 0, None, us(8.73, 33.34, 76.29, 10747.9)),
                        OperationReading("update", 500_177, 0, None, us(34.47, 1090.56, 1223.68, 22724.61)),
                    ),
                    intervals=rows((10.0, 398_304), (20.0, 410_360), (22.4951, 191_336)),
                ),
            ),
        ),
        warnings=NOT_IN_THE_LOG,
    )


def test_a_read_modify_write_is_one_operation_though_its_parts_are_measured():
    reading = PARSER.parse(lines("leveldb-f-run.log"))
    ((trial,),) = reading.trial_sets

    # 1,499,897 measured calls are 1,000,000 operations: 499,897 of them read and update
    assert reading.facts.operations == {"read": 0.5, "read-modify-write": 0.5}
    assert (trial.operations, trial.throughput_ops_s) == (1_000_000, pytest.approx(30993.7, rel=1e-5))
    assert (trial.latency, trial.intervals) == (Latency(), ())
    assert [(each.name, each.operations) for each in trial.by_operation] == [("read", 1_000_000), ("update", 499_897)]


def test_the_command_gives_threads_and_a_limit_that_a_file_changes_is_unknown():
    reading = PARSER.parse(lines("limited-a.log"))
    ((trial,),) = reading.trial_sets

    assert (reading.facts.threads, trial.threads) == (4, 4)
    assert (reading.facts.throttle_ops_s, reading.facts.has_unknown_limit) == (None, True)
    assert (trial.operations, trial.duration_s, trial.printed_ops_s) == (100_000, 108.089, 925.164)
    assert trial.latency.mean == pytest.approx((49_762 * 4.96 + 50_238 * 5.47) / 1e8, abs=1e-6)


def test_a_database_of_the_tools_own_process_is_named_and_so_is_that_there_is_no_server():
    command = "./ycsb -load -run -db leveldb -P workloads/workloada -threads 2 -p limit.ops=500 -s"
    reading = PARSER.parse([command, *lines("leveldb-a.log")])
    load, run = reading.set_facts

    assert (load.service, load.client_placement, load.threads) == ("leveldb", ClientPlacement.ON_DATABASE, 2)
    assert (load.throttle_ops_s, run.throttle_ops_s) == (None, 500.0)
    assert run.command == command.removeprefix("./")
    assert reading.warnings[0] == ("leveldb runs in the process of the load tool: there is no server and no network")


def test_failed_operations_are_errors():
    status = (
        "2024-01-28 19:36:20 10 sec: 1000 operations; [READ: Count=900 Max=184.32 Min=0.04 Avg=4.96]"
        " [READ-FAILED: Count=100 Max=9.00 Min=0.04 Avg=1.00]"
    )
    end = ["Run runtime(sec): 10", "Run operations(ops): 1000", "Run throughput(ops/sec): 1e+02"]
    ((trial,),) = PARSER.parse([status, *end]).trial_sets

    assert (trial.operations, trial.errors, trial.throughput_ops_s, trial.printed_ops_s) == (900, 100, 90.0, 100.0)
    assert trial.latency == Latency(mean=pytest.approx(0.00496), max=pytest.approx(0.18432))  # without HdrHistogram


def test_three_lines_are_a_result_without_latency():
    reading = PARSER.parse(lines("leveldb-a.log")[-4:])
    ((trial,),) = reading.trial_sets

    assert (trial.operations, trial.errors, trial.latency) == (1_000_000, None, Latency())
    assert "which -s prints" in reading.warnings[-1]


def test_a_killed_run_is_read_from_its_last_status_line():
    ((trial,),) = PARSER.parse(lines("limited-a.log")[:5]).trial_sets

    assert (trial.truncated, trial.operations, trial.duration_s) == (True, 21_149, 30.0)


def test_it_is_not_taken_for_the_ycsb_of_java():
    java = (DATA.parent / "ycsb" / "ycsb17-02-mixed-target-both.log").read_text().splitlines()

    for name in ("leveldb-a.log", "leveldb-f-run.log", "limited-a.log"):
        assert [parser.name for parser in parsers.PARSERS if parser.matches(lines(name))] == ["ycsb-cpp"]
    assert not PARSER.matches(java)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (["Run operations(ops): 0", "Run runtime(sec): 0.1"], "no second of operations"),
        (["2024-01-28 19:36:20 0 sec: 0 operations;"], "no second of operations"),
        ([], "the run did not finish"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(text)

    assert reason in str(caught.value)
