"""Readings of CockroachDB's workload: the expected values are worked out by hand from the files."""

from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.cockroach.workload import PARSER
from submissions.ingest.parsers.errors import ParseError

DATA = Path(__file__).resolve().parents[4] / "data" / "cockroach-workload"


def lines(name):
    return (DATA / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def second(name, end, rate, p50=None, p95=None, p99=None, highest=None):
    return Interval(name, end, None, None, rate, Latency(p50=p50, p95=p95, p99=p99, max=highest))


def test_a_run_has_its_types_and_the_latency_of_all_operations():
    insert = Latency(mean=34.9, p50=24.1, p95=100.7, p99=176.2, max=3489.7)
    read = Latency(mean=16.9, p50=7.6, p95=58.7, p99=125.8, max=3489.7)

    assert parse("ycsb-d.log") == LogReading(
        tool="cockroach-workload",
        facts=Facts(
            command=lines("ycsb-d.log")[0].removeprefix("$ "),
            operations={"ycsb-insert": 0.05, "ycsb-read": 0.95},
            threads=840,
            throttle_ops_s=40_000.0,
            requested_operations=50_000_000,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=50_000_839 / 1421.8,
                    operations=50_000_839,
                    errors=0,
                    duration_s=1421.8,
                    printed_ops_s=35168.3,
                    threads=840,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(mean=17.8, p50=8.1, p95=62.9, p99=130.0, max=3489.7),
                    by_operation=(
                        OperationReading("ycsb-insert", 2_501_292, None, 1759.3, insert),
                        OperationReading("ycsb-read", 47_499_547, None, 33409.0, read),
                    ),
                    intervals=(
                        second("ycsb-insert", 1411.0, 1889.5, 25.2, 96.5, 142.6, 251.7),
                        second("ycsb-read", 1411.0, 35797.8, 8.1, 56.6, 104.9, 184.5),
                        second("ycsb-insert", 1412.0, 1719.4, 19.9, 92.3, 125.8, 159.4),
                        second("ycsb-insert", 1421.0, 1844.9, 24.1, 96.5, 167.8, 285.2),
                        second("ycsb-read", 1421.0, 33531.9, 8.1, 62.9, 142.6, 243.3),
                        second("total", 1411.0, pytest.approx(37687.3)),
                        second("total", 1412.0, 1719.4),
                        second("total", 1421.0, pytest.approx(35376.8)),
                    ),
                ),
            ),
        ),
    )


def test_of_tpcc_new_orders_are_the_operations():
    reading = parse("tpcc-100.log")
    ((trial,),) = reading.trial_sets

    assert reading.facts == Facts(operations={"new-order": 1.0}, settings={"warehouses": 100})
    assert (trial.operations, trial.duration_s, trial.printed_ops_s) == (36_821, 1800.0, 1227.4 / 60)
    assert trial.throughput_ops_s == 36_821 / 1800
    assert trial.latency == Latency(p50=402.7, p95=637.5, p99=872.4, max=2952.8)
    assert [(each.name, each.operations) for each in trial.by_operation] == [
        ("delivery", 3732),
        ("new-order", 36_821),
        ("order-status", 3704),
        ("payment", 37_037),
        ("stock-level", 3731),
    ]


def test_the_last_line_of_tpcc_is_a_result_and_its_warehouses_are_not_exact():
    reading = parse("tpcc-result.log")
    ((trial,),) = reading.trial_sets

    assert trial.throughput_ops_s == pytest.approx(160_420 / 60)
    assert (trial.operations, trial.errors) == (4_812_600, None)
    assert trial.latency == Latency(p50=285.2, p95=671.1, p99=939.5, max=4160.7)
    assert reading.facts.settings is None  # 96.0 % of 12.86 each: 12,987 to 13,001 warehouses


def test_rows_of_the_ramp_up_are_left_out_and_a_killed_run_is_read_from_its_last_ones():
    rows = [
        "   1.0s        0          100.0          100.0      1.0      2.0      3.0      4.0 read",
        "   2.0s        0          200.0          150.0      1.0      2.0      3.0      4.0 read",
        "_elapsed___errors__ops/sec(inst)___ops/sec(cum)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)",
        "   1.0s        0          400.0          400.0      1.0      2.0      3.0      4.0 read",
        "   1.0s        0           40.0           40.0      1.0      2.0      3.0      4.0 write",
        "   2.0s        1          420.0          410.0      1.0      2.0      3.0      4.0 read",
        "   2.0s        1           42.0           41.0      1.0      2.0      3.0      4.0 write",
    ]
    reading = PARSER.parse(rows)
    ((trial,),) = reading.trial_sets

    assert (trial.truncated, trial.throughput_ops_s, trial.duration_s, trial.errors) == (True, 451.0, 2.0, 1)
    assert [row.throughput_ops_s for row in trial.intervals if row.operation == "total"] == [440.0, 462.0]
    assert "ramp-up" in reading.warnings[0]


def test_rows_and_totals_without_their_heads_are_known():
    totals = [line for line in lines("ycsb-d.log")[-9:] if "elapsed" not in line]
    ((trial,),) = PARSER.parse(totals).trial_sets

    assert PARSER.matches(totals)
    assert (trial.operations, trial.latency.p99) == (50_000_839, 130.0)


def test_two_runs_are_points_of_a_load_curve():
    first = lines("ycsb-d.log")
    second_run = [line.replace("--concurrency 840", "--concurrency 420") for line in first]
    reading = PARSER.parse([*first, *second_run])

    assert [[trial.threads for trial in alike] for alike in reading.trial_sets] == [[840], [420]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (["$ cockroach workload run kv", "Error: pq: relation kv does not exist"], 'the tool says: "pq: relation kv'),
        (
            ["_elapsed___errors_____ops(total)___ops/sec(cum)__avg(ms)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)__result"],
            "the run did not finish",
        ),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(text)

    assert reason in str(caught.value)
