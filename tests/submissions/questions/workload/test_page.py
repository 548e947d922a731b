"""The list of workloads."""

import pytest

from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

LIST = "/workloads/"


def address(workload):
    return f"/workloads/{workload.fingerprint}/"


def listed(response):
    return [
        (group.service, row.title, row.counts.submissions) for group in response.context["groups"] for row in group.rows
    ]


def ycsb(operations, **facts):
    form = {"service": "scylladb", "tool": "ycsb", "operations": operations, "replication_factor": 3, **facts}
    return WorkloadFactory(title=str(form), service="scylladb", canonical=form)


def test_workloads_of_a_database_are_named_by_what_differs_under_what_they_have_in_common(client):
    reads, writes = ycsb({"read": 1.0}, key_count=1000), ycsb({"insert": 1.0}, key_count=2000)
    for workload in (reads, reads, writes):
        SubmissionFactory(workload=workload, service="scylladb")

    response = client.get(LIST)

    assert listed(response) == [("scylladb", "read, 1,000 keys", 2), ("scylladb", "insert, 2,000 keys", 1)]
    assert "ScyllaDB All of these: YCSB, RF 3" in text(response)
    assert reads.fingerprint not in text(response)
    assert links(response, "^/services/.") == ["/services/scylladb/"]
    assert faults(response) == []


def test_the_list_has_the_best_value_of_each_workload(client):
    priced, unpriced = WorkloadFactory(title="priced"), WorkloadFactory(title="unpriced")
    rows = [SubmissionFactory(workload=priced, hourly_usd=usd) for usd in ("1.00", "2.00")]
    SubmissionFactory(workload=unpriced, hourly_usd=None)

    [group] = client.get(LIST).context["groups"]

    values = {row.title: row.best_value for row in group.rows}
    assert values == {"priced": max(row.ops_per_usd for row in rows), "unpriced": None}


def test_the_list_has_each_workload_with_its_counts_most_first(client):
    writes, reads = WorkloadFactory(title="writes"), WorkloadFactory(title="reads", service="redis")
    SubmissionFactory(workload=reads, service="redis")
    for _ in range(2):
        SubmissionFactory(workload=writes)
    SubmissionFactory(workload=WorkloadFactory(title="gone"), retracted_at="2026-01-01T00:00:00Z")

    response = client.get(LIST)

    assert listed(response) == [("cassandra", "writes", 2), ("redis", "reads", 1)]
    assert "2 workloads with 3 published results." in text(response)
    assert links(response, "^/workloads/.") == [address(writes), address(reads)]
    assert faults(response) == []


def test_the_list_can_be_of_one_service(client):
    SubmissionFactory(workload=WorkloadFactory(title="writes"))
    SubmissionFactory(workload=WorkloadFactory(title="reads", service="redis"), service="redis")

    response = client.get(LIST, {"service": "redis"})

    assert listed(response) == [("redis", "reads", 1)]
    assert "Workloads of Redis" in text(response)
    assert "No result of MySQL is published." in text(client.get(LIST, {"service": "mysql"}))


def test_a_long_list_has_pages(client, monkeypatch):
    monkeypatch.setattr("submissions.questions.workload.page.A_PAGE", 2)
    for number in range(3):
        SubmissionFactory(workload=WorkloadFactory(title=f"w{number}"))

    first, second = client.get(LIST), client.get(LIST, {"page": 2})

    assert (len(listed(first)), len(listed(second))) == (2, 1)
    assert links(first, "page=") == ["?page=2"]
    assert faults(second) == []


@pytest.mark.parametrize("query", ["page=0", "page=x", "service=%00"])
def test_a_bad_parameter_of_the_list_is_named(client, query):
    assert client.get(f"{LIST}?{query}").status_code == 400
