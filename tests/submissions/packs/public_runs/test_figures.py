"""Every stored figure of every published run is that of its logs, which are read here a second time."""

import re
from functools import cache

import pytest

from submissions.choices import LatencyKind, LoadMode
from submissions.models import PackEntry
from submissions.packs.public_runs.archives import FOLDER
from tests.public_pack import folders, with_all_runs
from tests.submissions.packs.public_runs import summaries
from tests.submissions.packs.public_runs.summaries import NAMES, PERCENTILES, Counts, Run

pytestmark = pytest.mark.django_db

RECORDED = 2e-3  # a histogram of three digits, in microseconds there and in nanoseconds here


@cache
def logs() -> dict[str, Run]:
    return summaries.runs(FOLDER)


def near(value, rel=1e-9):
    """Milliseconds are kept to the nanosecond."""
    return None if value is None else pytest.approx(value, rel=rel, abs=1e-6)


def expected_types(run: Run) -> dict[str, dict]:
    """Of each type of operation, over all clients: percentiles of one client, or of merged histograms, or none."""
    clients = list(run.clients.values())
    found = {}
    for name in sorted({name for client in clients for name in client.types}):
        done = [client for client in clients if client.done(name)]
        latency = dict.fromkeys(NAMES)
        exact = 1e-9
        if len(done) == 1:
            latency = done[0].stated(name)
        elif done:
            total = sum(client.done(name) for client in done)
            latency["mean"] = sum(client.stated(name)["mean"] * client.done(name) for client in done) / total
            latency["max"] = max(client.stated(name)["max"] for client in done)
        if name in run.histograms and done:
            recorded = run.histograms[name].latency()
            latency = {short: value if value is not None else recorded[short] for short, value in latency.items()}
            exact = RECORDED
        found[name.lower()] = {
            "operations": sum(client.done(name) for client in clients),
            "errors": sum(client.failed(name) for client in clients),
            "throughput_ops_s": near(sum(client.done(name) / client.seconds for client in done) if done else None),
            "latency_ms": {short: near(value, exact) for short, value in latency.items()},
        }
    return found


def expected_latency(run: Run) -> tuple[dict, dict]:
    """Over all operations, and the ranges over clients; nothing that only an average of percentiles would give."""
    clients = list(run.clients.values())
    parts = [(client, name) for client in clients for name in client.types if client.done(name)]
    total = sum(client.done(name) for client, name in parts)
    latency = dict.fromkeys(NAMES)
    if run.histograms:
        merged = Counts()
        for counts in run.histograms.values():
            merged.numbers += counts.numbers
        return {name: near(value, RECORDED) for name, value in merged.latency().items()}, {}
    latency["mean"] = sum(client.stated(name)["mean"] * client.done(name) for client, name in parts) / total
    latency["max"] = max(client.stated(name)["max"] for client, name in parts)
    ranges = {}
    if len(parts) == len(clients):  # one type: each client's summary is that of all of its operations
        for short in PERCENTILES:
            stated = [client.stated(name)[short] for client, name in parts]
            if None not in stated:
                latency[short] = max(stated)
                ranges[short] = [near(min(stated)), near(max(stated))]
    return {name: near(value) for name, value in latency.items()}, ranges if len(clients) > 1 else {}


def latency_of(row) -> dict:
    return {name: getattr(row, f"latency_{name}_ms") for name in NAMES}


def test_the_logs_are_read_without_the_site():
    read = logs()

    assert len(read) == 100
    assert sum(len(run.clients) for run in read.values()) == 181
    assert sum(bool(run.histograms) for run in read.values()) == 2
    assert {folder for all_of in folders().values() for folder in all_of} == read.keys()


@pytest.fixture
def results(db):
    """Each stored result by its key, with what its logs say; the pack is loaded once, by the first test."""
    with_all_runs()
    rows = PackEntry.objects.select_related("submission").prefetch_related("submission__trials")
    stored = {row.key: row.submission for row in rows}
    assert stored.keys() == folders().keys()
    return {key: (stored[key], [logs()[folder] for folder in own]) for key, own in folders().items()}


def differing(key, stored: dict, wanted: dict) -> dict:
    assert stored.keys() == wanted.keys()
    return {(key, name): (stored[name], wanted[name]) for name in wanted if stored[name] != wanted[name]}


def of_trial(trial) -> dict:
    names = ("throughput_ops_s", "operations", "errors", "duration_s", "client_count", "latency_ranges", "latency_kind")
    types = {row["name"]: {name: row[name] for name in row if name != "name"} for row in trial.by_operation}
    own = {name: getattr(trial, name) for name in (*names, "is_truncated")}
    return {**own, **latency_of(trial), "by_operation": types}


def of_logs(run: Run) -> dict:
    clients = list(run.clients.values())
    latency, ranges = expected_latency(run)
    return {
        "throughput_ops_s": near(rate_of(run)),
        "operations": done_by(run),
        "errors": sum(client.failed(name) for client in clients for name in client.types),
        "duration_s": max(client.seconds for client in clients),
        "client_count": len(clients),
        "latency_ranges": ranges,
        "latency_kind": LatencyKind.SERVICE_TIME,
        "is_truncated": False,
        **latency,
        "by_operation": expected_types(run),
    }


def done_by(run: Run) -> float:
    return sum(client.done(name) for client in run.clients.values() for name in client.types)


def rate_of(run: Run) -> float:
    """The sum of the clients' own rates."""
    return sum(sum(client.done(name) for name in client.types) / client.seconds for client in run.clients.values())


def at_peak(key: str, runs: list[Run]) -> list[Run]:
    """Of a load curve, whose runs differ in their threads, the one that did most."""
    return [max(runs, key=rate_of)] if key.endswith("-by-threads") else runs


def headline_of(runs: list[Run]) -> dict:
    """The mean of the rates; the mean latency of all operations; percentiles by the median of the trials."""
    latencies = [expected_latency(run)[0] for run in runs]
    weights = [done_by(run) for run in runs]
    means = [each["mean"].expected * weight for each, weight in zip(latencies, weights, strict=True)]
    headline = {
        "trials_count": len(runs),
        "throughput_ops_s": near(sum(rate_of(run) for run in runs) / len(runs)),
        "mean": near(sum(means) / sum(weights), RECORDED),
        "max": near(max(each["max"].expected for each in latencies), RECORDED),
    }
    for name in PERCENTILES:
        stated = sorted(each[name].expected for each in latencies if each[name] is not None)
        middle = (stated[(len(stated) - 1) // 2] + stated[len(stated) // 2]) / 2 if stated else None
        headline[name] = near(middle if len(stated) == len(latencies) else None, RECORDED)
    return headline


def test_each_figure_of_each_trial_is_that_of_its_logs(results):
    found: dict = {}
    for key, (submission, runs) in results.items():
        trials = sorted(submission.trials.all(), key=lambda trial: trial.index)
        assert len(trials) == len(runs), key
        for trial, run in zip(trials, runs, strict=True):
            found |= differing(f"{key}, trial {trial.index}", of_trial(trial), of_logs(run))

    assert found == {}


def test_the_headline_of_each_result_is_that_of_its_trials(results):
    found: dict = {}
    for key, (submission, runs) in results.items():
        own = {name: getattr(submission, name) for name in ("trials_count", "throughput_ops_s")}
        found |= differing(key, {**own, **latency_of(submission)}, headline_of(at_peak(key, runs)))

    assert found == {}


def test_runs_at_several_thread_counts_are_curves_whose_points_are_those_of_their_logs(results):
    curves = {key: value for key, value in results.items() if value[0].load_mode == LoadMode.CURVE}

    found = {}
    for key, (submission, runs) in curves.items():
        points = submission.load_points.order_by("index")
        threads = [int(re.search(r"-(\d+)-threads_", folder)[1]) for folder in folders()[key]]
        assert [point.threads for point in points] == sorted(threads), key
        for point, (_, run) in zip(
            points, sorted(zip(threads, runs, strict=True), key=lambda pair: pair[0]), strict=True
        ):
            slowest = max(
                row["latency_ms"]["p99"].expected for row in expected_types(run).values() if row["operations"]
            )
            assert (point.throughput_ops_s, point.worst_p99_ms) == (near(rate_of(run)), near(slowest))
            assert point.is_of_slowest
        found[key.rpartition("aws-")[2]] = (len(threads), submission.at_slo["bracket"])
    # at most 10 ms: also where they did most, which is not their highest number of threads
    assert found == {
        "aerospike-ee-8004-by-threads": (3, [pytest.approx(557_851, rel=1e-5), None]),
        "cassandra-503-by-threads": (5, [pytest.approx(145_212, rel=1e-5), None]),
    }
