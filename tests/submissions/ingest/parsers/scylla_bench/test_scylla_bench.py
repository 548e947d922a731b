"""Readings of scylla-bench: the expected values are worked out by hand from the files."""

from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.logs.trial_results import from_clients
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.scylla_bench.scylla_bench import PARSER

DATA = Path(__file__).resolve().parents[4] / "data" / "scylla-bench"
NOTHING = Latency()
RAW = Latency(mean=1.501234, p50=1.376255, p95=3.244031, p99=3.440639, p999=5.537791, max=6.095871)
FIXED = Latency(mean=1.842233, p50=1.638399, p95=4.128767, p99=6.258687, p999=8.880127, max=9.043967)


def lines(name):
    return (DATA / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def second(end, rate, errors=0, latency=NOTHING):
    return Interval("total", end, None, errors, rate, latency)


def test_with_a_rate_the_latency_is_response_time_and_the_service_time_is_kept_beside_it():
    assert parse("composed-both-kinds.log") == LogReading(
        tool="scylla-bench",
        facts=Facts(
            operations={"write": 1.0},
            consistency_level="QUORUM",
            threads=16,
            fixed_rate_ops_s=500.0,
            columns=1,
            value_bytes=4,
            key_count=1_000_000,
            key_distribution="uniform",
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=1499 / 3.1,  # the rate is printed as +Inf
                    operations=1499,
                    errors=1,
                    duration_s=3.1,
                    threads=16,
                    latency_kind=LatencyKind.RESPONSE_TIME,
                    latency=FIXED,
                    other_latencies=((LatencyKind.SERVICE_TIME, RAW),),
                    # which kind the rows have is not printed
                    intervals=(second(1.0, 498.0), second(2.0, 501.0, errors=1), second(3.0, 500.0)),
                ),
            ),
        ),
    )


def test_both_kinds_are_stored_with_the_trial():
    ((trial,),) = parse("composed-both-kinds.log").trial_sets

    result = from_clients([trial])

    assert (result.latency_kind, result.latency) == (LatencyKind.RESPONSE_TIME, FIXED)
    assert dict(result.by_kind) == {LatencyKind.SERVICE_TIME: RAW, LatencyKind.RESPONSE_TIME: FIXED}
    assert dict(from_clients([trial, trial]).by_kind).keys() == {LatencyKind.RESPONSE_TIME}


def test_without_a_rate_nothing_is_due_so_the_latency_is_service_time():
    reading = parse("composed-mixed.log")
    ((trial,),) = reading.trial_sets

    assert reading.facts.operations == {"read": 0.5, "write": 0.5}
    assert (reading.facts.threads, reading.facts.fixed_rate_ops_s) == (8, None)
    assert (trial.operations, trial.duration_s, trial.printed_ops_s) == (14_040, 2.0, 7020.0)
    assert trial.latency_kind == LatencyKind.SERVICE_TIME
    assert trial.latency.p99 == 3.440639
    assert trial.other_latencies == ()
    assert trial.by_operation == (
        OperationReading("read", latency=Latency(1.203331, 1.179647, 3.276799, 3.538943, 5.603327, 6.095871)),
        OperationReading("write", latency=Latency(1.063111, 1.048575, 3.211263, 3.342335, 5.406719, 5.701631)),
    )
    assert trial.intervals[1] == second(2.0, 7030.0, latency=Latency(1.1, 1.1, 3.2, 3.5, 5.6, 6.1))


def test_a_run_that_was_killed_is_read_from_its_rows_and_its_command():
    reading = parse("sb-read-rate-rows.log")
    ((trial,),) = reading.trial_sets

    assert reading.facts == Facts(
        command=lines("sb-read-rate-rows.log")[0].removeprefix("./"),
        operations={"read": 1.0},
        consistency_level="QUORUM",
        replication_factor=1,
        threads=7,
        fixed_rate_ops_s=32_000.0,
        columns=10,  # rows of a request
        value_bytes=5120,
        key_count=100_000_000,
        key_distribution="uniform",
        requested_duration_s=5760 * 60.0,
        node_count=1,
    )
    assert (trial.truncated, trial.duration_s, trial.operations, trial.errors) == (True, 6.0, None, 0)
    assert trial.throughput_ops_s == pytest.approx((6429 + 6347 + 6196 + 6536 + 7185 + 7310) / 6)
    assert (trial.latency_kind, trial.latency) == (LatencyKind.UNKNOWN, Latency())
    assert reading.warnings == ("an operation is a request of 10 rows: rows a second are that many times more",)


def test_rows_alone_are_known_and_a_retry_behind_one_does_no_harm():
    ((trial,),) = parse("sb-write-rows.log").trial_sets

    assert [row.throughput_ops_s for row in trial.intervals] == [2870.0, 2862.0, 2797.0]
    assert trial.throughput_ops_s == pytest.approx(2843.0)


def test_rows_of_2022_last_as_long_as_their_times_say():
    ((trial,),) = parse("sb-2022-rows.log").trial_sets

    assert trial.duration_s == 8.189235084
    assert trial.throughput_ops_s == pytest.approx(
        (4027 * 2.416392808 + 3485 * 2.031930736 + 3630 * 1.891641571 + 3734 * 1.849268793) / 8.189235084
    )


def test_two_runs_with_other_threads_are_a_load_curve():
    first = lines("composed-mixed.log")
    second_run = [line.replace("Concurrency:\t\t 8", "Concurrency:\t\t 32") for line in first]

    reading = PARSER.parse([*first, *second_run])

    assert [[trial.threads for trial in alike] for alike in reading.trial_sets] == [[8], [32]]
    assert (reading.facts.threads, reading.set_facts) == (None, ())


def test_two_runs_of_other_operations_are_results_of_their_own():
    reading = PARSER.parse([*lines("composed-mixed.log"), *lines("composed-both-kinds.log")])

    assert [facts.operations for facts in reading.set_facts] == [{"read": 0.5, "write": 0.5}, {"write": 1.0}]
    assert [trial.operations for (trial,) in reading.trial_sets] == [14_040, 1499]


def test_a_run_again_is_a_trial_and_the_same_output_again_is_not():
    first = lines("composed-mixed.log")
    again = [line.replace("14040", "14041") for line in first]

    assert [len(alike) for alike in PARSER.parse([*first, *again]).trial_sets] == [2]
    assert PARSER.parse([*first, *first]).trial_sets == PARSER.parse(first).trial_sets
    assert PARSER.parse([line for line in first for _ in range(2)]) == PARSER.parse(first)


def test_a_line_that_begins_like_a_result_and_is_none_is_counted():
    text = [line.replace("99th:\t\t 3.440639ms", "99th:\t\t none") for line in lines("composed-mixed.log")]
    reading = PARSER.parse(text)
    ((trial,),) = reading.trial_sets

    assert (trial.latency.p99, trial.latency.p95) == (None, 3.244031)
    assert (reading.lines_not_read_count, reading.lines_not_read) == (2, ("99th:\t\t none",))


def test_a_summary_alone_asks_for_the_load():
    text = lines("composed-both-kinds.log")
    tail = text[text.index("Results") :]
    reading = PARSER.parse(tail)
    ((trial,),) = reading.trial_sets

    assert PARSER.matches(tail)
    assert (trial.operations, trial.latency_kind, trial.latency) == (1499, LatencyKind.SERVICE_TIME, RAW)
    assert "state the concurrency" in reading.warnings[0]


def test_a_run_with_critical_errors_has_failed():
    end = ["", "Following critical errors were caught during the run:", "    gocql: no response received"]
    ((trial,),) = PARSER.parse([*lines("composed-mixed.log"), *end]).trial_sets

    assert trial.failed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (["Configuration", "Mode:\t\t\t write"], 'no row and no line "Total ops:"'),
        (["Results", "Time (avg):\t 3s", "Total ops:\t 0", "Total errors:\t 7"], "all 7 operations failed"),
        (["Results", "Time (avg):\t 3s", "Total ops:\t 0"], "no operation was completed"),
        (["Results", "Time (avg):\t 3s"], "the run did not finish"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(text)

    assert reason in str(caught.value)
