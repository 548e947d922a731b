"""What BenchBase and YugabyteDB's TPC-C print: the expected values are worked out by hand from the files."""

from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.oltpbench_console import PARSER

DATA = Path(__file__).resolve().parents[3] / "data" / "oltpbench-console"


def lines(name):
    return (DATA / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def of_type(name, operations=None, **latency):
    return OperationReading(name, operations, None, None, Latency(**latency))


def test_new_orders_are_the_operations_of_yugabytedbs_tpcc():
    assert parse("yugabytedb-100-warehouses.log") == LogReading(
        tool="yugabytedb-tpcc",
        facts=Facts(
            databases=("yugabytedb",),
            command=lines("yugabytedb-100-warehouses.log")[0].removeprefix("$ "),
            operations={"new-order": 1.0},
            requested_duration_s=1800,
            settings={"warehouses": 100},
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=38_153 / 1800.0008666,
                    operations=38_153,
                    duration_s=1800.0008666,
                    printed_ops_s=pytest.approx(1271.77 / 60),
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(p99=574.339),
                    by_operation=(
                        of_type("new-order", mean=68.265, p99=574.339),
                        of_type("payment", mean=19.969, p99=475.311),
                        of_type("order-status", mean=13.821, p99=571.414),
                        of_type("delivery", mean=67.384, p99=724.67),
                        of_type("stock-level", mean=114.032, p99=263.849),
                    ),
                ),
            ),
        ),
        warnings=(
            "the rate is that of the new orders (TPM-C), as new orders a second",
            "the number of terminals is not in the log: state it as threads",
        ),
    )


def test_the_older_layout_states_its_warehouses_only_by_the_efficiency():
    reading = parse("yugabytedb-older.log")
    ((trial,),) = reading.trial_sets

    assert (trial.operations, trial.duration_s) == (38_211, 1800.000367051)
    assert trial.latency == Latency()
    assert reading.facts.settings == {"warehouses": 100}  # 1273 / 12.86 / 0.98989


def test_results_of_several_machines_may_be_merged():
    reading = parse("yugabytedb-merged.log")
    ((trial,),) = reading.trial_sets

    assert (trial.operations, trial.duration_s, trial.latency.p99) == (3_779_016, 1800, 852.183)
    assert trial.printed_ops_s == pytest.approx(2086.553, abs=0.001)
    assert reading.facts.settings is None  # 97.35 % is 9,999 to 10,001 warehouses


def test_the_newest_layout_is_read_with_its_first_table_only():
    reading = parse("yugabytedb-newest.log")
    ((trial,),) = reading.trial_sets

    assert (reading.facts.threads, reading.facts.settings) == (100, {"warehouses": 10})
    assert (trial.operations, trial.duration_s) == (3822, pytest.approx(1800))
    assert trial.throughput_ops_s == pytest.approx(127.40 / 60)
    assert trial.by_operation[0] == of_type("new-order", 3822, mean=66.29, p99=212.47)
    assert [each.operations for each in trial.by_operation] == [3822, 3689, 341, 352, 350]


def test_of_benchbase_requests_are_the_operations_as_in_its_summary():
    reading = parse("benchbase-ycsb.log")

    assert reading.tool == "benchbase"
    assert reading.facts == Facts(
        databases=("mysql",),
        command=lines("benchbase-ycsb.log")[0].removeprefix("$ "),
        operations={"ycsb": 1.0},
        threads=1,
        throttle_ops_s=10_000.0,
        requested_duration_s=60,
    )
    ((trial,),) = reading.trial_sets
    assert (trial.operations, trial.threads, trial.latency) == (736, 1, Latency())
    assert trial.throughput_ops_s == 12.26665787474408  # its goodput has the requests of the last moment, too
    assert "summary.json" in reading.warnings[0]


def test_the_workload_is_that_of_the_command_or_of_the_histograms():
    of_benchbase, of_oltpbench = parse("benchbase-dsql.log"), parse("oltpbench-tpcc.log")

    assert of_benchbase.facts.operations == of_oltpbench.facts.operations == {"tpcc": 1.0}
    assert of_benchbase.trial_sets[0][0].operations == 3168
    assert of_oltpbench.trial_sets[0][0].throughput_ops_s == 429.56542458540093


def test_requests_that_did_not_commit_are_no_operations():
    text = (
        "Rate limited reqs/s: Results(nanoSeconds=10000000000, measuredRequests=100) = 10.0 requests/sec (throughput),"
        " 9.5 requests/sec (goodput)"
    )
    ((trial,),) = PARSER.parse([text]).trial_sets

    assert (trial.operations, trial.throughput_ops_s, trial.printed_ops_s) == (95, 9.5, 10.0)


def test_two_runs_are_points_of_a_load_curve():
    first = lines("benchbase-ycsb.log")
    second = [line.replace("Creating 1 virtual", "Creating 8 virtual") for line in first]
    reading = PARSER.parse([*first, *second])

    assert [[trial.threads for trial in alike] for alike in reading.trial_sets] == [[1], [8]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TPM-C: 0", "no new order was completed"),
        ("PHASE START :: [Workload=TPCC] [Time=60]", "the run did not finish"),
        (
            "Rate limited reqs/s: Results(nanoSeconds=60000000000, measuredRequests=0) = 0.0 requests/sec",
            "no request was completed",
        ),
    ],
)
def test_what_is_no_result_is_refused(text, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse([text])

    assert reason in str(caught.value)
