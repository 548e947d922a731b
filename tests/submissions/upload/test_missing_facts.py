"""An answer lists what a result lacks, what that costs it and where to add it; all of it can be added."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.models import Submission
from tests.documents import document
from tests.pages import text
from tests.submissions.caller import BASE
from tests.submissions.logs import QUORUM, form, log

SPARSE = {
    "service": {"name": "cassandra"},
    "provider": "aws",
    "nodes": [{"role": "database", "count": 3, "instance_type": "i3.xlarge"}],
    "workload": {"tool": "cassandra-stress", "operations": {"write": 1.0}},
    "trials": [{"throughput_ops_s": 1000}],
}
LOG_PART = 'Content-Disposition: form-data; name="log"; filename="stress.log"'
FACTS = {
    "#/region": {"region": "us-east-1"},
    "#/nodes/0/hourly_usd": {"nodes": [{"hourly_usd": "0.5"}]},
    "#/measured_at": {"measured_at": "2026-05-04T12:00:00Z"},
    "#/nodes/1": {"nodes": [{}, {"role": "client", "count": 2, "instance_type": "c5.xlarge"}]},
    "#/workload/consistency_level": {"workload": {"consistency_level": "QUORUM"}},
    "#/workload/replication_factor": {"workload": {"replication_factor": 3}},
    "#/service/version": {"service": {"version": "5.0.2"}},
    "#/jdk/version": {"jdk": {"version": "17"}},
    "#/nodes/0/disks": {"nodes": [{"disks": [{"kind": "local-ssd"}]}, {}]},
    "#/nodes/0/cpu_model": {"nodes": [{"cpu_model": "Xeon"}, {}]},
    "#/workload/data_bytes": {"workload": {"data_bytes": 10**9}},
}


def patch(caller, address, body):
    return caller.client.patch(address, json.dumps(body), content_type="application/json", **caller.headers)


def test_a_201_says_what_is_missing_what_that_costs_and_where_it_can_be_added(caller):
    answer = caller.submit(SPARSE)

    body = answer.json()
    missing = {fact["pointer"]: fact["effect"] for fact in body["missing"]["facts"]}
    assert answer.status_code == 201
    assert missing.keys() == FACTS.keys()
    assert missing["#/region"] == "no price, so no operations per dollar, and not on the value board"
    today = timezone.now().date()
    assert missing["#/measured_at"] == f"priced at {today}, the day of receipt"
    assert (body["measured_at_source"], body["measured_at"][:10]) == ("received", str(today))
    assert body["missing"]["add_url"] == f"http://testserver{BASE}{body['id']}/"
    assert body["missing"]["page_url"] == f"http://testserver/account/submissions/{body['id']}/change/"


def test_every_missing_fact_can_be_added_at_that_address(caller):
    added = caller.submit(SPARSE).json()["missing"]
    address = added["add_url"].removeprefix("http://testserver")

    for fact in added["facts"]:
        answer = patch(caller, address, FACTS[fact["pointer"]])
        assert answer.status_code == 200, (fact, answer.content)

    body = answer.json()
    assert body["missing"]["facts"] == []
    assert (body["hourly_usd"], body["measured_at_source"], body["client_count"]) == ("1.5", "stated", 2)
    assert [group["role"] for group in body["node_groups"]] == ["database", "client"]
    assert Submission.objects.get().ops_per_usd == 2_400_000


def test_an_import_says_so_too_and_a_day_later_nothing_can_be_added(caller):
    facts = {"service": {"name": "cassandra"}, "provider": "aws", "nodes": SPARSE["nodes"]}
    [body] = caller.upload(form(log(QUORUM), meta=facts)).json()["submissions"]

    assert "#/region" in {fact["pointer"] for fact in body["missing"]["facts"]}
    Submission.objects.update(created_at=timezone.now() - timedelta(hours=25))
    later = caller.client.get(f"{BASE}{body['id']}/").json()["missing"]
    assert (later["add_until"], later["add_url"], later["page_url"]) == (None, None, None)


@pytest.mark.parametrize(
    "group",
    [
        {"role": "database", "count": 1, "instance_type": "i3.xlarge"},
        {"role": "cache", "count": 1, "instance_type": "i3.xlarge"},
        "client",
    ],
)
def test_only_clients_can_be_added_to_the_machines(caller, faults, group):
    address = f"{BASE}{caller.submit(SPARSE).json()['id']}/"

    answer = patch(caller, address, {"nodes": [{}, group]})

    assert faults(answer) == {"#/nodes/1": "only load clients can be added, where none are stated"}
    assert Submission.objects.get().node_groups.count() == 1


def test_further_clients_cannot_be_added_to_stated_ones(caller, faults):
    address = f"{BASE}{caller.submit(document()).json()['id']}/"
    more = {"role": "client", "count": 5, "instance_type": "c3.4xlarge"}

    assert "#/nodes/2" in faults(patch(caller, address, {"nodes": [{}, {}, more]}))


FACTS_OF_LOG = {name: SPARSE[name] for name in ("service", "provider", "nodes")}


def sent_with(caller, *headers):
    """The dry run of a log whose part has these headers."""
    lines = ["--B", 'Content-Disposition: form-data; name="metadata"', "", json.dumps(FACTS_OF_LOG), "--B", *headers]
    body = "\r\n".join([*lines, "Content-Type: text/plain", "", QUORUM.read_text(), "--B--", ""]).encode()
    answer = caller.post(f"{BASE}import/?dry_run=true", body, content_type="multipart/form-data; boundary=B")
    return answer.json()["submissions"][0]


@pytest.mark.parametrize(
    "headers",
    [
        (f"{LOG_PART}", "Last-Modified: Sat, 04 May 2024 12:00:00 GMT"),
        (f'{LOG_PART}; modification-date="Sat, 04 May 2024 12:00:00 +0000"',),
    ],
)
def test_the_header_of_a_part_dates_its_file(caller, headers):
    prepared = sent_with(caller, *headers)

    assert (prepared["measured_at"], prepared["measured_at_source"]) == ("2024-05-04T12:00:00Z", "file")
    assert {"pointer": "#/measured_at", "value": "2024-05-04T12:00:00+00:00", "source": "file"} in prepared[
        "understood"
    ]


@pytest.mark.parametrize("date", ["yesterday", "Sat, 04 May 2024 99:00:00 GMT", "Sat, 04 May 1901 12:00:00 GMT"])
def test_a_part_whose_date_is_nonsense_is_read_as_one_without(caller, date):
    assert sent_with(caller, LOG_PART, f"Last-Modified: {date}")["measured_at_source"] == "received"


def test_a_file_whose_name_is_in_no_character_set_that_can_be_read_is_none(caller, faults):
    part = b"--B\r\nContent-Disposition: form-data; name=\"log\"; filename*=idna''%ff%fe\r\n\r\nx\r\n--B--\r\n"

    answer = caller.post(f"{BASE}import/?dry_run=true", part, content_type="multipart/form-data; boundary=B")

    assert answer.status_code == 400
    assert "#/log" in faults(answer)


def test_the_page_says_where_the_date_is_from_and_its_owner_what_can_be_added(caller, client):
    number = caller.submit(SPARSE).json()["id"]

    anybody = text(client.get(f"/submissions/{number}/"))
    client.force_login(caller.user)
    owner = text(client.get(f"/submissions/{number}/"))

    assert "(day of receipt: no date was stated, so the prices of this date are used)" in anybody
    assert "What you can still add" not in anybody
    assert "Replication factor: compared only with results that do not state it either" in owner


def test_the_page_for_missing_facts_takes_load_clients(caller, client):
    number = caller.submit(SPARSE).json()["id"]
    client.force_login(caller.user)
    fields = {"visibility": "public", "nodes-1-count": "2", "nodes-1-instance_type": "c5.xlarge"}

    client.post(f"/account/submissions/{number}/change/", fields)

    row = Submission.objects.get()
    assert row.client_count == 2
    assert [group["role"] for group in row.document["nodes"]] == ["database", "client"]
