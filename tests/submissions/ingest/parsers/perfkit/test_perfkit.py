"""Readings of PerfKitBenchmarker's samples: the expected values are worked out by hand from the files."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import ClientPlacement, LatencyKind, Role
from submissions.ingest.document.readings import Facts, Latency, LogReading, MachineReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.perfkit.perfkit import PARSER
from submissions.ingest.parsers.ycsb import ycsb

DATA = Path(__file__).resolve().parents[4] / "data"
FILES = DATA / "perfkitbenchmarker"


def lines(name):
    return (FILES / name).read_text().splitlines()


def parse(name):
    return PARSER.parse(lines(name))


def rung(connections, rate, started_at, *latencies):
    return TrialReading(
        throughput_ops_s=rate,
        threads=connections,
        started_at=started_at,
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=Latency(**dict(zip(("mean", "p50", "p95", "p99", "p999"), latencies, strict=True))),
    )


def test_the_load_tool_is_the_one_that_it_ran_and_the_labels_give_the_system():
    assert parse("redis-memtier.json") == LogReading(
        tool="memtier-benchmark",
        facts=Facts(
            service="redis",
            tool_version="1.4.0",
            operations={"set": 0.1, "get": 0.9},
            pipeline=1,
            client_placement=ClientPlacement.SEPARATE,
            value_bytes=1024,
            key_count=1_000_000,
            requested_duration_s=60.0,
            provider="AWS",
            region="us-east-1",
            zones=("us-east-1a",),
            machines=(
                MachineReading(Role.DATABASE, "m6i.2xlarge", 1, 8),
                MachineReading(Role.CLIENT, "m6i.4xlarge", 1, 16),
            ),
            measured_at=datetime(2026, 1, 1, 23, 59, tzinfo=UTC),
        ),
        trial_sets=(
            (rung(40, 150_000.5, datetime(2026, 1, 1, 23, 59, tzinfo=UTC), 0.26, 0.25, 0.4, 0.5, 0.9),),
            (rung(200, 210_000.25, datetime(2026, 1, 2, 0, 0, 40, tzinfo=UTC), 0.95, 0.9, 1.5, 1.9, 3.1),),
        ),
    )


def test_the_figures_of_ycsb_are_those_of_its_own_log():
    reading = parse("cassandra-ycsb.json")
    logs = [DATA / "ycsb" / name for name in ("ycsb17-01-load-status.log", "ycsb17-02-mixed-target-both.log")]
    load, run = (ycsb.PARSER.parse(log.read_text().splitlines()).trial_sets[0][0] for log in logs)
    ((of_load,), (of_run,)) = reading.trial_sets

    assert reading.tool == "ycsb"
    assert (of_load.operations, of_load.duration_s, of_load.latency.p99) == (5000, 2.096, 3.147)
    assert (of_load.throughput_ops_s, of_load.by_operation) == (load.throughput_ops_s, load.by_operation)
    assert (of_run.operations, of_run.errors, of_run.throughput_ops_s) == (6000, 0, run.throughput_ops_s)
    assert of_run.by_operation[0].latency == Latency(
        mean=1.556426523297491, p50=1.298, p95=3.091, p99=3.121, p999=5.395, max=7.995
    )


def test_the_load_phase_is_a_result_of_its_own():
    load, run = parse("cassandra-ycsb.json").set_facts

    assert (load.operations, run.operations) == ({"insert": 1.0}, {"read": 0.5, "update": 0.5})
    assert (load.threads, run.threads, run.key_distribution) == (4, 8, "zipfian")
    assert (run.service, run.consistency_level, run.replication_factor) == ("cassandra", "QUORUM", 3)
    assert run.machines[0] == MachineReading(Role.DATABASE, "n2-standard-8", 3, 8)
    assert (run.provider, run.region, run.zones) == ("GCP", "us-central1", ("us-central1-a",))


def test_labels_may_be_an_object():
    changed = []
    for line in lines("redis-memtier.json"):
        sample = json.loads(line)
        labels = sample.pop("labels").strip("|").split("|,|")
        changed.append(json.dumps({**sample, "metadata": dict(label.split(":", 1) for label in labels)}))

    assert PARSER.parse(changed) == parse("redis-memtier.json")


def test_the_rates_of_several_client_machines_are_added():
    rates = [line for line in lines("redis-memtier.json") if '"Ops Throughput"' in line][:1]
    second = rates[0].replace("150000.5", "50000.5")
    reading = PARSER.parse([*rates, second])
    ((trial,),) = reading.trial_sets

    assert (trial.throughput_ops_s, trial.threads, trial.latency) == (200_001.0, 80, Latency())
    assert "cannot be joined" in reading.warnings[0]


def test_what_a_run_was_cut_short_by_is_passed_over():
    text = lines("redis-memtier.json")

    assert PARSER.parse([*text[:-1], text[-1][:200]]) == parse("redis-memtier.json")


def test_tests_of_no_database_are_refused_by_name():
    assert PARSER.matches(lines("iperf.json"))
    with pytest.raises(ParseError, match="the tests of the file are: iperf"):
        parse("iperf.json")


def test_two_load_tools_are_refused():
    with pytest.raises(ParseError, match="one file for each load tool"):
        PARSER.parse([*lines("redis-memtier.json"), *lines("cassandra-ycsb.json")])
