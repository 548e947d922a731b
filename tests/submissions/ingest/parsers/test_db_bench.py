"""Readings of RocksDB's db_bench: the expected values are worked out by hand from the files."""

from pathlib import Path

import pytest

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.db_bench import PARSER
from submissions.ingest.parsers.errors import ParseError

DATA = Path(__file__).resolve().parents[3] / "data" / "db-bench"
NO_SERVER = "rocksdb runs in the process of the load tool: there is no server and no network"


def lines(name):
    return (DATA / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def test_a_benchmark_has_its_histogram_and_no_server():
    reading = parse("fillseq.log")

    assert reading == LogReading(
        tool="db-bench",
        facts=Facts(
            operations={"fillseq": 1.0},
            threads=1,  # 5.288 us of each of 189,094 a second
            client_placement=ClientPlacement.ON_DATABASE,
            value_bytes=800,
            key_count=10_000_000,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=10_000_000 / 52.883,
                    operations=10_000_000,
                    duration_s=52.883,
                    printed_ops_s=189_094.0,
                    threads=1,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(
                        mean=5.2883 / 1000, p50=4.71 / 1000, p99=9.89 / 1000, p999=24.10 / 1000, max=406.752
                    ),
                ),
            ),
        ),
        warnings=(NO_SERVER,),
    )


def test_several_threads_are_only_known_from_the_command():
    reading = parse("histogram.log")

    assert (reading.facts.threads, reading.facts.service_version) == (None, "7.8.3")
    assert "more than one" in reading.warnings[1]
    assert reading.trial_sets[0][0].latency.p99 == 187.27 / 1000


def test_two_starts_with_other_threads_are_a_load_curve():
    reading = parse("two-starts.log")
    ((one,), (ten,)) = reading.trial_sets

    assert (one.threads, ten.threads) == (1, 10)
    assert (one.operations, ten.operations, ten.duration_s) == (100_000_000, 1_000_000_000, 466.939)
    assert ten.latency == Latency(mean=4.616 / 1000)
    assert reading.warnings[1] == (
        "readrandom: 63,221,157 of 100,000,000 keys were found; reads of the others are counted, too"
    )


def test_each_benchmark_of_a_start_is_a_result_and_those_of_no_database_are_none():
    text = [
        "fillrandom   :       4.146 micros/op 241207 ops/sec;   24.8 MB/s",
        "compact      : 1360175.000 micros/op 0 ops/sec 1.360 seconds 1 operations;",
        "crc32c       :       1.543 micros/op 648000 ops/sec; 2530.9 MB/s (4K per op)",
        "... finished 500 ops seekrandom: 103760.757 micros/op 9 ops/sec 60.288 seconds 581 operations; (1 of 1 found)",
    ]
    reading = PARSER.parse(text)
    ((fill,), (seek,)) = reading.trial_sets

    assert [facts.operations for facts in reading.set_facts] == [{"fillrandom": 1.0}, {"seekrandom": 1.0}]
    assert (fill.throughput_ops_s, fill.operations, fill.duration_s) == (241_207.0, None, None)
    assert (seek.throughput_ops_s, seek.printed_ops_s, seek.threads) == (581 / 60.288, None, 1)


def test_a_batch_and_a_limited_rate_are_stated():
    text = [
        "$ ./db_bench -benchmarks=fillrandom -batch_size=100 -threads=4 -duration=60",
        "Write rate: 1000000 bytes/second",
        "Read rate: 500 ops/second",
        "fillrandom   :       8.000 micros/op 500000 ops/sec 60.000 seconds 30000000 operations;",
    ]
    facts = PARSER.parse(text).facts

    assert facts.operations == {"fillrandom-batch-100": 1.0}
    assert (facts.threads, facts.requested_duration_s) == (4, 60.0)
    assert (facts.has_unknown_limit, facts.throttle_ops_s) == (True, 500.0)


@pytest.mark.parametrize("text", ["RocksDB:    version 8.4.0", "crc32c : 1.543 micros/op 648000 ops/sec; 2530.9 MB/s"])
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ParseError, match="the run did not finish"):
        PARSER.parse([text])
