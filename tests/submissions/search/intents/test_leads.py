"""Where a search leads, as people ask: the page with its fields filled in, and the results there are."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from submissions.models import InstanceType
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

RECOMMEND, VALUE, LIST, COMPARE = "/recommend/", "/value/", "/submissions/", "/compare/"
MACHINES, FACT = "/machines/compare/", "/compare/fact/"
CASSANDRA, MONGODB = "Cassandra on i3", "MongoDB on M80"
SCYLLA, POSTGRES, REDIS = "Scylla on i4i", "Postgres on gp3", "Redis on Graviton"


@pytest.fixture
def rows():
    """By title."""
    shared = WorkloadFactory(service="cassandra", title="cassandra-stress write")
    on_disk = [{"instance_type": "m6i.large", "disks": [{"kind": "gp3"}]}]
    rows = [
        SubmissionFactory(
            workload=shared, title=CASSANDRA, instance_type="i3.xlarge", service_version="5.0.3", region="eu-west-1"
        ),
        SubmissionFactory(workload=shared, title="Netflix", instance_type="i4i.xlarge", service_version="2.1.5"),
        SubmissionFactory(
            title=MONGODB,
            workload=WorkloadFactory(service="mongodb", title="ycsb on MongoDB"),
            service="mongodb",
            provider="mongodb-atlas",
            region=None,
            instance_type="M80_NVME",
            service_version="6.0",
        ),
        SubmissionFactory(
            title=SCYLLA,
            workload=WorkloadFactory(service="scylladb", title="ycsb on ScyllaDB"),
            service="scylladb",
            provider="gce",
            region="us-central1",
            instance_type="n2-standard-8",
            service_version="5.4.1",
        ),
        SubmissionFactory(
            title=POSTGRES,
            workload=WorkloadFactory(service="postgresql", title="pgbench", fingerprint="ab" * 8),
            service="postgresql",
            instance_type="m6i.large",
            service_version="18.1",
            disk_kind="gp3",
            document={"nodes": on_disk},
        ),
        SubmissionFactory(
            title=REDIS,
            workload=WorkloadFactory(service="redis", title="SET, pipeline 16", fingerprint="cd" * 8),
            service="redis",
            instance_type="c7g.large",
            service_version="7.4",
            cpu_model="AWS Graviton3",
        ),
    ]
    for name in ("i3.xlarge", "i4i.xlarge", "m6i.large", "c7g.large", "n2-standard-8", "z3-highmem-8-highlssd"):
        provider = "gce" if name.startswith(("n2", "z3")) else "aws"
        InstanceType.objects.create(provider=provider, name=name, vcpus=2, memory_gib=16, source="test")
    return {row.title: row for row in rows}


# search -> the page that it leads to first, its fields, and a title among its results; None: nowhere, and none
SEARCHES = {
    # the twelve of the review, and those of the issue
    "cheapest cassandra": (RECOMMEND, {"service": "cassandra"}, CASSANDRA),
    "i4i vs i3": (COMPARE, {"s": ("Netflix", CASSANDRA)}, CASSANDRA),
    "postgres gp3": (LIST, {"service": "postgresql", "disk_kind": "gp3"}, POSTGRES),
    "scylla 5": ("/services/scylladb/", None, SCYLLA),
    "fastest on aws": (RECOMMEND, {"provider": "aws"}, CASSANDRA),
    "p99 under 10ms": (RECOMMEND, {"max_p99_ms": "10"}, None),
    "mongodb vs cassandra": (RECOMMEND, {}, MONGODB),
    "redis arm": (LIST, {"service": "redis", "architecture": "arm64"}, REDIS),
    "netflix": (None, None, "Netflix"),
    "cassandra 5.0.3": ("/services/cassandra/", None, CASSANDRA),
    "eu-west-1": (LIST, {"region": "eu-west-1"}, CASSANDRA),
    "mongodb atlas m80": (None, None, MONGODB),
    # twenty more
    "the fastest database": (RECOMMEND, {}, None),
    "cheapest cassandra on aws in us-east-1": (
        RECOMMEND,
        {"service": "cassandra", "provider": "aws", "region": "us-east-1"},
        "Netflix",
    ),
    "cassandra p99 < 5 ms": (RECOMMEND, {"service": "cassandra", "max_p99_ms": "5"}, CASSANDRA),
    "mongodb latency below 0.5s": (RECOMMEND, {"service": "mongodb", "max_p99_ms": "500"}, MONGODB),
    "scylla 50k ops/s": (RECOMMEND, {"service": "scylladb", "target_ops_s": "50000"}, SCYLLA),
    "cassandra under $1,500 a month": (RECOMMEND, {"service": "cassandra", "budget_usd_month": "1500"}, CASSANDRA),
    "cassandra 100,000 ops/s p99 under 10 ms": (
        RECOMMEND,
        {"service": "cassandra", "target_ops_s": "100000", "max_p99_ms": "10"},
        CASSANDRA,
    ),
    "cheapest cassandra writes": (RECOMMEND, {"service": "cassandra", "work": "writes"}, None),
    "fastest postgres on gcp": (RECOMMEND, {"service": "postgresql", "provider": "gce"}, None),
    "best value redis": (VALUE, {"workload": "cd" * 8}, REDIS),
    "postgres ops per dollar": (VALUE, {"workload": "ab" * 8}, POSTGRES),
    "cheapest cloud": (VALUE, {"by": "provider"}, None),
    "pg on aws": (LIST, {"service": "postgresql", "provider": "aws"}, POSTGRES),
    "google": (LIST, {"provider": "gce"}, SCYLLA),
    "scylla gcp": (LIST, {"service": "scylladb", "provider": "gce"}, SCYLLA),
    "redis graviton": (LIST, {"service": "redis", "architecture": "arm64"}, REDIS),
    "redis x86": (LIST, {"service": "redis", "architecture": "x86_64"}, None),
    "redis on azure": (LIST, {"service": "redis", "provider": "azure"}, None),
    # two types, by their names or by the size whose kinds have longer ones; a type alone
    "i3.xlarge or i4i.xlarge": (MACHINES, {"a": "aws:i3.xlarge", "b": "aws:i4i.xlarge"}, CASSANDRA),
    "i4i.xlarge vs z3-highmem-8": (MACHINES, {"a": "aws:i4i.xlarge", "b": "gce:z3-highmem-8-highlssd"}, "Netflix"),
    "i4i.xlarge": ("/machines/aws/i4i.xlarge/", {}, "Netflix"),
    "arm vs x86": (FACT, {"fact": "architecture", "baseline": "x86_64", "variant": "arm64"}, REDIS),
    "x86 or graviton": (FACT, {"fact": "architecture", "baseline": "x86_64", "variant": "arm64"}, REDIS),
    "redis arm64 vs x86_64": (FACT, {"fact": "architecture", "baseline": "x86_64", "variant": "arm64"}, REDIS),
    "m6i vs c7g": (LIST, {"machine_family": "m6i"}, POSTGRES),
    "mongo vs pg": (RECOMMEND, {}, MONGODB),
    "redis 7": ("/services/redis/", None, REDIS),
    "postgres 18.x": ("/services/postgresql/", None, POSTGRES),
    "which mongodb is the cheapest?": (RECOMMEND, {"service": "mongodb"}, MONGODB),
}


def search(client, q):
    return client.get(f"/api/v1/search/?{urlencode({'q': q})}").json()


@pytest.mark.parametrize("q", SEARCHES)
def test_a_search_leads_to_the_page_that_answers_it_with_its_fields_filled_in(client, rows, q):
    page, fields, title = SEARCHES[q]

    answer = search(client, q)

    if page is None:
        assert [place["kind"] for place in answer["places"] if place["kind"] in ("answer", "comparison")] == []
    else:
        leading = urlsplit(answer["places"][0]["url"])
        assert leading.path == page
        if fields is not None:
            named = {name: values if name == "s" else values[0] for name, values in parse_qs(leading.query).items()}
            expected = {**fields, **({"s": [str(rows[own].pk) for own in fields["s"]]} if "s" in fields else {})}
            assert named == expected
    titles = [row["title"] for row in answer["results"]]
    assert titles == [] if title is None else title in titles


@pytest.mark.parametrize("q", SEARCHES)
def test_each_page_that_a_search_leads_to_is_there(client, rows, q):
    shown = client.get("/search/", {"q": q})

    assert shown.status_code == 200
    assert faults(shown) == []
    for place in search(client, q)["places"][:2]:
        assert client.get(place["url"].removeprefix("http://testserver")).status_code == 200, place


def test_a_number_sign_still_leads_to_the_result(client, rows):
    row = rows["Netflix"]

    assert [found["id"] for found in search(client, f"#{row.pk}")["results"]] == [row.pk]


def test_a_version_is_found_by_its_beginning_and_by_nothing_behind_it(client, rows):
    assert [row["title"] for row in search(client, "cassandra 5")["results"]] == [CASSANDRA]
    assert [row["title"] for row in search(client, "cassandra 2.1")["results"]] == ["Netflix"]


def test_a_list_with_results_that_are_fastest_first_stands_beside_the_recommendation(client, rows):
    urls = [place["url"] for place in search(client, "fastest on aws")["places"]]

    assert urls[1] == "http://testserver/submissions/?provider=aws&ordering=-throughput_ops_s"


def test_quoted_words_are_words_and_ask_for_nothing(client, rows):
    row = SubmissionFactory(title="The cheapest Cassandra")

    answer = search(client, '"cheapest cassandra"')

    assert [found["id"] for found in answer["results"]] == [row.pk]
    assert "answer" not in [place["kind"] for place in answer["places"]]


def test_the_page_shows_answers_before_results(client, rows):
    page = client.get("/search/", {"q": "cheapest cassandra"})

    assert "/recommend/?service=cassandra" in links(page)
    shown = text(page)
    assert shown.index("The cheapest cluster of Apache Cassandra") < shown.index(CASSANDRA)


def test_a_database_without_a_result_is_said_to_have_none(client):
    SubmissionFactory()

    page = text(client.get("/search/", {"q": "redis arm"}))

    assert "no result of Redis yet" in page


def test_limits_are_in_the_name_of_what_a_search_leads_to(client, rows):
    places = search(client, "cassandra 50k ops/s p99 under 10ms $1,500 a month")["places"]

    assert places[0]["label"] == (
        "The cheapest cluster of Apache Cassandra, at least 50,000 ops/s, p99 at most 10 ms, at most $1,500 a month"
    )
