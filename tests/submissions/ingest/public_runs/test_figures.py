"""Every stored figure of every published run is that of its logs, which are read here a second time."""

from functools import cache

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.public_runs.pack import FOLDER
from submissions.models import PublicRun
from tests.public_pack import folders, keys, with_all_runs
from tests.submissions.ingest.public_runs import summaries
from tests.submissions.ingest.public_runs.summaries import NAMES, PERCENTILES, Counts, Run

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


@pytest.mark.parametrize("key", keys())
def test_each_figure_of_each_trial_is_that_of_its_logs(key):
    with_all_runs()
    submission = PublicRun.objects.get(key=key).submission
    trials = list(submission.trials.order_by("index"))
    of_result = [logs()[folder] for folder in folders()[key]]

    assert len(trials) == len(of_result)
    for trial, run in zip(trials, of_result, strict=True):
        clients = list(run.clients.values())
        rate = sum(sum(client.done(name) for name in client.types) / client.seconds for client in clients)
        latency, ranges = expected_latency(run)
        types = {
            row["name"]: {name: value for name, value in row.items() if name != "name"} for row in trial.by_operation
        }
        assert types == expected_types(run)
        assert trial.throughput_ops_s == near(rate)
        assert trial.operations == sum(client.done(name) for client in clients for name in client.types)
        assert trial.errors == sum(client.failed(name) for client in clients for name in client.types)
        assert trial.duration_s == max(client.seconds for client in clients)
        assert trial.client_count == len(clients)
        assert trial.latency_kind == LatencyKind.SERVICE_TIME
        assert latency_of(trial) == latency
        assert trial.latency_ranges == ranges
        assert not trial.is_truncated


@pytest.mark.parametrize("key", keys())
def test_the_headline_of_each_result_is_that_of_its_trials(key):
    with_all_runs()
    submission = PublicRun.objects.get(key=key).submission
    of_result = [logs()[folder] for folder in folders()[key]]
    rates, weights, means, latencies = [], [], [], []
    for run in of_result:
        clients = list(run.clients.values())
        rates.append(sum(sum(client.done(name) for name in client.types) / client.seconds for client in clients))
        weights.append(sum(client.done(name) for client in clients for name in client.types))
        latencies.append(expected_latency(run)[0])
        means.append(latencies[-1]["mean"].expected)

    assert submission.trials_count == len(of_result)
    assert submission.throughput_ops_s == near(sum(rates) / len(rates))
    stored = latency_of(submission)
    assert stored["mean"] == near(sum(m * w for m, w in zip(means, weights, strict=True)) / sum(weights), RECORDED)
    assert stored["max"] == near(max(each["max"].expected for each in latencies), RECORDED)
    for name in PERCENTILES:
        stated = sorted(each[name].expected for each in latencies if each[name] is not None)
        if len(stated) < len(latencies):
            assert stored[name] is None
        else:
            middle = (stated[(len(stated) - 1) // 2] + stated[len(stated) // 2]) / 2
            assert stored[name] == near(middle, RECORDED)
