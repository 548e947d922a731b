"""The page of the search: what a reader sees of what was found, and what helps where nothing was."""

import pytest
from django.utils.http import urlencode

from submissions.models import InstanceType
from submissions.search.query import A_PAGE
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db


def search(client, q, **more):
    return client.get(f"/search/?{urlencode({'q': q, **more})}")


def test_a_result_is_shown_with_its_figures_and_its_words_marked(client):
    row = SubmissionFactory(title="Netflix, a million writes", notes="Three zones.\nRun behind Priam, without backups.")

    response = search(client, "netflix priam")

    said = text(response).replace("\u00a0", " ")
    assert "1 result matches “netflix priam”." in said
    for words in (f"#{row.pk}", "3× m3.2xlarge · AWS us-east-1", "90 k ops/s", "p99 4.0 ms service time", "Sep 2015"):
        assert words in said, words
    assert "log verified" in said
    assert "more than 12 months ago" in said
    assert "<mark>Netflix</mark>, a million writes" in response.content.decode()
    assert "Run behind <mark>Priam</mark>, without" in response.content.decode()
    assert row.get_absolute_url() in links(response)
    assert faults(response) == []


def test_unknown_figures_are_left_out_and_relative_ones_are_said_to_be_relative(client):
    SubmissionFactory(
        title="Netflix",
        trust="historical",
        throughput_ops_s=None,
        relative_throughput=1.75,
        relative_base="1 = without a cache",
        hourly_usd=None,
        latency_p99_ms=None,
        measured_at=None,
    )

    said = text(search(client, "netflix")).replace("\u00a0", " ")

    assert "relative figures only" in said
    assert "1.75 relative, 1 = without a cache" in said
    assert "historical" in said
    assert "date unknown" in said
    assert "ops/s" not in said
    assert "p99" not in said


def test_the_rate_of_a_limit_is_said_to_be_no_capacity_and_the_kind_of_a_latency_is_named(client):
    SubmissionFactory(title="Held", flags=["throttled"], throttle_ops_s=90_000.0, latency_kind="response_time")

    said = text(search(client, "held")).replace("\u00a0", " ")

    assert "limited to 90,000 ops/s by the test" in said
    assert "response time" in said


def test_databases_workloads_instance_types_and_pages_are_found_beside_results(client):
    workload = WorkloadFactory(service="cassandra", title="Apache Cassandra: cassandra-stress write, RF 3")
    SubmissionFactory(workload=workload, instance_type="i4i.large")
    InstanceType.objects.create(provider="aws", name="i4i.large", vcpus=2, memory_gib=16, source="test")

    by_database = links(search(client, "apache cassandra"))
    by_type = links(search(client, "i4i"))
    by_page = links(search(client, "methodology"), "^/about/")

    assert {"/services/cassandra/", f"/workloads/{workload.fingerprint}/"} <= set(by_database)
    assert "/machines/aws/i4i.large/" in by_type
    assert "/about/methodology/" in by_page


def test_workloads_and_databases_without_a_public_result_are_not_found(client):
    workload = WorkloadFactory(service="secretdb", title="secretdb: ycsb read")
    SubmissionFactory(workload=workload, service="secretdb", visibility="private")

    said = search(client, "secretdb")

    assert "/workloads/" not in "".join(links(said, "^/workloads/."))
    assert "/services/secretdb/" not in links(said)
    assert "No result matches" in text(said)


def test_where_nothing_is_found_the_page_says_which_word_to_leave_out_and_what_there_is(client):
    SubmissionFactory(title="Netflix")

    response = search(client, "netflix ssd-from-nowhere")

    assert "No result matches “netflix ssd-from-nowhere”." in text(response)
    assert "?q=netflix" in links(response)
    assert "/services/cassandra/" in links(response)
    assert faults(response) == []


def test_without_words_the_page_shows_how_to_search(client):
    SubmissionFactory()

    response = client.get("/search/")

    assert response.status_code == 200
    assert "?q=%22JDK+17%22" in links(response)
    assert "/services/cassandra/" in links(response)
    assert faults(response) == []


def test_a_site_without_results_answers_too(client):
    for address in ("/search/", "/search/?q=netflix", "/search/?q=%231"):
        assert client.get(address).status_code == 200, address


@pytest.mark.parametrize(
    "q",
    [HOSTILE, "' OR 1=1 --", "a & | ! <-> :*", "%", "\\", "&" * 200, '"', "((((", "日本語", "…", "#", "#0", "\ufffd"],
)
def test_whatever_is_typed_is_answered_and_shown_as_text(client, q):
    SubmissionFactory(title=HOSTILE, notes=HOSTILE, source=HOSTILE)

    response = search(client, q)

    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"q": "x" * 201}, "at most 200 characters"),
        ({"q": "a\x00b"}, "Null characters"),
        ({"q": " ".join("abcdefghijklm")}, "has more than 12 words"),
        ({"q": "netflix", "cursor": "x"}, "is not a cursor of this search"),
        ({"cursor": "x"}, "q is missing"),
    ],
)
def test_a_bad_parameter_is_named(client, query, words):
    page, api = client.get("/search/", query), client.get("/api/v1/search/", query)

    assert page.status_code == api.status_code == 400
    assert words in text(page)
    assert words in api.content.decode()
    assert faults(page) == []


def test_pages_are_linked_and_show_each_result_once(client):
    rows = SubmissionFactory.create_batch(A_PAGE + 2, title="Netflix")

    first = search(client, "netflix")
    [following] = [link for link in links(first) if "cursor=" in link]
    second = client.get(f"/search/{following}")

    results = [*links(first, r"^/submissions/\d+/$"), *links(second, r"^/submissions/\d+/$")]
    assert sorted(results) == sorted(row.get_absolute_url() for row in rows)
    assert "?q=netflix" in links(second)
    assert text(second).count("22 results match") == 1


def test_robots_stay_away_from_what_a_search_found(client):
    assert search(client, "netflix")["X-Robots-Tag"] == "noindex"
    assert "Disallow: /search/" in client.get("/robots.txt").content.decode()


def test_every_page_has_a_box_and_the_search_has_one_of_its_own(client):
    for address in ("/", "/submissions/", "/about/methodology/"):
        assert 'id="header-search"' in client.get(address).content.decode(), address
    page = search(client, 'say "hi"').content.decode()
    assert page.count('type="search"') == 1
    assert 'value="say &quot;hi&quot;"' in page


def test_a_page_that_is_not_there_offers_to_search_for_the_words_of_its_address(client):
    response = client.get("/results/2011/netflix-million_writes.html")

    assert response.status_code == 404
    assert 'value="results 2011 netflix million writes.html"' in response.content.decode()
    assert faults(response) == []


def test_a_hostile_address_is_text(client):
    response = client.get("/%22%3E%3Cscript%3Ealert(1)%3C/script%3E/" + "x" * 500)

    assert response.status_code == 404
    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []
