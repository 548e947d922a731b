"""Compare, the index."""

import pytest

from tests.documents import document
from tests.submissions.caller import BASE

pytestmark = pytest.mark.django_db

COMPARE = "/api/v1/compare/"


def test_two_submissions_are_compared_as_b_over_a(caller, client):
    a = caller.submit(document({"trials/0/throughput_ops_s": 90_000})).json()
    b = caller.submit(
        document(
            {"trials/0/throughput_ops_s": 108_000, "nodes/0/instance_type": "i2.xlarge", "nodes/0/hourly_usd": "0.266"}
        )
    ).json()

    body = client.get(f"{COMPARE}?a={a['id']}&b={b['id']}").json()

    assert (body["a"], body["b"], body["same_workload"]) == (a["id"], b["id"], True)
    assert body["throughput"] == {
        "ratio": 1.2,
        "ratio_over_runs": 1.2,
        "interval": pytest.approx([0.979, 1.471], abs=0.001),
        "verdict": "inconclusive",
        "noise_from": "clouds",
        "noise": pytest.approx(0.0672, abs=1e-4),
        "runs": [1, 1],
        "runs_needed": 3,
        "p_value": pytest.approx(0.064, abs=1e-3),
        "in_these_runs": None,
        "rank_test_p": None,
    }
    assert body["ops_per_usd"]["ratio"] == pytest.approx(2.4)
    assert body["latency_p99"]["ratio"] == 1.0
    assert body["differs"] == [
        {"field": "nodes.database.hourly_usd", "a": "0.532", "b": "0.266"},
        {"field": "nodes.database.instance_type", "a": "m3.2xlarge", "b": "i2.xlarge"},
    ]
    assert "20.0 % faster" in body["sentence"]


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("", ["#/a", "#/b"]),
        ("a=1", ["#/b"]),
        ("a=x&b=1", ["#/a"]),
        ("a=0&b=-1", ["#/a", "#/b"]),
        (f"a={10**30}&b={10**18}", ["#/a"]),
        ("a=999999&b=999998", ["#/a", "#/b"]),
        ("a=1&b=2&c=3", ["#/c"]),
    ],
)
def test_a_comparison_of_what_is_not_there_names_the_side(client, faults, query, pointers):
    assert list(faults(client.get(f"{COMPARE}?{query}"))) == pointers


def test_the_index_leads_everywhere(client):
    body = client.get("/api/v1/").json()

    assert body["submissions"] == f"http://testserver{BASE}"
    for name in ("submissions", "prices", "schema", "docs"):
        assert client.get(body[name]).status_code == 200
