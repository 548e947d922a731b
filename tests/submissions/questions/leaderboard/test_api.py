"""GET leaderboard/: one workload, ranked with ties."""

import pytest

from tests.factories import WorkloadFactory
from tests.measured import measured

pytestmark = pytest.mark.django_db

URL = "/api/v1/leaderboard/"


def test_groups_have_n_interval_ties_and_a_verdict(client):
    fast = measured(1000.0, 1010.0, 990.0, instance_type="fast")
    slow = measured(500.0, 505.0, 495.0, instance_type="slow")

    body = client.get(URL, {"workload": fast.workload.fingerprint}).json()

    groups = body.pop("groups")
    assert body == {
        "workload": fast.workload.fingerprint,
        "workload_title": fast.workload.title,
        "by": "instance_type",
        "metric": "throughput_ops_s",
        "unit": "ops/s",
        "higher_is_better": True,
        "latency_kind": None,
        "rate_ops_s": None,
        "max_p99_ms": None,
        "held_rates": [],
        "shelf": "log_verified",
        "sentence": "AWS fast reaches the highest throughput: 1 k ops/s, 2× AWS slow.",
        "groups_count": 2,
        "p99_unknown": 0,
        "not_ranked": {
            "relative": 0,
            "doubtful": 0,
            "throttled": 0,
            "other_rate": 0,
            "unranked": 0,
            "aged": 0,
            "uploaded": 0,
            "historical": 0,
            "retracted": 0,
            "unpriced": 0,
            "stated_price_off": 0,
            "without_storage": 0,
            "unknown_p99": 0,
            "other_latency_kind": 0,
            "above_limit": 0,
        },
    }
    low, high = groups[1].pop("ratio_interval")
    assert low < 0.5 < high
    assert groups[1] == {
        "rank": "2",
        "rank_first": 2,
        "rank_last": 2,
        "name": "aws slow",
        "figure": 500.0,
        "interval": None,  # the factory's submissions state none
        "n": 3,
        "averaged_over": None,
        "submissions": 1,
        "submission": slow.pk,
        "ratio_to_leader": 0.5,
        "verdict": "worse",
        "noise_from": "clouds",
        "runs_needed": None,
        "throughput_ops_s": 500.0,
        "latency_p99_ms": 4.0,
        "latency_p99_at_most_ms": 4.0,
        "latency_p99_is_bound": False,
        "latency_kind": "service_time",
        "load": None,
        "hourly_usd": "1.596",
        "ops_per_usd": "1127819.5489",
        "price_date": "2015-06-01",
        "price_last_seen": "2015-06-01",
        "trust": "log_verified",
        "license": "",
        "attribution": "",
        "pack": "",
    }
    assert (groups[0]["verdict"], groups[0]["ratio_interval"]) == (None, None)


def test_the_kind_of_a_p99_is_the_most_common_one(client):
    row = measured(100.0, latency_kind="response_time")

    body = client.get(URL, {"workload": row.workload.fingerprint, "metric": "latency_p99_ms"}).json()

    assert (body["latency_kind"], body["groups"][0]["figure"]) == ("response_time", 4.0)


def test_a_bound_of_a_p99_and_a_p99_over_all_operations_have_no_rank_against_each_other(client):
    whole = measured(100.0, instance_type="whole")
    bound = measured(
        100.0,
        instance_type="bound",
        latency_p99_ms=None,
        latency_p99_at_most_ms=40.0,
        latency_p99_is_bound=True,
        latency_p99_bound_of="read",
    )

    body = client.get(URL, {"workload": whole.workload.fingerprint, "metric": "latency_p99_ms"}).json()

    assert bound.workload_id == whole.workload_id
    assert body["sentence"] == (
        "AWS whole has the lowest p99 service time: 4.0 ms, against ≤ 40.0 ms for AWS bound. "
        "Not yet conclusive: their p99s are not of the same operations."
    )
    assert [(group["figure"], group["rank"], group["verdict"], group["runs_needed"]) for group in body["groups"]] == [
        (4.0, "1-2", None, None),
        (40.0, "1-2", "inconclusive", None),
    ]


def test_csv_has_the_groups_with_intervals_in_two_columns(client):
    row = measured(100.0, 101.0)

    response = client.get(URL, {"workload": row.workload.fingerprint, "format": "csv"})

    lines = response.getvalue().decode().splitlines()
    assert lines[0] == (
        "rank,rank_first,rank_last,name,figure,low,high,n,averaged_over,submissions,submission,ratio_to_leader,"
        "ratio_low,ratio_high,verdict,noise_from,runs_needed,throughput_ops_s,latency_p99_ms,"
        "latency_p99_at_most_ms,latency_p99_is_bound,latency_kind,load_threads,load_offered_ops_s,load_is_of_slowest,"
        "hourly_usd,ops_per_usd,price_date,price_last_seen,trust,license,attribution,pack"
    )
    assert lines[1].startswith(
        f"1,1,1,aws m3.2xlarge,100.5,,,2,,1,{row.pk},1.0,,,,,,100.5,4.0,4.0,false,service_time,,,,1.596,"
    )
    assert (
        f"benchsite-leaderboard-{row.workload.fingerprint[:8]}-by-instance-type-20" in response["Content-Disposition"]
    )


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("", ["#/workload"]),
        ("workload=x", ["#/workload"]),
        ("workload=0123456789abcdef", ["#/workload"]),
        ("workload=%00", ["#/workload"]),
        ("workload={known}&by=colour", ["#/by"]),
        ("workload={known}&metric=hourly_usd", ["#/metric"]),
        ("workload={known}&latency_kind=unknown", ["#/latency_kind"]),
        ("workload={known}&colour=red", ["#/colour"]),
    ],
)
def test_a_bad_query_is_named(client, faults, query, pointers):
    known = WorkloadFactory().fingerprint

    assert list(faults(client.get(f"{URL}?{query.format(known=known)}"))) == pointers


def test_a_board_is_cached_until_its_workload_changes(client, clear_cache):
    workload = measured(1000.0, 1001.0).workload

    first = client.get(URL, {"workload": workload.fingerprint})
    assert client.get(URL, {"workload": workload.fingerprint}).json() == first.json()
    measured(2000.0, 2001.0, instance_type="new", workload=workload)
    assert client.get(URL, {"workload": workload.fingerprint}).json() != first.json()
