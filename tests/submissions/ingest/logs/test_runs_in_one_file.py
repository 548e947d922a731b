"""Runs that were appended to one file: points of a load curve, trials, or results of their own."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.ingest.logs.document import Imported, submissions_of_logs
from submissions.ingest.logs.read import read_logs
from submissions.ingest.uploads import offered
from tests.files import DATA


def imported(*texts: str) -> list[Imported]:
    return submissions_of_logs(read_logs(offered([SimpleUploadedFile("runs.log", "".join(texts).encode())])))


@pytest.mark.parametrize(
    ("log", "threads", "others"),
    [
        ("pgbench/pg18-01-tpcb.log", "number of clients: 4", {1: "number of clients: 1", 8: "number of clients: 8"}),
        ("sysbench/sb10-01-read-write.log", "Number of threads: 4", {8: "Number of threads: 8"}),
        ("ycsb/ycsb17-01-load-status.log", "-threads 4", {1: "-threads 1", 16: "-threads 16"}),
        ("go-ycsb/goycsb-06-target.log", '"threadcount"="4"', {32: '"threadcount"="32"'}),
        ("memtier/composed-text.log", "50        Connections", {240: "60        Connections"}),
        ("cassandra-stress/older/cs226-write.log", "with 8 threads", {9: "with 9 threads"}),
    ],
)
def test_runs_of_other_thread_counts_are_a_load_curve(log, threads, others):
    text = (DATA / log).read_text()
    assert threads in text

    (result,) = imported(text, *(text.replace(threads, other) for other in others.values()))

    first, *rest = [trial.threads for trial in result.trials]
    assert rest == list(others)
    assert first not in others
    assert result.content["workload"].get("threads") is None


def test_a_test_of_redis_benchmark_with_other_clients_is_a_point_of_its_curve():
    text = (DATA / "redis-benchmark/rb70-01-set-get.log").read_text()

    results = imported(text, text.replace("50 parallel", "99 parallel"))

    assert [[trial.threads for trial in result.trials] for result in results] == [[50, 99], [50, 99]]
    assert [result.content["workload"]["operations"] for result in results] == [{"set": 1.0}, {"get": 1.0}]


@pytest.mark.parametrize(
    ("log", "rate", "other"),
    [
        ("ycsb/ycsb17-02-mixed-target-both.log", "-target 1500", "-target 4000"),
        ("go-ycsb/goycsb-06-target.log", '"target"="500"', '"target"="900"'),
    ],
)
def test_runs_of_other_rates_are_a_load_curve(log, rate, other):
    text = (DATA / log).read_text()

    (result,) = imported(text, text.replace(rate, other))

    assert [trial.offered_ops_s for trial in result.trials] == [float(number(rate)), float(number(other))]
    assert "command" not in result.content["workload"]  # it has one rate


def number(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def test_a_load_and_a_run_of_ycsb_are_two_results():
    load = (DATA / "ycsb/ycsb17-01-load-status.log").read_text()
    run = (DATA / "ycsb/ycsb17-02-mixed-target-both.log").read_text()

    results = imported(load, run)

    assert [result.content["workload"]["operations"] for result in results] == [
        {"insert": 1.0},
        {"read": 0.5, "update": 0.5},
    ]
    assert [len(result.trials) for result in results] == [1, 1]


def test_a_run_that_was_killed_is_a_truncated_trial_between_whole_ones():
    text = (DATA / "pgbench/pg18-01-tpcb.log").read_text()
    rows = "".join(line for line in text.splitlines(keepends=True) if line.startswith(("pgbench (", "progress:")))

    whole, killed, last = [
        trial for result in imported(text, rows, text.replace("10811", "10812")) for trial in result.trials
    ]

    assert [trial.is_truncated for trial in (whole, killed, last)] == [False, False, True]


def test_the_streams_of_one_run_may_follow_each_other():
    lines = (DATA / "ycsb/ycsb17-01-load-status.log").read_text().splitlines(keepends=True)
    summary = [line for line in lines if line.startswith("[")]
    rest = [line for line in lines if not line.startswith("[")]

    (behind,) = imported(*summary, *(line for line in rest if " sec: " in line))
    (before,) = imported(*rest, *summary)

    assert len(behind.trials) == 1
    assert behind.trials[0].throughput_ops_s == before.trials[0].throughput_ops_s
    assert behind.trials[0].intervals == before.trials[0].intervals
