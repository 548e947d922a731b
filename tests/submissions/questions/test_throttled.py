"""A result that the load tool held to a rate is nobody's capacity: no board of capacity or value has it."""

import pytest

from submissions.choices import Flag, LatencyKind
from submissions.models import Submission
from submissions.questions.leaderboard.query import held_rates
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

HELD = {"flags": [Flag.THROTTLED], "throttle_ops_s": 7000.0, "tool": "ycsb", "threads": 20}


@pytest.fixture
def workload():
    return WorkloadFactory()


@pytest.fixture
def rows(workload):
    """Two results at their capacity, three at 7,000 ops/s, one of which at its capacity, and one at 9,000."""
    return {
        "fast": measured(30_000.0, instance_type="fast", latency_p99_ms=9.0, threads=200),
        "slow": measured(20_000.0, instance_type="slow", latency_p99_ms=8.0, threads=64),
        "held": measured(6971.0, instance_type="held", latency_p99_ms=2.0, **HELD),
        "limited too": measured(6990.0, instance_type="held-too", latency_p99_ms=3.0, **HELD),
        "at 9,000": measured(9000.0, instance_type="other", latency_p99_ms=1.0, **{**HELD, "throttle_ops_s": 9000.0}),
        "weak": measured(6800.0, instance_type="weak", latency_p99_ms=5.0, threads=20),
    }


def board(client, workload, **params):
    return client.get("/api/v1/leaderboard/", {"workload": workload.fingerprint, **params}).json()


def names(answer):
    return [group["name"] for group in answer["groups"]]


@pytest.mark.parametrize("metric", ["throughput_ops_s", "ops_per_usd"])
def test_boards_of_capacity_and_value_leave_it_out_and_say_so(client, workload, rows, metric):
    answer = board(client, workload, metric=metric)

    assert names(answer) == ["aws fast", "aws slow", "aws weak"]
    assert answer["not_ranked"]["throttled"] == 3
    assert (answer["not_ranked"]["doubtful"], answer["not_ranked"]["unpriced"]) == (0, 0)
    assert answer["held_rates"] == [7000.0, 9000.0]


def test_at_its_rate_it_is_ranked_by_latency_with_all_others_at_that_rate(client, workload, rows):
    answer = board(client, workload, rate=7000)

    assert names(answer) == ["aws held", "aws held-too", "aws weak"]
    assert (answer["metric"], answer["rate_ops_s"]) == ("latency_p99_ms", 7000.0)
    assert answer["not_ranked"]["other_rate"] == 3
    assert "at 7,000 ops/s" in answer["sentence"]
    assert names(board(client, workload, rate=9100)) == ["aws other"]


def test_without_a_rate_latencies_are_those_of_results_at_their_capacity(client, workload, rows):
    assert names(board(client, workload, metric="latency_p99_ms")) == ["aws weak", "aws slow", "aws fast"]


def test_a_rate_ranks_nothing_but_latency(client, workload, rows):
    params = {"workload": workload.fingerprint, "rate": 7000, "metric": "ops_per_usd"}
    response = client.get("/api/v1/leaderboard/", params)

    assert response.status_code == 400
    assert response.json()["errors"][0]["detail"] == "ranks by latency_p99_ms only"
    assert client.get("/api/v1/leaderboard/", {**params, "metric": "", "rate": "nan"}).status_code == 400


def test_the_page_of_the_workload_leads_to_the_ranking_at_each_rate(client, workload, rows):
    response = client.get(f"/workloads/{workload.fingerprint}/")
    words = text(response)

    assert "2 results limited to 7,000 ops/s by the load tool are not ranked: this is not their capacity." in words
    assert "1 result limited to 9,000 ops/s by the load tool is not ranked" in words
    assert "Excluded: 3 limited to a rate by the load tool." in words
    assert "20 threads" in words  # the rows differ in their threads
    assert "200 threads" in words
    assert faults(response) == []
    at_rate = client.get(f"/workloads/{workload.fingerprint}/?rate=7000&metric=latency_p99_ms")
    assert "AWS held has the lowest p99 service time" in text(at_rate)
    assert "20 threads, limited to 7,000 ops/s" in text(at_rate)
    assert faults(at_rate) == []


def test_rates_within_five_percent_are_one(workload):
    for rate in (7000.0, 7300.0, 7400.0, 12_000.0):
        SubmissionFactory(**{**HELD, "throttle_ops_s": rate, "throughput_ops_s": rate})

    assert held_rates(workload.pk, None) == ((7000.0, 2), (7400.0, 1), (12_000.0, 1))


def test_no_other_page_shows_it_as_a_capacity(client, workload, rows):
    held = rows["held"]
    assert held.ops_per_usd is None
    assert not Submission.objects.rankable().filter(flags__contains=[Flag.THROTTLED]).exists()
    assert not Submission.objects.filter(flags__contains=[Flag.THROTTLED]).filter(ops_per_usd__isnull=False).exists()

    then = {"workload": workload.fingerprint, "by": "instance_type", "prices": "then"}
    value = client.get("/api/v1/value/", then).json()
    assert {group["instance_type"] for group in value["groups"]} == {"fast", "slow", "weak"}
    assert (value["unpriced"], value["doubtful"]) == (0, 0)
    today = {"workload": workload.fingerprint, "by": "instance_type", "prices": "today"}
    assert "held" not in {group["instance_type"] for group in client.get("/api/v1/value/", today).json()["groups"]}
    assert "limited to a rate by the load tool" in text(client.get("/value/", {"workload": workload.fingerprint}))
    size = client.get("/api/v1/size/", {"workload": workload.fingerprint, "target_ops_s": 5000, "max_p99_ms": 100})
    assert held.pk not in {each["submission"] for each in size.json()["candidates"]}
    refused = client.get("/api/v1/size/", {"equal_to": held.pk}).json()["errors"][0]["detail"]
    assert refused == f"submission {held.pk} was limited to 7,000 ops/s, so its capacity is unknown"
    assert held.pk not in {each["id"] for each in client.get("/api/v1/history/").json().get("points", [])}


def test_lists_and_the_page_of_the_result_say_what_held_it(client, rows):
    row = rows["held"]

    words = text(client.get(row.get_absolute_url()))
    assert "was limited to 7,000 ops/s by -target, with a p99 of 2.0 ms: its maximum was not measured." in words
    assert "reached 6.97 k ops/s" not in words
    assert "throttled" in words
    listed = text(client.get("/submissions/?threads=20"))
    assert "limited to 7,000 ops/s by the test" in listed
    assert "20 threads, limited to 7,000 ops/s" in listed
    detail = client.get(f"/api/v1/submissions/{row.pk}/").json()
    assert (detail["throttle_ops_s"], detail["fixed_rate_ops_s"], detail["ops_per_usd"]) == (7000.0, None, None)
    assert "throttled" in detail["flags"]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ("fast", "throughput and value cannot be compared, since the load tool set the rate."),
        ("limited too", "throughput and value cannot be compared, since the load tool set the rate. At the same rate,"),
    ],
)
def test_a_comparison_with_it_compares_no_throughput_and_latency_only_at_one_rate(client, rows, other, sentence):
    answer = client.get("/api/v1/compare/", {"a": rows[other].pk, "b": rows["held"].pk}).json()

    assert sentence in answer["sentence"]
    assert "was limited to 7,000 ops/s" in answer["sentence"]
    assert (answer["throughput"], answer["ops_per_usd"]) == (None, None)
    assert (answer["latency_p99"] is None) == (other == "fast")
    page = client.get("/compare/", {"s": [rows[other].pk, rows["held"].pk]})
    assert "limited to 7,000 ops/s by the test" in text(page)
    assert faults(page) == []


def test_kinds_of_latency_stay_apart_at_one_rate(client, workload, rows):
    measured(7000.0, instance_type="due", latency_p99_ms=0.1, latency_kind=LatencyKind.RESPONSE_TIME, **HELD)

    assert "aws due" not in names(board(client, workload, rate=7000))
    assert names(board(client, workload, rate=7000, latency_kind="response_time")) == ["aws due"]


def test_a_workload_of_which_every_result_was_held_says_so(client, workload):
    measured(7000.0, **HELD)
    words = text(client.get(f"/workloads/{workload.fingerprint}/"))

    assert "The load tool limited every result to a rate, so no capacity is known." in words
    assert "Rank by latency at this rate" in words
