"""Sizes under a limit: a load curve counts with the rate that keeps it, not with its peak."""

import pytest

from tests.load_curves import curve

pytestmark = pytest.mark.django_db


def nodes(client, row, **params):
    params = {"workload": row.workload.fingerprint, "trust": "uploaded", "target_ops_s": 110_000, **params}
    answer = client.get("/api/v1/size/", params)
    assert answer.status_code == 200, answer.content
    return [(one["node_count"], one["throughput_ops_s"]) for one in answer.json()["candidates"]]


def test_a_limit_takes_the_highest_rate_that_keeps_it(client):
    row = curve()  # three nodes: 130,000 at their peak, 110,000 within 10 ms, 40,000 within 5 ms

    assert nodes(client, row) == [(3, pytest.approx(130_000.0))]
    assert nodes(client, row, max_p99_ms=10) == [(3, pytest.approx(110_000.0))]
    assert nodes(client, row, max_p99_ms=8) == [(5, pytest.approx(125_000.0))]  # of 75,000: extrapolated
    assert nodes(client, row, max_p99_ms=1) == []
