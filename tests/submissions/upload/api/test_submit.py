"""POST /api/v1/submissions/: a document becomes a priced submission, once."""

import json
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.models import Submission, Trial
from tests.documents import document
from tests.factories import PriceFactory, UserFactory
from tests.submissions.caller import BASE, Caller

ROW_FIELDS = [
    "id",
    "url",
    "title",
    "service",
    "service_version",
    "provider",
    "region",
    "zones",
    "instance_type",
    "node_count",
    "client_count",
    "jdk_vendor",
    "jdk_version",
    "disk_kind",
    "operation",
    "replication_factor",
    "consistency_level",
    "workload",
    "trials_count",
    "averaged_over",
    "throughput_ops_s",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "latency_max_ms",
    "latency_kind",
    "latency_distorted_by_errors",
    "errors",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "price_date",
    "price_last_seen",
    "trust",
    "flags",
    "license",
    "measured_at",
    "created_at",
    "measured_at_source",
    "bill_usd",
    "at_slo",
    "latency_p99_at_most_ms",
    "latency_p99_is_bound",
    "latency_p99_bound_of",
    "machine_family",
    "architecture",
    "client_placement",
    "pack",
    "attribution",
    "deployment",
    "data_bytes",
    "data_to_memory",
]


def test_a_submission_is_stored_and_answered_whole(caller):
    response = caller.submit(document())

    stored = Submission.objects.get()
    body = response.json()
    assert response.status_code == 201
    assert response["Location"] == body["url"] == f"http://testserver/submissions/{stored.pk}/"
    assert {name: body[name] for name in ROW_FIELDS} == {
        "id": stored.pk,
        "url": f"http://testserver/submissions/{stored.pk}/",
        "title": "Three nodes on AWS",
        "service": "cassandra",
        "service_version": "2.1.8",
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "instance_type": "m3.2xlarge",
        "node_count": 3,
        "client_count": 1,
        "jdk_vendor": "oracle",
        "jdk_version": "8u51",
        "disk_kind": "local-ssd",
        "operation": "write",
        "replication_factor": 3,
        "consistency_level": "LOCAL_ONE",
        "workload": stored.workload.fingerprint,
        "trials_count": 1,
        "averaged_over": None,
        "throughput_ops_s": 90748.0,
        "latency_mean_ms": None,
        "latency_p50_ms": None,
        "latency_p95_ms": None,
        "latency_p99_ms": 4.0,
        "latency_p999_ms": None,
        "latency_max_ms": None,
        "latency_kind": "service_time",
        "latency_distorted_by_errors": False,
        "errors": 0,
        "hourly_usd": "1.596",  # 3 x 0.532, as stated
        "ops_per_usd": "204694736.8421",  # 90,748 x 3,600 / 1.596
        "usd_per_million_ops": "0.0048853235",
        "price_date": "2015-09-01",
        "price_last_seen": None,  # no price list has it
        "trust": "uploaded",
        "flags": ["short"],  # 22 s
        "license": "CC-BY-4.0",
        "measured_at": "2015-09-01T12:00:00Z",
        "created_at": stored.created_at.isoformat().replace("+00:00", "Z"),
        "measured_at_source": "stated",
        "bill_usd": None,
        "at_slo": None,
        "latency_p99_at_most_ms": 4.0,
        "latency_p99_is_bound": False,
        "latency_p99_bound_of": "",
        "machine_family": "m3",
        "architecture": None,
        "client_placement": None,
        "pack": "",
        "attribution": "",
        "deployment": "vm",
        "data_bytes": 340_000_000,  # 2,000,000 x 5 x 34
        "data_to_memory": 340_000_000 * 3 / (3 * 30 * 2**30),
    }
    assert body["submitted_by"] == "demo"
    assert body["trials"][0]["throughput_ops_s"] == 90748.0
    assert [(group["role"], group["node_hourly_usd"]) for group in body["node_groups"]] == [
        ("database", "0.532"),
        ("client", None),
    ]
    assert body["document"]["settings"] == {
        "cassandra.yaml": {"concurrent_writes": 128},
        "jvm_options": ["-XX:+UseCondCardMark"],
    }


def test_the_answer_is_what_the_address_of_the_submission_gives(caller, client):
    body = caller.submit(document()).json()

    places = body.pop("next")
    assert client.get(f"{BASE}{body['id']}/").json() == body
    assert places == {
        "compare": f"http://testserver/compare/?with={body['id']}",
        "leaderboard": f"http://testserver/workloads/{body['workload']}/",
        "mine": "http://testserver/account/#own",
    }


def test_the_price_in_force_when_it_was_measured_is_frozen(caller):
    PriceFactory(usd=Decimal("0.532"))

    body = caller.submit(document({"nodes/0/hourly_usd": ...})).json()

    assert (body["hourly_usd"], body["price_date"], body["is_price_stated"]) == ("1.596", "2015-06-01", False)
    assert [(item["label"], item["unit_usd"], item["usd"], item["source"]) for item in body["cost"]["items"]] == [
        ("3× m3.2xlarge (database)", "0.532", "1.596", "AWS price list of 2015-06-01")
    ]
    assert body["cost"]["monthly_usd"] == "1165.08"  # 730 hours


def test_an_unknown_price_is_null_and_says_why(caller):
    body = caller.submit(document({"nodes/0/hourly_usd": ...})).json()

    assert (body["hourly_usd"], body["ops_per_usd"], body["usd_per_million_ops"]) == (None, None, None)
    assert "m3.2xlarge" in body["price_missing"]


def test_the_same_content_again_answers_with_the_first_one(caller, client):
    first = caller.submit(document())
    again = caller.submit(json.dumps(document(), indent=4).encode())
    by_another = Caller(client, UserFactory()).submit(document())

    assert (first.status_code, again.status_code, by_another.status_code) == (201, 200, 200)
    assert again.json() == by_another.json() == first.json()
    assert Submission.objects.count() == Trial.objects.count() == 1


def test_other_content_is_another_submission(caller):
    caller.submit(document())

    assert caller.submit(document({"region": "us-east-2"})).status_code == 201
    assert Submission.objects.count() == 2


def test_the_same_trials_under_another_title_are_the_same_submission(caller):
    first = caller.submit(document())

    again = caller.submit(document({"title": "The fastest of all", "notes": "Believe it."}))

    assert again.status_code == 200
    assert again.json()["id"] == first.json()["id"]
    assert Submission.objects.get().title == "Three nodes on AWS"


def test_a_dry_run_shows_the_same_without_ids_and_stores_nothing(caller):
    dry = caller.submit(document(), "?dry_run=true")
    nothing_stored = not Submission.objects.exists()
    stored = caller.submit(document()).json()

    body = dry.json()
    understood = body.pop("understood")
    assert dry.status_code == 200
    assert nothing_stored
    assert body.pop("warnings") == []
    assert body["missing"].pop("facts") == stored["missing"].pop("facts")
    assert body["missing"] == {"add_until": None, "add_url": None, "page_url": None}
    left_out = (
        "id",
        "url",
        "link",
        "created_at",
        "published_at",
        "unranked_until",
        "next",
        "supersedes",
        "superseded_by",
        "submitted_by",
        "missing",
    )
    assert {name: value for name, value in body.items() if name != "missing"} | {"submitted_by": None} == {
        **{name: value for name, value in stored.items() if name not in left_out},
        "submitted_by": None,
    }
    assert {"pointer": "#/provider", "value": "aws", "source": "uploader"} in understood


def test_a_dry_run_tells_a_price_of_the_book_from_one_that_was_stated(caller):
    PriceFactory(usd=Decimal("0.532"))

    body = caller.submit(document({"nodes/0/hourly_usd": ...}), "?dry_run=true").json()

    assert [fact for fact in body["understood"] if fact["source"] == "price book"] == [
        {"pointer": "#/nodes/0/hourly_usd", "value": "0.53200000", "source": "price book"}
    ]


def test_a_dry_run_refuses_what_would_be_refused(caller, faults):
    assert faults(caller.submit(document({"provider": ...}), "?dry_run=true")) == {"#/provider": "is required"}


@pytest.mark.parametrize("value", ["maybe", "", "tru"])
def test_a_dry_run_that_is_neither_true_nor_false_stores_nothing(caller, faults, value):
    assert faults(caller.submit(document(), f"?dry_run={value}")) == {"#/dry_run": "must be true or false"}
    assert not Submission.objects.exists()


def test_a_misspelt_parameter_stores_nothing(caller, faults):
    assert faults(caller.submit(document(), "?dryrun=true")) == {"#/dryrun": "unknown parameter; known are dry_run"}
    assert not Submission.objects.exists()


def test_titles_and_notes_come_back_as_they_were_sent(caller):
    hostile = '<script>alert("1")</script> & \u202e {{ 7*7 }}'

    body = caller.submit(document({"title": hostile, "notes": hostile})).json()

    assert (body["title"], body["notes"]) == (hostile, hostile)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"visibility": "unlisted"},
        {"embargo_until": "2099-01-01"},
        {"settings": {"zz": 1, "a": {"long name": 1e22, "é": -0.0, "b": [1e-7, 10**18]}, "Z": None}},
        {"trials": [{"throughput_ops_s": rate, "latency_ms": {"p99": 1.5}} for rate in (3.25, 1e9)], "jdk": None},
        {
            "nodes/0/hourly_usd": "0.33333333",
            "bill": {"items": [{"label": "x", "quantity": 1, "unit": "h", "unit_usd": "0.1"}]},
        },
        {"provider": "hetzner", "nodes/0/hourly_usd": None, "region": None, "measured_at": None},
    ],
)
def test_the_answer_is_what_a_get_answers_byte_for_byte(caller, client, changes):
    posted = caller.submit(document(changes))

    assert posted.status_code == 201
    read = client.get(f"{BASE}{posted.json()['id']}/", **caller.headers).content
    assert posted.content.startswith(read.removesuffix(b"}") + b',"next":{')


def test_what_was_written_is_answered_and_not_read_back(caller):
    with CaptureQueriesContext(connection) as queries:
        answer = caller.submit(document())

    assert answer.status_code == 201
    assert not [query["sql"] for query in queries if 'FROM "submissions_trial"' in query["sql"]]
