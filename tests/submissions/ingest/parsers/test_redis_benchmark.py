"""Readings of real outputs of redis-benchmark and valkey-benchmark."""

from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.redis_benchmark import PARSER

DATA = Path(__file__).resolve().parents[3] / "data" / "redis-benchmark"


def parse(name):
    with (DATA / name).open(newline="\n") as file:  # the progress ends with carriage returns
        return PARSER.parse(line.rstrip("\n") for line in file)


def trial(rate, seconds, latency, *, clients=50):
    return TrialReading(
        throughput_ops_s=rate,
        operations=20000,
        duration_s=seconds,
        printed_ops_s=rate,
        threads=clients,
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=latency,
    )


def facts(operation, *, clients=50):
    return Facts(operations={operation: 1.0}, threads=clients, columns=1, value_bytes=3, requested_operations=20000)


def test_each_test_of_a_run_is_a_submission_of_its_own():
    assert parse("rb70-01-set-get.log") == LogReading(
        tool="redis-benchmark",
        trial_sets=(
            (trial(4844.96, 4.128001, Latency(mean=7.828, p50=4.839, p95=24.719, p99=36.255, max=46.207)),),
            (trial(6550.93, 3.053002, Latency(mean=5.7, p50=3.583, p95=18.687, p99=35.519, max=65.343)),),
        ),
        set_facts=(facts("set"), facts("get")),
    )


def test_valkey_benchmark_prints_the_same():
    reading = parse("vb81-01-set-get.log")

    assert reading.set_facts == (facts("set", clients=10), facts("get", clients=10))
    assert reading.trial_sets[1] == (
        trial(16233.77, 1.232, Latency(mean=0.491, p50=0.191, p95=2.303, p99=5.247, max=11.135), clients=10),
    )


def test_csv_has_rates_and_percentiles_but_no_counts():
    reading = parse("vb81-02-csv.log")

    assert [facts.operations for facts in reading.set_facts] == [{"set": 1.0}, {"mset (10 keys)": 1.0}]
    ((first,), _) = reading.trial_sets
    assert (first.throughput_ops_s, first.operations, first.duration_s) == (16920.47, None, None)
    assert first.latency == Latency(mean=0.465, p50=0.167, p95=2.399, p99=4.903, max=12.415)
    assert "no number of requests" in reading.warnings[0]


def test_the_quiet_output_has_a_median():
    ((first,), (second,)) = parse("rb70-03-quiet.log").trial_sets

    assert (first.throughput_ops_s, first.latency) == (5993.41, Latency(p50=4.207))
    assert (second.throughput_ops_s, second.latency) == (6930.01, Latency(p50=3.495))


def test_more_requests_under_way_than_clients_are_pipelines():
    reading = parse("rb70-04-threads.log")
    ((trial,),) = reading.trial_sets

    # 28,674 requests a second of 5.885 ms are 169 under way, of 30 clients with -P 8
    assert (trial.throughput_ops_s, trial.operations, trial.threads) == (28673.84, 40000, None)
    assert reading.facts.value_bytes == 100
    assert "state clients as threads, and the pipeline" in reading.warnings[0]


def test_a_command_of_ones_own_has_no_value_size():
    reading = parse("rb70-05-command.log")

    assert reading.facts == Facts(operations={"eval return 1 0": 1.0}, threads=50, requested_operations=10000)


def test_the_layout_before_redis_6_has_no_percentiles():
    ((trial,),) = parse("composed-redis5.log").trial_sets

    assert (trial.throughput_ops_s, trial.operations) == (109890.11, 100000)
    assert (trial.latency_kind, trial.latency) == (LatencyKind.UNKNOWN, Latency())


def test_what_is_no_result_is_refused_with_the_reason():
    with pytest.raises(ParseError, match=r"the run failed: Could not connect to Redis at 127\.0\.0\.1"):
        parse("rb70-06-refused.log")
    with pytest.raises(ParseError, match=r"no throughput of any test \(SET\): the run did not finish"):
        PARSER.parse(["====== SET ======", "  50 parallel clients"])


def test_a_text_that_is_cut_behind_its_percentiles_has_the_rate_of_its_time():
    ((trial,),) = PARSER.parse(["====== SET ======", "  1000000 requests completed in 15.80 seconds"]).trial_sets

    assert trial.throughput_ops_s == 1_000_000 / 15.8


def test_the_same_test_again_is_another_trial_or_another_point_of_its_curve():
    lines = (DATA / "composed-redis5.log").read_text().splitlines()
    again = [line.replace("109890.11", "109890.12") for line in lines]
    more_clients = [line.replace("50 parallel", "99 parallel") for line in again]

    assert [len(trials) for trials in PARSER.parse(lines + lines).trial_sets] == [1]
    assert [len(trials) for trials in PARSER.parse(lines + again).trial_sets] == [2]
    assert [len(trials) for trials in PARSER.parse(lines + again + more_clients).trial_sets] == [2, 1]
