"""GET databases/: databases under one load, and verdicts only where both wait for as many replicas."""

import pytest

from submissions.models import Submission, Workload
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import text
from tests.public_pack import with_cassandra_runs

pytestmark = pytest.mark.django_db

URL = "/api/v1/databases/"
LOAD = {"tool": "ycsb", "operations": {"read": 0.8, "insert": 0.2}, "replication_factor": 3, "columns": 10}
MONGO = "-p mongodb.url=mongodb://10.0.0.1:27017/admin?w={}&j=true&readPreference=primary -p recordcount=4"


def result(service, level=None, command=None, rate=50_000.0, **fields):
    form = {**LOAD, **fields.pop("load", {}), "service": service, "consistency_level": level}
    workload = WorkloadFactory(service=service, title=f"{service} {sorted(form.items(), key=str)}", canonical=form)
    row = SubmissionFactory(
        service=service, workload=workload, consistency_level=level, throughput_ops_s=rate, **fields
    )
    if command:
        row.document["workload"]["command"] = command
        Submission.objects.filter(pk=row.pk).update(document=row.document)
    return row


def only_pair(client):
    return client.get(URL).json()["pairs"][0]


def test_the_load_is_the_workload_without_database_and_consistency(client):
    one, other = result("cassandra", "ONE"), result("mongodb")
    different = result("scylladb", "ONE", load={"columns": 5})

    fingerprints = [Workload.objects.get(pk=row.workload_id).load_fingerprint for row in (one, other, different)]
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]
    assert client.get(URL).json()["loads"][0]["databases"] in (["cassandra", "mongodb"], ["mongodb", "cassandra"])
    assert len(client.get(URL).json()["loads"]) == 1


@pytest.mark.parametrize(("level", "concern"), [("ONE", "1"), ("LOCAL_ONE", "1"), ("QUORUM", "majority"), ("ALL", "3")])
def test_both_waiting_for_as_many_replicas_get_a_verdict(client, level, concern):
    slow = result("mongodb", command=MONGO.format(concern), rate=20_000.0)
    fast = result("cassandra", level, rate=50_000.0)

    pair = only_pair(client)
    assert (pair["a"], pair["b"], pair["is_one_cluster"]) == (slow.pk, fast.pk, True)
    assert pair["no_verdict_because"] is None
    assert pair["throughput"]["ratio"] == pytest.approx(2.5)
    assert pair["throughput"]["verdict"] == "better"


@pytest.mark.parametrize(
    ("level", "command", "reason", "words"),
    [
        ("QUORUM", MONGO.format(1), "other", "MongoDB waits for one replica (w:1)"),
        ("ONE", None, "not_stated", "the result of MongoDB does not state its consistency"),
        ("SERIAL", MONGO.format(1), "no_class", "SERIAL waits for neither"),
    ],
)
def test_without_comparable_consistency_there_is_no_verdict_and_the_reason(client, level, command, reason, words):
    result("mongodb", command=command, rate=20_000.0)
    result("cassandra", level, rate=50_000.0)

    pair = only_pair(client)
    assert (pair["no_verdict_because"], pair["throughput"]) == (reason, None)
    assert words in pair["sentence"]
    assert words in text(client.get("/compare/databases/"))


def test_a_flagged_result_and_one_without_a_log_are_excluded(client):
    result("mongodb", rate=20_000.0)
    result("cassandra", "ONE", rate=50_000.0)
    result("cassandra", "ONE", rate=90_000.0, flags=["errors"])
    result("cassandra", "ONE", rate=95_000.0, trust="uploaded")

    body = client.get(URL).json()
    assert [row["throughput_ops_s"] for row in body["rows"]] == [50_000.0, 20_000.0]
    assert "data-quality flag" in text(client.get("/compare/databases/"))
    assert client.get(URL, {"trust": "uploaded"}).json()["rows"][0]["throughput_ops_s"] == 95_000.0


def test_an_unknown_load_is_named(client):
    assert client.get(URL, {"load": "0" * 16}).status_code == 400
    assert client.get("/compare/databases/", {"load": "0" * 16}).status_code == 404


def test_a_site_without_a_shared_load_says_so(client):
    result("cassandra", "ONE")

    body = client.get(URL).json()
    assert (body["load"], body["rows"], body["loads"]) == (None, [], [])
    assert "No load has been measured on two databases yet" in text(client.get("/compare/databases/"))


@pytest.mark.parametrize("words", ["mongodb vs cassandra", "Apache Cassandra or MongoDB", "cassandra versus mongodb"])
def test_a_search_for_two_databases_leads_to_the_load_that_both_share(client, words):
    row = result("mongodb")
    result("cassandra", "ONE")
    fingerprint = Workload.objects.get(pk=row.workload_id).load_fingerprint

    assert f"/compare/databases/?load={fingerprint}" in client.get("/search/", {"q": words}).content.decode()


def test_a_search_for_two_databases_without_a_shared_load_says_so(client):
    result("mongodb")
    result("cassandra", "ONE", load={"columns": 5})

    page = client.get("/search/", {"q": "mongodb vs cassandra"})
    assert "No load has been measured on both MongoDB and Apache Cassandra" in text(page)
    assert 'href="/recommend/"' in page.content.decode()


def test_a_result_and_its_workload_lead_to_the_load(client):
    row = result("mongodb")
    workload = Workload.objects.get(pk=row.workload_id)
    link = f"/compare/databases/?load={workload.load_fingerprint}"

    assert link in client.get(row.get_absolute_url()).content.decode()
    assert link in client.get(f"/workloads/{workload.fingerprint}/").content.decode()


def test_the_published_test_of_mongodb_and_cassandra_is_one_load_with_a_verdict(client):
    with_cassandra_runs()

    body = client.get(URL).json()
    assert {row["service"] for row in body["rows"]} == {"cassandra", "mongodb"}
    assert {(row["service"], row["consistency"], row["durability"]) for row in body["rows"]} == {
        ("cassandra", "ONE", ""),
        ("mongodb", "w:1", "j=true"),
    }
    assert body["pairs"][0]["is_one_cluster"]
    assert body["pairs"][0]["throughput"]["verdict"] == "better"
    assert len([one for one in body["loads"] if set(one["databases"]) == {"cassandra", "mongodb"}]) == 3


def test_a_month_is_730_hours_on_the_page_and_in_the_api(client):
    result("mongodb")
    result("cassandra", "ONE")

    assert client.get(URL).json()["rows"][0]["month_usd"] == "1165.08"
    assert "$1,165/month" in text(client.get("/compare/databases/"))


def test_a_p99_by_type_of_operation_is_marked_as_a_bound_and_the_costs_are_dated(client):
    result("mongodb", latency_p99_at_most_ms=22.6, latency_p99_is_bound=True, latency_p99_bound_of="read")
    result("cassandra", "ONE")

    row = next(row for row in client.get(URL).json()["rows"] if row["service"] == "mongodb")
    page = text(client.get("/compare/databases/"))
    assert (row["latency_p99_at_most_ms"], row["latency_p99_is_bound"]) == (22.6, True)
    assert "≤ 22.6 reads, the slowest operation" in page
    assert "Costs are those when measured: AWS list price" in page
