"""YCSB as others run it: ended by time, over 2^31 operations, with the operations of a fork."""

import gzip
from pathlib import Path

import pytest

from submissions.ingest.document.readings import LogReading
from submissions.ingest.parsers.ycsb.ycsb import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "ycsb" / "public"


def parse(name: str) -> LogReading:
    return PARSER.parse((DATA / name).read_text(errors="replace").splitlines())


def test_a_run_that_its_time_limit_ended_says_so():
    text = gzip.decompress((DATA / "cassandra-ended-by-time.txt.gz").read_bytes()).decode(errors="replace")

    reading = PARSER.parse(text.splitlines())

    [[trial]] = reading.trial_sets
    assert trial.ended_by_time
    assert (reading.facts.requested_operations, reading.facts.requested_duration_s) == (90_000_000, 1800.0)
    # 35,765,318 reads and 35,761,517 inserts in 1,802.240 s, 38 reads failed
    assert (trial.operations, trial.errors, trial.duration_s) == (71_526_835, 38, 1802.24)
    assert trial.throughput_ops_s == pytest.approx(71_526_835 / 1802.24)


def test_a_time_limit_from_a_property_file_is_read_where_ycsb_prints_it():
    lines = [
        "Command line: -t -P workloads/mine -threads 2",
        "Maximum execution time specified as: 1800 secs",
        "Maximum time elapsed. Requesting stop for the workload.",
        "[OVERALL], RunTime(ms), 1800500",
        "[READ], Operations, 1000",
    ]

    reading = PARSER.parse(lines)

    assert reading.facts.requested_duration_s == 1800.0
    assert reading.trial_sets[0][0].ended_by_time


def test_a_run_that_did_all_its_operations_did_not_end_by_time():
    [[trial]] = parse("cassandra-overflow-shortened.txt").trial_sets

    assert not trial.ended_by_time


def test_a_printed_rate_that_overflowed_32_bits_is_left_out_and_told():
    reading = parse("cassandra-overflow-shortened.txt")

    [[trial]] = reading.trial_sets
    # 1,298,959,869 reads + 111,981,062 deletes + 1,120,000,228 inserts + 167,988,482 updates
    assert (trial.operations, trial.errors, trial.duration_s) == (2_698_929_641, 101_070_359, 29_590.094)
    assert trial.throughput_ops_s == pytest.approx(2_698_929_641 / 29_590.094)
    assert trial.printed_ops_s is None  # -50,522.6: 2,800,000,000 - 2^32 operations
    assert (
        "YCSB printed -50,523 ops/s, because its count of operations exceeded 32 bits: "
        "the throughput here is operations by measured time"
    ) in reading.warnings


def test_a_wrong_rate_that_no_overflow_explains_stays():
    lines = ["[OVERALL], RunTime(ms), 10000", "[OVERALL], Throughput(ops/sec), 7.5", "[READ], Operations, 3000000000"]

    [[trial]] = PARSER.parse(lines).trial_sets

    assert trial.printed_ops_s == 7.5


def test_the_sums_of_an_operation_and_its_failures_are_not_counted_again():
    reading = parse("aerospike-combined-shortened.txt")

    [[trial]] = reading.trial_sets
    counts = {each.name: (each.operations, each.errors) for each in trial.by_operation}
    assert counts == {
        "delete": (161_397_267, 14_628_924),
        "insert": (1_759_997_721, 0),
        "read": (2_017_131_862, 182_857_112),
        "update": (242_039_103, 21_948_011),
    }
    assert (trial.operations, trial.errors) == (4_180_565_953, 219_434_047)
    assert reading.facts.operations == {"read": 0.5, "insert": 0.4, "update": 0.06, "delete": 0.04}
    assert trial.printed_ops_s == 124_661.14126934847
