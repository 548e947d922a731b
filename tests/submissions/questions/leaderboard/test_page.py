"""The page of a workload."""

import pytest

from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db

LIST = "/workloads/"


def address(workload):
    return f"/workloads/{workload.fingerprint}/"


def test_without_any_submission_both_pages_say_what_to_do(client):
    workload = WorkloadFactory()

    for response in (client.get(LIST), client.get(address(workload))):
        assert "/submissions/new/" in links(response)
        assert faults(response) == []


def test_a_workload_says_who_leads_and_what_it_is(client):
    workload = WorkloadFactory(
        canonical={
            "service": "cassandra",
            "tool": "cassandra-stress",
            "operations": {"write": 0.75, "read": 0.25},
            "command": None,
            "consistency_level": "LOCAL_ONE",
            "replication_factor": 3,
            "columns": 5,
            "value_bytes": 34,
            "key_distribution": None,
            "key_count": 1_000_000,
            "load_mode": "threads",
            "duration": "under 1 min",
        }
    )
    fast = measured(1000.0, 1010.0, 990.0, instance_type="fast")
    slow = measured(500.0, 505.0, 495.0, instance_type="slow")

    response = client.get(address(workload))

    words = text(response)
    assert "AWS fast reaches the highest throughput: 1 k ops/s, 2× AWS slow." in words
    assert "Verdicts allow for the noise between runs: assuming the usual noise of clouds, 6 %" in words
    assert "75 % write, 25 % read" in words
    assert "threads that wait for each answer (closed loop)" in words
    assert "1,000,000" in words
    for part in (f"/submissions/?workload={workload.fingerprint}", f"/value/?workload={workload.fingerprint}"):
        assert part in links(response)
    assert f"/compare/?s={fast.pk}&s={slow.pk}" in links(response)
    assert faults(response) == []


@pytest.mark.parametrize("by", ["provider", "instance_type", "jdk", "disk", "submission"])
@pytest.mark.parametrize("metric", ["throughput_ops_s", "ops_per_usd", "latency_p99_ms"])
def test_every_board_is_a_whole_page_with_a_chart_and_a_table(client, by, metric):
    workload = measured(100.0, 101.0).workload
    measured(50.0, provider="gce", latency_p99_ms=None, hourly_usd=None)

    response = client.get(address(workload), {"by": by, "metric": metric})

    board = response.context["board"]
    assert len(response.context["charts"][0].figure["data"][-1]["x"]) == len(board.groups) > 0
    assert faults(response) == []


def test_what_is_not_ranked_is_said(client):
    workload = measured(100.0).workload
    measured(1e6, flags=["errors"])
    SubmissionFactory(retracted_at="2026-01-01T00:00:00Z")

    assert "Excluded: 1 retracted and 1 with a data-quality flag." in text(client.get(address(workload)))


def test_a_board_of_latencies_that_nobody_knows_leads_back(client):
    workload = measured(100.0, latency_p99_ms=None).workload

    response = client.get(address(workload), {"metric": "latency_p99_ms"})

    assert "No result of this workload has a p99 service time." in text(response)
    assert faults(response) == []


@pytest.mark.parametrize("extension", ["csv", "json"])
def test_files_are_those_of_the_api(client, extension):
    row = measured(100.0, 101.0)

    response = client.get(address(row.workload), {"format": extension, "by": "jdk"})

    assert response.status_code == 302
    assert response["Location"].startswith("/api/v1/leaderboard/?")
    assert client.get(response["Location"]).status_code == 200


def test_a_hostile_name_is_words(client):
    row = measured(100.0, instance_type=HOSTILE[:100], title=HOSTILE)

    response = client.get(address(row.workload), {"by": "instance_type"})

    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("by=colour", "by"),
        ("metric=speed", "metric"),
        ("latency_kind=unknown", "latency_kind"),
    ],
)
def test_a_bad_parameter_is_named(client, query, named):
    response = client.get(f"{address(SubmissionFactory().workload)}?{query}")

    assert response.status_code == 400
    assert f"{named}:" in text(response)
    assert faults(response) == []


def test_an_unknown_workload_is_not_found(client):
    assert client.get("/workloads/0123456789abcdef/").status_code == 404


def test_a_board_without_a_known_capacity_does_not_lead_to_itself(client):
    workload = WorkloadFactory()
    SubmissionFactory(workload=workload, throttle_ops_s=560_000.0, throughput_ops_s=551_000.0, flags=["throttled"])

    response = client.get(address(workload))

    words = text(response)
    assert "The load tool limited every result to a rate, so no capacity is known." in words
    assert "Rank by latency at this rate" in words
    assert "Rank by throughput" not in words
