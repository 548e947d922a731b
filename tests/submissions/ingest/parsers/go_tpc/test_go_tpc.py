"""Readings of go-tpc: the expected values are worked out by hand from the files."""

import json
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.go_tpc.go_tpc import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "go-tpc"
COMMAND = "tiup bench tpcc -H 192.0.2.7 -P 4000 -D tpcc --warehouses 4 -T 8 -d postgres --time 10m run"
NAMES = ("Takes(s)", "Count", "TPM", "Sum(ms)", "Avg(ms)", "50th(ms)", "90th(ms)", "95th(ms)", "99th(ms)", "Max(ms)")


def lines(name):
    return (DATA / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def summary(name, *values, kind="Summary"):
    pairs = ", ".join(f"{key}: {value}" for key, value in zip(NAMES, values, strict=True))
    return f"[{kind}] {name} - {pairs}"


ORDERS = summary("NEW_ORDER", 60.0, 600, 600.0, 6000.0, 10.0, 9.4, 14.2, 15.7, 18.9, 22.0)
PAYMENTS = summary("PAYMENT", 60.0, 580, 580.0, 2900.0, 5.0, 4.7, 7.1, 7.9, 9.4, 11.0)


def test_the_rate_is_that_of_new_orders_and_the_other_transactions_are_beside_it():
    new_order = Latency(mean=64.619602, p50=62.9, p95=100.7, p99=130.0, p999=184.5, max=570.4)

    assert parse("ch-2023.log") == LogReading(
        tool="go-tpc",
        facts=Facts(
            operations={"new-order-beside-queries": 1.0},
            threads=50,
            settings={"warehouses": 1000},  # 93826.9 / (12.86 * 7.296)
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=5_629_221 / 3599.7,
                    operations=5_629_221,
                    errors=20,
                    duration_s=3599.7,
                    printed_ops_s=93826.9 / 60,
                    threads=50,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(p50=62.9, p95=100.7, p99=130.0, p999=184.5, max=570.4),
                    by_operation=(
                        OperationReading(
                            "delivery", 501_795, 14, 8363.9 / 60, Latency(127.35316, 125.8, 184.5, 226.5, 318.8, 604.0)
                        ),
                        OperationReading("new-order", 5_629_221, 20, 93826.9 / 60, new_order),
                        OperationReading(
                            "order-status", 500_318, 0, 8339.0 / 60, Latency(14.262842, 13.1, 27.3, 37.7, 50.3, 385.9)
                        ),
                        OperationReading(
                            "payment", 5_380_815, 11, 89684.8 / 60, Latency(50.152829, 48.2, 88.1, 125.8, 184.5, 1073.7)
                        ),
                        OperationReading(
                            "stock-level", 500_467, 2, 8341.5 / 60, Latency(26.392802, 25.2, 44.0, 62.9, 96.5, 570.4)
                        ),
                    ),
                    intervals=(
                        Interval(
                            "total", 10.0, 13_524, None, 81162.0 / 60, Latency(None, 71.3, 113.2, 159.4, 209.7, 243.3)
                        ),
                        Interval(
                            "total", 20.0, 13_238, None, 79429.5 / 60, Latency(None, 75.5, 117.4, 159.4, 234.9, 352.3)
                        ),
                    ),
                ),
            ),
        ),
        warnings=(
            "the rate is tpmC (93,826.9 new orders a minute) as new orders a second",
            "analytic queries ran at the same time (CH-benCHmark): only the new orders are read",
        ),
    )


def test_a_release_of_2020_has_buckets_and_no_median():
    reading = parse("tpcc-2020.log")
    ((trial,),) = reading.trial_sets

    assert (trial.operations, trial.errors, trial.duration_s) == (314, 0, 487.8)
    assert trial.throughput_ops_s == pytest.approx(314 / 487.8)
    assert trial.latency == Latency(p99=1500.0, p999=1500.0)
    assert [(each.name, each.errors) for each in trial.by_operation if each.errors] == [("delivery", 1)]
    assert reading.facts == Facts(operations={"new-order": 1.0})
    assert reading.warnings[1:] == (
        "this release counts latencies in wide buckets: a percentile of 512 ms is one between 256 and 512 ms",
        "the number of threads (-T) is not in the log: state it",
    )


def test_the_command_gives_threads_time_and_protocol():
    reading = PARSER.parse([f"$ {COMMAND}", ORDERS, "tpmC: 600.0, tpmTotal: 1180.0, efficiency: 1166.4%"])

    assert reading.facts == Facts(
        command=COMMAND,
        databases=("postgresql",),
        operations={"new-order": 1.0},
        threads=8,
        requested_duration_s=600.0,
        settings={"warehouses": 4},
    )


def test_a_table_and_json_have_the_same_figures():
    values = ORDERS.split(" - ")[1].split(", ")
    cells = [value.split(": ")[1] for value in values]
    table = "|  [Summary]  | NEW_ORDER | " + " | ".join([*cells[:9], "20.0", cells[9]]) + " |"
    fields = {"Prefix": "[Summary] ", "Operation": "NEW_ORDER", **dict(value.split(": ") for value in values)}
    ((trial,),) = PARSER.parse([ORDERS]).trial_sets
    ((tabulated,),) = PARSER.parse([table]).trial_sets

    assert PARSER.matches([table])
    assert PARSER.matches([json.dumps([fields])])
    assert PARSER.parse([json.dumps([fields])]).trial_sets == ((trial,),)
    assert (tabulated.throughput_ops_s, tabulated.latency.p99) == (10.0, 18.9)


def test_percentiles_that_cannot_be_are_left_out():
    # of a public report of 2021; the sum over the count is 226 ms
    row = summary("NEW_ORDER", 298.7, 21547, 4328.1, 4878119.1, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5)
    reading = PARSER.parse([row])
    ((trial,),) = reading.trial_sets

    assert trial.latency == Latency()
    assert trial.by_operation[0].latency == Latency(mean=pytest.approx(226.394352))
    assert "which cannot be" in reading.warnings[1]


def test_what_took_as_long_as_is_recorded_at_most_is_unknown():
    row = summary("NEW_ORDER", 60.0, 600, 600.0, 3000000.0, 5000.0, 4160.7, 9000.0, 10737.4, 16106.1, 16106.1)
    ((trial,),) = PARSER.parse([row]).trial_sets

    assert trial.latency == Latency(p50=4160.7, p95=10737.4)


def test_a_killed_run_is_read_from_its_rows():
    rows = [line for line in lines("ch-2023.log") if line.startswith("[Current]")]
    ((trial,),) = PARSER.parse(rows).trial_sets

    assert (trial.truncated, trial.operations, trial.duration_s) == (True, 13_524 + 13_238, 20.0)
    assert trial.throughput_ops_s == pytest.approx((13_524 + 13_238) / 20.0)


def test_rows_that_count_from_the_start_end_with_the_result():
    # the layout of March 2020, from pull request 12 of pingcap/go-tpc
    row = "NEW_ORDER - Takes(s): 79.9, Count: 13044, TPM: 9791.1, Sum(ms): 468862, 95th(ms): 64, 99th(ms): 80"
    earlier = row.replace("79.9, Count: 13044", "69.9, Count: 11400")
    ((trial,),) = PARSER.parse([earlier, row]).trial_sets

    assert (trial.operations, trial.duration_s, trial.latency) == (13_044, 79.9, Latency(p95=64.0, p99=80.0))


def test_runs_behind_each_other_are_trials_a_load_curve_or_the_same():
    again = ORDERS.replace("Count: 600", "Count: 601")
    eight, sixteen = COMMAND, COMMAND.replace("-T 8", "-T 16")

    twice = PARSER.parse([eight, ORDERS, PAYMENTS, eight, again, PAYMENTS])
    assert [[trial.operations for trial in alike] for alike in twice.trial_sets] == [[600, 601]]
    curve = PARSER.parse([eight, ORDERS, PAYMENTS, sixteen, again, PAYMENTS])
    assert [[trial.threads for trial in alike] for alike in curve.trial_sets] == [[8], [16]]
    assert curve.set_facts == ()
    assert len(PARSER.parse([ORDERS, PAYMENTS] * 2).trial_sets[0]) == 1
    assert PARSER.parse([ORDERS, ORDERS, PAYMENTS, PAYMENTS]) == PARSER.parse([ORDERS, PAYMENTS])
    with pytest.raises(ParseError, match=r"the threads .* are not in the file"):
        PARSER.parse([ORDERS, PAYMENTS, again, PAYMENTS])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (["[Summary] Q1: 32.13s", "[Summary] Q10: 40.34s"], "a log of TPC-H"),
        ([ORDERS.replace("NEW_ORDER", "NEW_ORDER_ERR")], "all 600 new orders failed"),
        ([PAYMENTS], "no new order was completed"),
        (["tpmC: 600.0, efficiency: 1166.4%"], "no row of new orders"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, reason):
    assert PARSER.matches(text)
    with pytest.raises(ParseError) as caught:
        PARSER.parse(text)

    assert reason in str(caught.value)
