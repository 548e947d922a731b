"""Services and their workloads."""

from decimal import Decimal

import pytest

from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db


def test_services_are_listed_with_most_results_first(client):
    for service in ("cassandra", "cassandra", "postgresql"):
        SubmissionFactory(service=service)

    response = client.get("/services/")

    assert "2 services have published results; cassandra has most of them." in text(response)
    assert links(response, "^/services/.") == ["/services/cassandra/", "/services/postgresql/"]
    assert faults(response) == []


def test_without_a_result_the_page_tells_what_to_do(client):
    response = client.get("/services/")

    assert "No service has a published result yet." in text(response)
    assert "/submissions/new/" in links(response)


def test_a_service_has_its_workloads_with_the_best_of_each_and_its_versions(client):
    write = WorkloadFactory(title="writes")
    best = SubmissionFactory(workload=write, throughput_ops_s=2000.0, hourly_usd=Decimal(1), service_version="5.0")
    SubmissionFactory(workload=write, throughput_ops_s=1000.0, hourly_usd=Decimal(1), service_version=None)
    SubmissionFactory(workload=WorkloadFactory(title="reads"), hourly_usd=None, service_version="5.0")

    response = client.get("/services/cassandra/")

    said = text(response)
    assert "3 submissions of 2 workloads" in said
    assert best.get_absolute_url() in links(response)
    assert "None has a known price and a rate beyond doubt" in said
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


@pytest.mark.parametrize("rows", [1, 30])
@pytest.mark.parametrize(("address", "queries"), [("/services/", 2), ("/services/cassandra/", 5)])
def test_the_pages_cost_the_same_with_one_row_and_with_thirty(
    client, rows, address, queries, django_assert_num_queries
):
    for number in range(rows):
        SubmissionFactory(
            service="cassandra", service_version=str(number), workload=WorkloadFactory(title=f"w{number}")
        )
        SubmissionFactory(service=f"s{number}")
    client.force_login(UserFactory())

    with django_assert_num_queries(queries + 2):  # session and account
        assert client.get(address).status_code == 200
