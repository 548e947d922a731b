from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchsite.redis.cache import evictable_cache
from submissions.aggregates.store import refresh
from submissions.models import Submission, Workload
from submissions.records.databases.services import service_counts, service_summaries
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db


def test_services_are_listed_with_most_results_first(client):
    for service in ("cassandra", "cassandra", "postgresql"):
        SubmissionFactory(service=service)

    response = client.get("/services/")

    assert "2 databases have published results; Apache Cassandra has the most." in text(response)
    assert links(response, "^/services/.") == ["/services/cassandra/", "/services/postgresql/"]
    assert faults(response) == []


def test_without_a_result_the_page_tells_what_to_do(client):
    response = client.get("/services/")

    assert "No database has a published result yet." in text(response)
    assert "/submissions/new/" in links(response)


def test_a_service_has_its_workloads_with_the_best_of_each_and_its_versions(client):
    write = WorkloadFactory(title="writes")
    best = SubmissionFactory(workload=write, throughput_ops_s=2000.0, hourly_usd=Decimal(1), service_version="5.0")
    SubmissionFactory(workload=write, throughput_ops_s=1000.0, hourly_usd=Decimal(1), service_version=None)
    SubmissionFactory(workload=WorkloadFactory(title="reads"), hourly_usd=None, service_version="5.0")

    response = client.get("/services/cassandra/")

    said = text(response)
    assert "3 results of 2 workloads" in said
    assert best.get_absolute_url() in links(response)
    assert "No result has a price, a reliable rate and a raw log" in said
    assert links(response, "service_version") == [
        "/submissions/?service=cassandra&service_version=5.0",
        "/submissions/?service=cassandra&service_version=unknown",
    ]
    assert faults(response) == []


def test_the_links_of_a_service_lead_to_as_many_rows_as_they_say(client):
    for version in ("5.0", "5.0", None):
        SubmissionFactory(service_version=version)
    known, unknown = links(client.get("/services/cassandra/"), "service_version")

    assert len(client.get(known).context["page"].rows) == 2
    assert len(client.get(unknown).context["page"].rows) == 1


@pytest.mark.parametrize("name", ["nothing", "CASSANDRA", "a" * 300])
def test_a_service_without_results_is_not_found(client, name):
    SubmissionFactory()

    assert client.get(f"/services/{name}/").status_code == 404


@pytest.mark.parametrize("address", ["/services/", "/services/cassandra/"])
def test_the_pages_cost_the_same_with_one_row_and_with_three(client, address):
    client.force_login(UserFactory())

    def queries(rows):
        for number in range(rows):
            workload = WorkloadFactory(title=f"w{rows}{number}")
            SubmissionFactory(service="cassandra", service_version=str(number), workload=workload)
            SubmissionFactory(service=f"s{number}")
        refresh()
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    assert queries(1) == queries(3)


def test_services_are_summed_up_without_the_retracted():
    SubmissionFactory(service="cassandra", provider="aws")
    SubmissionFactory(service="cassandra", provider="gce")
    SubmissionFactory(service="postgresql", measured_at=None)
    SubmissionFactory(service="scylla", retracted_at="2020-01-01T00:00:00Z")

    found = service_summaries()

    assert [(row.name, row.submissions, row.workloads, row.providers) for row in found] == [
        ("cassandra", 2, 1, 2),
        ("postgresql", 1, 1, 1),
    ]
    assert found[1].newest is None


@pytest.mark.django_db(transaction=True)
def test_each_workload_of_a_service_has_its_own_best_also_after_an_upload_and_a_retraction(client):
    write, read = WorkloadFactory(title="writes"), WorkloadFactory(title="reads")
    first = SubmissionFactory(hourly_usd=Decimal(1), throughput_ops_s=500.0, workload=write)
    SubmissionFactory(hourly_usd=Decimal(1), throughput_ops_s=400.0, workload=write)
    SubmissionFactory(workload=read, hourly_usd=None)

    def bests(writes=2):
        evictable_cache.clear()
        response = client.get("/services/cassandra/")
        assert f"writes {write.fingerprint} {writes} " in text(response)
        assert f"reads {read.fingerprint} 1 No result has a price, a reliable rate and a raw log" in text(response)
        return links(response, r"^/submissions/\d+/$")

    assert bests() == bests() == [first.get_absolute_url()]
    better = SubmissionFactory(hourly_usd=Decimal(1), throughput_ops_s=600.0, workload=write)
    assert bests(writes=3) == [better.get_absolute_url()]
    Submission.objects.filter(pk=better.pk).update(retracted_at=timezone.now())
    assert bests() == [first.get_absolute_url()]
    Workload.objects.filter(pk=write.pk).update(title="writes of another name")
    evictable_cache.clear()
    assert "writes of another name" in text(client.get("/services/cassandra/"))


def test_versions_are_counted_and_unknown_is_one_of_them():
    for version in ("5.0.2", "5.0.2", None):
        SubmissionFactory(service_version=version)

    assert service_counts("cassandra").versions == (("5.0.2", 2), (None, 1))
    assert service_counts("nothing").submissions == 0
