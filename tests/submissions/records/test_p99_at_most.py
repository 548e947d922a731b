"""A p99 that is known by type of operation only: the same bound in each place of a result."""

import pytest

from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db
BOUND = {
    "latency_p99_ms": None,
    "latency_p99_at_most_ms": 22.6,
    "latency_p99_is_bound": True,
    "latency_p99_bound_of": "read",
}


def test_the_list_shows_the_bound_sorts_by_it_and_limits_by_it(client):
    bound = SubmissionFactory(title="bound", **BOUND)
    plain = SubmissionFactory(title="plain", latency_p99_ms=30.0)
    SubmissionFactory(title="unknown", latency_p99_ms=None)

    def ids(query):
        return [row["id"] for row in client.get(f"/api/v1/submissions/?{query}").json()["results"]]

    assert ids("max_p99_ms=25") == [bound.pk]
    assert ids("ordering=latency_p99_ms")[:2] == [bound.pk, plain.pk]
    assert ">≤ </span>22.6" in client.get("/submissions/?max_p99_ms=25").content.decode()


def test_the_page_of_a_result_shows_the_bound_and_never_calls_it_not_stated(client):
    row = SubmissionFactory(**BOUND)

    page = client.get(row.get_absolute_url()).content.decode()

    assert "≤ 22.6" in page
    assert "reads, the slowest operation" in page
    assert "p99 latency</dd>" not in page


def test_the_api_of_a_result_has_the_bound_beside_the_p99_over_all_operations(client):
    row = client.get(f"/api/v1/submissions/{SubmissionFactory(**BOUND).pk}/").json()

    assert {name: row[name] for name in BOUND} == BOUND
