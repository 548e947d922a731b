"""Readings of cassandra-easy-stress and tlp-stress: the expected values are worked out by hand from the files."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, OperationReading
from submissions.ingest.parsers.easy_stress.easy_stress import PARSERS
from submissions.ingest.parsers.errors import ParseError

DATA = Path(__file__).resolve().parents[4] / "data" / "easy-stress"
CSV, TEXT = PARSERS
SAMPLED = (
    "the percentiles are the tool's estimates: of about a thousand requests, most of them of the last five minutes"
)
ROW = "  0          10.81             0 |  0          14.81             0 |  0          0         0 |  0       0"


def lines(name):
    return (DATA / name).read_text().splitlines()


def test_the_last_row_counts_all_operations_and_the_run_ends_within_the_last_that_grew():
    reading = TEXT.parse(lines("tlp-keyvalue-book.log"))
    ((trial,),) = reading.trial_sets

    assert reading.tool == "cassandra-easy-stress"
    assert reading.facts == Facts(
        command='run KeyValue --field.keyvalue.value="book(20,40)"',
        operations={"keyvalue-write": 0.5, "keyvalue-read": 0.5},
        consistency_level="LOCAL_ONE",
    )
    # 949,303 operations in the 16 rows of 3 s before the last that grew
    assert trial.throughput_ops_s == pytest.approx(949_303 / 48)
    assert (trial.operations, trial.errors, trial.duration_s, trial.truncated) == (1_000_000, 0, 50.563, False)
    assert trial.latency_kind == LatencyKind.SERVICE_TIME
    assert trial.latency == Latency()
    assert trial.by_operation == (
        OperationReading("keyvalue-write", 500_169, latency=Latency(p99=10.81)),
        OperationReading("keyvalue-read", 499_831, latency=Latency(p99=14.81)),
    )
    assert trial.intervals[:2] == (
        Interval("total", 3.0, 20_539, 0, 20_539 / 3),
        Interval("total", 6.0, 40_367, 0, 40_367 / 3),
    )
    assert (len(trial.intervals), trial.intervals[-1].operations) == (17, 50_697)
    assert reading.warnings[0] == SAMPLED


def test_its_successor_measures_from_when_a_request_was_due():
    reading = TEXT.parse(lines("easy-keyvalue.log"))
    ((trial,),) = reading.trial_sets

    assert trial.latency_kind == LatencyKind.RESPONSE_TIME
    # at the rate before, the last 2,836 would have taken longer than their row
    assert (trial.operations, trial.duration_s) == (10_000, 15.0)
    assert trial.throughput_ops_s == pytest.approx(10_000 / 15)
    assert reading.facts.has_unknown_limit  # it has a rate by default


def test_the_file_of_csv_has_times_and_the_command():
    reading = CSV.parse(lines("tlp-timeseries.csv"))
    ((trial,),) = reading.trial_sets

    assert reading.facts == Facts(
        command=lines("tlp-timeseries.csv")[1].removeprefix("# "),
        operations={"basictimeseries-write": 0.8, "basictimeseries-read": 0.2},
        throttle_ops_s=20_000.0,
        key_count=100_000_000,
        key_distribution="sequence",
        requested_duration_s=75 * 60.0,
        measured_at=datetime(2021, 11, 9, 20, 2, 55, 463608, tzinfo=UTC),  # 3 s before the first row
    )
    # 379,036 operations in the 18 s before the last row; the clock of the file began 82 s before the run
    assert trial.throughput_ops_s == pytest.approx(379_036 / 18)
    assert (trial.operations, trial.duration_s) == (439_037, pytest.approx(439_037 * 18 / 379_036, abs=0.001))
    assert trial.truncated  # 75 minutes were asked for
    assert trial.by_operation[0].latency == Latency(p50=pytest.approx(0.437234), p99=3.302708)
    assert [row.elapsed_seconds for row in trial.intervals] == [3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0]


def test_a_file_with_milliseconds_and_microseconds_is_read():
    ((trial,),) = CSV.parse(
        [
            "# easy-cass-stress run at 1700000000000 (unix ts in ms)",
            "# run KeyValue --rate 5k --cl LOCAL_QUORUM -d 6s",
            ",,Mutations,,,Reads,,,Deletes,,,Errors,,InFlights,RequestQueueDepth",
            "Epoch Time (ms), Elapsed Time (ms),"
            + "Count,Latency (us) (p99),1min (req/s)," * 3
            + "Count,1min (errors/s),Count,Count",
            "1700000010000,10000,6000,1500,0,0,0,0,0,0,0,0,0,3,1",
            "1700000013000,13000,12000,1600,0,0,0,0,0,0,0,2,0,3,1",
        ]
    ).trial_sets

    assert (trial.operations, trial.errors, trial.duration_s) == (12_000, 2, 6.0)
    assert trial.latency == Latency(p99=1.6)
    assert not trial.truncated


def test_rows_alone_are_known_but_not_their_kind_of_latency():
    rows = [line for line in lines("tlp-keyvalue-book.log") if " | " in line and "Count" not in line]
    reading = TEXT.parse(rows)
    ((trial,),) = reading.trial_sets

    assert TEXT.matches(rows)
    assert (trial.operations, trial.truncated, trial.latency_kind) == (1_000_000, True, LatencyKind.UNKNOWN)
    assert [each.name for each in trial.by_operation] == ["write", "read"]
    assert "does not name the tool" in reading.warnings[1]


def test_two_runs_of_other_workloads_are_results_of_their_own():
    first = lines("tlp-keyvalue-book.log")
    second = [line.replace("KeyValue", "Maps") for line in first]
    reading = TEXT.parse([*first, *second])

    assert [list(facts.operations) for facts in reading.set_facts] == [
        ["keyvalue-write", "keyvalue-read"],
        ["maps-write", "maps-read"],
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (lines("tlp-keyvalue-short.log"), "within 3 s: too short for a rate"),
        ([ROW] * 3, "no operation was completed"),
        (["$ bin/tlp-stress run KeyValue -d 10m"], "no row of counts"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, reason):
    with pytest.raises(ParseError) as caught:
        TEXT.parse(text)

    assert reason in str(caught.value)
