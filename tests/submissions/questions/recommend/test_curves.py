"""A load curve answers a question at the load that keeps its limit, with the figures of that load."""

import pytest

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from tests.documents import document
from tests.load_curves import curve
from tests.pages import text

pytestmark = pytest.mark.django_db

URL = "/api/v1/recommend/"


def ask(client, **params):
    answer = client.get(URL, {"service": "cassandra", "trust": "uploaded", **params}).json()
    return {each["kind"]: each for each in answer["answers"] if not each["extrapolated"]}, answer


def test_a_limit_chooses_the_highest_measured_load_below_the_one_that_broke_it(client):
    row = curve()

    fastest = {limit: ask(client, max_p99_ms=limit)[0]["fastest"] for limit in (2, 8, 10, 30)}

    figures = {
        limit: (one["throughput_ops_s"], one["latency_p99_ms"], one["threads"]) for limit, one in fastest.items()
    }
    assert figures == {
        2: (40_000.0, 2.0, 50),
        8: (75_000.0, 6.0, 100),
        10: (110_000.0, 9.0, 200),
        30: (130_000.0, 25.0, 400),
    }
    assert {one["submission"] for one in fastest.values()} == {row.pk}
    assert {(one["loads"], one["trials"]) for one in fastest.values()} == {(4, 1)}
    assert ask(client)[0]["fastest"]["throughput_ops_s"] == 130_000.0


def test_nothing_is_interpolated_between_two_loads(client):
    curve()

    found, answer = ask(client, target_ops_s=100_000, max_p99_ms=8)

    assert found == {}
    assert [one["throughput_ops_s"] for one in answer["nearest"]] == [110_000.0]


def test_a_higher_load_that_kept_the_limit_by_luck_is_not_an_answer(client):
    curve([(50, 40_000.0, 2.0), (100, 75_000.0, 12.0), (200, 110_000.0, 9.0)])

    assert ask(client, max_p99_ms=10)[0]["fastest"]["throughput_ops_s"] == 40_000.0
    assert ask(client, max_p99_ms=10, target_ops_s=100_000)[0] == {}
    params = {"service": "cassandra", "trust": "uploaded", "target_ops_s": 100_000, "max_p99_ms": 10}
    assert "A lower load did not keep the p99" in text(client.get("/recommend/", params))


def test_a_card_names_the_load_and_a_single_load_is_marked(client):
    curve()
    page = text(client.get("/recommend/", {"service": "cassandra", "trust": "uploaded", "max_p99_ms": 10}))
    assert "at 200 threads a client: one of 4 measured loads" in page

    store(prepare_document(document({"service/name": "scylladb"})), submitted_by=None)
    page = text(client.get("/recommend/", {"service": "scylladb", "trust": "uploaded"}))
    assert "one load only" in page
