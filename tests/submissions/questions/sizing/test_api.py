"""GET size/: candidates of one workload with money as text, and every bad parameter by name."""

from decimal import Decimal

import pytest

from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

URL = "/api/v1/size/"


def workload(title="w", factor=3):
    return WorkloadFactory(title=title, canonical={"service": "cassandra", "replication_factor": factor})


def cluster(nodes, rate, usd="0.532", **fields):
    fields.setdefault("workload", workload())
    return SubmissionFactory(node_count=nodes, throughput_ops_s=rate, hourly_usd=usd and Decimal(usd) * nodes, **fields)


def test_a_candidate_is_complete(client):
    cluster(3, 90_000.0)
    nearest = cluster(6, 150_000.0)

    body = client.get(URL, {"target_ops_s": 120_001, "max_p99_ms": 5, "zones": 3, "basis": "on_demand"}).json()

    assert body == {
        "workload": workload().fingerprint,
        "workload_title": "w",
        "shelf": "log_verified",
        "uploaded_left_out": 0,
        "replication_factor": 3,
        "target_ops_s": 120_001.0,
        "equal_to": None,
        "max_p99_ms": 5.0,
        "latency_kind": "service_time",
        "p99_unknown": 0,
        "zones": 3,
        "basis": "on_demand",
        "at": None,
        "total": 1,
        "unreachable": 0,
        "candidates": [
            {
                "submission": nearest.pk,
                "provider": "aws",
                "region": "us-east-1",
                "instance_type": "m3.2xlarge",
                "node_count": 6,
                "nodes_per_zone": 2,
                "cache": [],
                "throughput_ops_s": 150_000.0,
                "relative_throughput": None,
                "extrapolated": False,
                "measured_node_counts": [3, 6],
                "n": 2,
                "hourly_usd": "3.192",
                "usd_per_month": "2330.16",
                "share_of_base_cost": None,
                "price_date": "2015-06-01",
                "price_last_seen": "2015-06-01",
                "is_price_stated": False,
                "price_missing": "",
                "usable_tb": pytest.approx(6 * 2 * 80 * 2**30 / 10**12 / 3),
                "tb_per_zone": pytest.approx(2 * 2 * 80 * 2**30 / 10**12),
                "is_base": False,
                "license": "",
                "attribution": "",
                "pack": "",
            }
        ],
    }


def test_without_a_workload_that_with_the_most_submissions_is_taken_and_named(client):
    cluster(3, 100.0, workload=workload("a"))
    for nodes in (3, 6):
        cluster(nodes, 100.0, workload=workload("b"))
    cluster(3, 100.0, workload=workload("c", 1), replication_factor=1)

    assert client.get(URL, {"target_ops_s": 1}).json()["workload_title"] == "b"
    assert client.get(URL, {"target_ops_s": 1, "replication_factor": 1}).json()["workload_title"] == "c"
    assert client.get(URL, {"target_ops_s": 1, "replication_factor": 2}).json()["workload"] is None


def test_workloads_are_never_mixed(client):
    own = cluster(3, 100.0, workload=workload("a"))
    cluster(3, 1e6, "0.001", workload=workload("b"), instance_type="i2.xlarge")

    body = client.get(URL, {"target_ops_s": 100, "workload": own.workload.fingerprint}).json()

    assert [one["submission"] for one in body["candidates"]] == [own.pk]


def test_an_unknown_price_is_null_and_last(client):
    cluster(3, 100.0)
    cluster(3, 100.0, None, instance_type="z1.huge")

    candidates = client.get(URL, {"target_ops_s": 100}).json()["candidates"]

    assert [(one["instance_type"], one["usd_per_month"]) for one in candidates] == [
        ("m3.2xlarge", "1165.08"),
        ("z1.huge", None),
    ]
    assert candidates[1]["price_missing"]


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("", ["#/target_ops_s"]),
        ("target_ops_s=0", ["#/target_ops_s"]),
        ("target_ops_s=nan", ["#/target_ops_s"]),
        ("target_ops_s=inf", ["#/target_ops_s"]),
        ("target_ops_s=1&max_p99_ms=nan", ["#/max_p99_ms"]),
        ("target_ops_s=1&zones=0", ["#/zones"]),
        ("target_ops_s=1&basis=free", ["#/basis"]),
        ("target_ops_s=1&at=tomorrow", ["#/at"]),
        ("target_ops_s=1&trust=blind", ["#/trust"]),
        ("target_ops_s=1&workload=0123456789abcdef", ["#/workload"]),
        ("target_ops_s=1&target=1", ["#/target"]),
        ("equal_to=999999", ["#/equal_to"]),
        (f"equal_to={10**30}", ["#/equal_to"]),
    ],
)
def test_a_bad_parameter_is_named(client, faults, query, pointers):
    cluster(3, 100.0)

    assert list(faults(client.get(f"{URL}?{query}"))) == pointers


def test_what_contradicts_the_submission_to_be_reached_is_named(client, faults):
    base = cluster(3, 100.0)
    other = cluster(3, 100.0, workload=workload("other"))
    ask = f"{URL}?equal_to={base.pk}"

    assert list(faults(client.get(f"{ask}&target_ops_s=5"))) == ["#/target_ops_s"]
    assert list(faults(client.get(f"{ask}&workload={other.workload.fingerprint}"))) == ["#/workload"]
    assert list(faults(client.get(f"{ask}&replication_factor=2"))) == ["#/replication_factor"]
    assert client.get(f"{ask}&workload={base.workload.fingerprint}&replication_factor=3").status_code == 200
