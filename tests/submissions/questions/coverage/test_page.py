"""/coverage/: a matrix of counts and gaps; a gap leads to a plan or to an upload, a count to its results."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.questions.coverage import page as coverage_page
from submissions.questions.coverage import runs
from submissions.questions.coverage.runs import CellRun, RunKey, Runs
from submissions.questions.recommend.work import Work
from tests.pages import faults, links, parsed, text
from tests.submissions.questions.coverage.cells import URL, result

pytestmark = pytest.mark.django_db

PAGE = "/coverage/"
KEY = RunKey("cassandra", Work.READS, "aws", "m3")


@pytest.fixture(autouse=True)
def sources(monkeypatch):
    """Of no other app."""
    monkeypatch.setattr(runs, "_sources", [])


@pytest.fixture
def run():
    offer = CellRun(
        "3× m3.2xlarge", "us-east-1", Decimal("1.7"), Decimal("4.2"), date(2024, 1, 1), "/runs/new/?work=reads"
    )
    of_aws = {"aws": frozenset(("m3", "x9"))}
    priced = {KEY: offer}
    runs.register(lambda: Runs(frozenset({KEY[:2]}), of_aws, {"aws": "m3"}, lambda keys: priced if KEY in keys else {}))
    return offer


def test_without_results_and_runs_the_page_invites(client):
    response = client.get(PAGE)

    assert "Nothing was measured here yet" in text(response)
    assert links(response, "/submissions/new/")
    assert faults(response) == []


def test_a_cell_shows_its_count_its_month_and_its_families(client):
    (
        result(measured_at=datetime(2024, 3, 4, tzinfo=UTC)),
        result(family="m5", measured_at=datetime(2020, 1, 1, tzinfo=UTC)),
    )

    response = client.get(PAGE)
    assert "2 results in 1 of 1 combination of database, work and provider." in text(response)
    [cell] = parsed(response).query("table.coverage td")
    words = " ".join(cell.to_text(separator=" ").split())
    assert words == "2 results of Apache Cassandra, mostly writes, on AWS Mar 2024 2 families"
    assert faults(response) == []


def test_a_gap_that_a_run_can_fill_has_its_cost_and_its_plan(client, run):
    result()

    response = client.get(PAGE)
    assert "A run on this site can fill 1 gap, from about $1.70." in text(response)
    assert links(response, r"^/runs/new/\?") == [run.address]
    assert "measure Apache Cassandra, mostly reads, on AWS: about $1.70" in text(response)
    body = client.get(URL, {"provider": "aws"}).json()
    [gap] = [cell for cell in body["cells"] if not cell["results"]]
    assert (gap["work"], gap["machine_family"]) == ("reads", "m3")
    assert gap["run"] == {
        "cluster": "3× m3.2xlarge",
        "region": "us-east-1",
        "expected_usd": "1.7",
        "worst_case_usd": "4.2",
        "price_date": "2024-01-01",
        "url": "http://testserver/runs/new/?work=reads",
    }


def test_a_gap_that_no_run_can_fill_says_so_and_leads_to_the_upload(client, run):
    result(), result("redis", "mixed", "n2-standard", provider="gce")

    response = client.get(PAGE)
    gaps = [cell.to_text(separator=" ") for cell in parsed(response).query("td.gap")]
    assert len(gaps) == 3
    assert {" ".join(words.split()) for words in gaps} == {"No result, and no run possible here: upload"}


def test_a_provider_leads_to_its_families_and_a_family_to_its_workloads(client):
    result(), result(load={"columns": 5}), result(load={"columns": 5})

    overview = client.get(PAGE)
    [address] = [link for link in links(overview, r"^\?") if "service=cassandra" in link]
    families = client.get(PAGE + address)
    [address] = links(families, "machine_family=m3")
    cell = client.get(PAGE + address)
    assert "Apache Cassandra, mostly writes, on AWS m3" in text(cell)
    assert "3 results in 2 workloads; the newest was measured on 2015-09-01." in text(cell)
    for address in links(cell, r"^/submissions/\?"):
        assert client.get(address).status_code == 200
    assert [int(a.to_text()) for a in parsed(cell).query("td a")] == [2, 1]
    assert faults(families) == faults(cell) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "about $1.70, at most $4.20"),
        ({"provider": "ovh"}, "This site starts no runs on OVHcloud."),
        ({"service": "redis"}, "Runs on this site do not support Redis, mostly reads."),
        ({"machine_family": "x9"}, "No machine type of this family has a known price within the limit"),
    ],
)
def test_an_opened_gap_has_the_plan_or_the_reason_why_there_is_none(client, run, changes, words):
    response = client.get(PAGE, {**KEY._asdict(), "work": "reads", **changes})

    assert words in text(response)
    assert faults(response) == []


def test_many_columns_have_pages(client, monkeypatch):
    monkeypatch.setattr(coverage_page, "MOST_COLUMNS", 2)
    for family in ("m3", "m4", "m5", "m5"):
        result(family=family)

    first = client.get(PAGE, {"provider": "aws"})
    assert "Columns 1 to 2 of 3" in text(first)
    [address] = links(first, "page=2")
    second = client.get(PAGE + address)
    assert "Columns 3 to 3 of 3" in text(second)
    assert len(parsed(second).query("table.coverage td")) == 1
    assert "Columns 3 to 3 of 3" in text(client.get(PAGE, {"provider": "aws", "page": "99"}))


def test_a_format_leads_to_the_api_with_the_same_filters(client):
    response = client.get(PAGE, {"provider": "aws", "page": "2", "format": "csv"})

    assert (response.status_code, response["Location"]) == (302, f"{URL}?provider=aws&format=csv")


def test_a_wrong_filter_is_a_problem_with_a_way_back(client):
    response = client.get(PAGE, {"work": "dancing"})

    assert response.status_code == 400
    assert links(response, f"^{PAGE}$")
