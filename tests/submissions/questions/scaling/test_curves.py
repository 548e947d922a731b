"""Scaling under a maximum p99: load curves count with the highest rate that keeps it."""

import pytest

from tests.load_curves import LOADS, curve
from tests.pages import text

pytestmark = pytest.mark.django_db


def points(client, row, **params):
    answer = client.get("/api/v1/scaling/", {"workload": row.workload.fingerprint, "trust": "uploaded", **params})
    assert answer.status_code == 200, answer.content
    return [(one["node_count"], one["throughput_ops_s"], one["n"]) for one in answer.json()["points"]]


@pytest.fixture
def rows(db):
    # twice the nodes: twice the rates, 25 % more latency, so that less than twice keeps 10 ms
    twice = [(threads, rate * 2, p99 * 1.25) for threads, rate, p99 in LOADS]
    return curve(), curve(twice, {"nodes/0/count": 6})


def test_sizes_have_the_highest_rate_that_keeps_the_limit(client, rows):
    assert points(client, rows[0]) == [(3, 130_000.0, 1), (6, 260_000.0, 1)]
    assert points(client, rows[0], max_p99_ms=10) == [(3, 110_000.0, 1), (6, 150_000.0, 1)]
    assert points(client, rows[0], max_p99_ms=1) == []


def test_the_answer_and_the_page_say_the_limit_and_which_are_curves(client, rows):
    params = {"workload": rows[0].workload.fingerprint, "trust": "uploaded", "max_p99_ms": 10}
    answer = client.get("/api/v1/scaling/", params).json()
    page = text(client.get("/scaling/", params))

    assert (answer["max_p99_ms"], answer["latency_kind"]) == (10, "service_time")
    assert [point["curves"] for point in answer["points"]] == [1, 1]
    assert answer["client_bound"] is None
    assert "Within a p99 service time of at most 10 ms" in page
    assert "one load only" not in page


def test_a_workload_without_two_sizes_within_the_limit_says_so(client, rows):
    params = {"workload": rows[0].workload.fingerprint, "trust": "uploaded", "max_p99_ms": 1}

    assert "Within this limit, this workload has no results for two cluster sizes" in text(
        client.get("/scaling/", params)
    )
