"""Classic benchmarks: a list of their own; ratios are on the page of grids and in the API, in no list of pages."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from submissions.choices import Trust
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

OLD = {"trust": Trust.HISTORICAL, "submitted_by": None}


def ratio(**values):
    return SubmissionFactory(
        workload=WorkloadFactory(title="only ratios"),
        throughput_ops_s=None,
        relative_throughput=0.9,
        relative_base="native",
        hourly_usd=None,
        title="a cell of a grid",
        **OLD,
        **values,
    )


def test_results_of_articles_are_listed_by_article_the_newest_first(client):
    for year, source in ((2011, "An article of 2011"), (2015, "An article of 2015"), (2011, "An article of 2011")):
        SubmissionFactory(source=source, measured_at=datetime(year, 5, 1, tzinfo=UTC), title=f"of {year}", **OLD)
    SubmissionFactory(title="an upload of today")
    ratio()

    response = client.get(reverse("submissions:classics"))

    said = text(response)
    assert said.index("An article of 2015") < said.index("An article of 2011")
    assert said.count("May 2011") == 2
    assert "an upload of today" not in said
    assert "a cell of a grid" not in said
    assert faults(response) == []


def test_an_article_with_several_addresses_has_one_heading_and_a_link_to_each(client):
    for page in (1, 4, 4):
        SubmissionFactory(source="An article", source_url=f"https://example.org/{page}", **OLD)

    page = client.get(reverse("submissions:classics")).content.decode()

    assert page.count("<h2>An article</h2>") == 1
    assert [page.count(f'href="https://example.org/{number}"') for number in (1, 4)] == [1, 1]


def test_without_articles_the_page_says_how_to_load_them(client):
    assert "No classic results are loaded" in text(client.get(reverse("submissions:classics")))


def test_the_first_page_leads_to_the_classics(client):
    SubmissionFactory()

    assert 'href="/classics/"' in client.get("/").content.decode()


@pytest.mark.parametrize("address", ["/", "/submissions/", "/workloads/", "/services/cassandra/"])
def test_ratios_are_in_no_list_of_pages(client, address):
    SubmissionFactory(title="a result with a rate", workload=WorkloadFactory(title="a load with rates"))
    ratio()

    said = text(client.get(address))

    assert "a cell of a grid" not in said
    assert "only ratios" not in said
    assert "2 results" not in said


def test_the_list_of_the_api_has_every_row(client):
    shown = [SubmissionFactory().pk, ratio().pk]

    rows = client.get("/api/v1/submissions/").json()["results"]

    assert sorted(row["id"] for row in rows) == sorted(shown)
