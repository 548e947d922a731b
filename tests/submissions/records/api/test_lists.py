"""GET /api/v1/submissions/: rows, paging, filters, orders, CSV, and what they cost."""

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import Trust
from submissions.models import Reproduction, Submission
from tests.factories import (
    ArtifactFactory,
    SubmissionFactory,
    TrialFactory,
    UserFactory,
    WorkloadFactory,
)
from tests.submissions.caller import BASE
from tests.submissions.upload.api.test_submit import ROW_FIELDS

pytestmark = pytest.mark.django_db


def titles(response):
    return [row["title"] for row in response.json()["results"]]


def test_a_row_has_the_fields_of_the_contract_in_their_order(client):
    SubmissionFactory()

    assert list(client.get(BASE).json()["results"][0]) == ROW_FIELDS


def test_the_list_is_open_and_newest_first(client):
    for title in ("first", "second", "third"):
        SubmissionFactory(title=title)

    assert titles(client.get(BASE)) == ["third", "second", "first"]


def test_a_retracted_submission_is_not_listed_but_has_its_page(client):
    gone = SubmissionFactory(retracted_at=timezone.now(), retraction_reason="wrong disks")

    assert titles(client.get(BASE)) == []
    assert client.get(f"{BASE}{gone.pk}/").json()["retraction_reason"] == "wrong disks"


def test_pages_follow_their_next_link_to_the_end(client):
    for n in range(7):
        SubmissionFactory(title=str(n), throughput_ops_s=1000.0 + n % 3)

    seen, address = [], f"{BASE}?ordering=-throughput_ops_s&page_size=3&provider=aws"
    while address:
        page = client.get(address).json()
        seen.append([row["title"] for row in page["results"]])
        address = page["next"]

    assert seen == [["5", "2", "4"], ["1", "6", "3"], ["0"]]


def test_a_page_has_at_most_200_rows(client):
    workload = WorkloadFactory()
    owner = UserFactory()
    Submission.objects.bulk_create(
        SubmissionFactory.build(workload=workload, submitted_by=owner, content_hash=str(n)) for n in range(201)
    )

    assert len(client.get(BASE).json()["results"]) == 50
    assert len(client.get(f"{BASE}?page_size=1000").json()["results"]) == 200


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        ("-throughput_ops_s", ["fast", "slow", "unpriced"]),
        ("throughput_ops_s", ["unpriced", "slow", "fast"]),
        ("latency_p99_ms", ["slow", "fast", "unpriced"]),
        ("-ops_per_usd", ["slow", "fast", "unpriced"]),
        ("hourly_usd", ["slow", "fast", "unpriced"]),
        ("-hourly_usd", ["fast", "slow", "unpriced"]),
        ("-measured_at", ["fast", "unpriced", "slow"]),
        ("-created_at", ["unpriced", "slow", "fast"]),
    ],
)
def test_unknown_values_come_last_in_every_order(client, ordering, expected):
    SubmissionFactory(title="fast", throughput_ops_s=9e4, hourly_usd=Decimal(10), latency_p99_ms=8.0)
    SubmissionFactory(title="slow", throughput_ops_s=8e4, hourly_usd=Decimal(1), latency_p99_ms=2.0, measured_at=None)
    SubmissionFactory(
        title="unpriced",
        throughput_ops_s=100.0,
        hourly_usd=None,
        latency_p99_ms=None,
        latency_p999_ms=None,
        measured_at=datetime(2014, 1, 1, tzinfo=UTC),
    )

    assert titles(client.get(f"{BASE}?ordering={ordering}")) == expected


def test_filters_are_those_of_the_pages(client):
    SubmissionFactory(title="aws", provider="aws")
    SubmissionFactory(title="gce", provider="gce", region="us-central1")
    SubmissionFactory(title="local", provider="local", region=None)

    assert titles(client.get(f"{BASE}?provider=aws&provider=gce")) == ["gce", "aws"]
    assert titles(client.get(f"{BASE}?region=unknown")) == ["local"]
    assert titles(client.get(f"{BASE}?min_throughput=100000")) == []


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("cursor=abc", "#/cursor"),
        ("cursor=%00", "#/cursor"),
        ("page_size=0", "#/page_size"),
        ("page_size=many", "#/page_size"),
        ("ordering=title", "#/ordering"),
        ("node_count=0", "#/node_count"),
        ("min_throughput=nan", "#/min_throughput"),
        ("providr=aws", "#/providr"),
        ("instance_type=%00", "#/instance_type"),
    ],
)
def test_a_bad_parameter_is_named(client, faults, query, pointer):
    assert list(faults(client.get(f"{BASE}?{query}"))) == [pointer]
    assert list(faults(client.get(f"{BASE}?{query}&format=csv"))) == [pointer]


def test_a_cursor_of_another_order_is_refused(client, faults):
    for _ in range(3):
        SubmissionFactory()
    after = client.get(f"{BASE}?page_size=1").json()["next"]

    assert list(faults(client.get(f"{after}&ordering=hourly_usd"))) == ["#/cursor"]


def test_an_unknown_format_is_406(client, faults):
    assert faults(client.get(f"{BASE}?format=xml"), 406) == {"#": "format must be one of json, csv"}


@pytest.mark.parametrize("asked", [{"QUERY_STRING": "format=csv"}, {"HTTP_ACCEPT": "text/csv"}])
def test_csv_has_every_row_and_the_same_columns(client, asked):
    SubmissionFactory.create_batch(3, zones=["us-east-1a", "us-east-1b"], client_count=None, flags=["short", "errors"])

    response = client.get(BASE, **asked)

    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (
        response["Content-Disposition"] == f'attachment; filename="benchsite-results-{datetime.now(UTC):%Y-%m-%d}.csv"'
    )
    assert list(rows[0]) == ROW_FIELDS
    assert len(rows) == 3
    assert (rows[0]["zones"], rows[0]["flags"]) == ("us-east-1a;us-east-1b", "short;errors")
    assert (rows[0]["hourly_usd"], rows[0]["throughput_ops_s"], rows[0]["client_count"]) == ("1.596", "90000.0", "")


def test_csv_is_filtered_and_ordered_like_the_list(client):
    for n, p99 in enumerate((4.0, None, 2.0)):
        SubmissionFactory(title=str(n), latency_p99_ms=p99, latency_p999_ms=None)
    SubmissionFactory(title="other", provider="gce")

    response = client.get(f"{BASE}?provider=aws&ordering=latency_p99_ms&format=csv")

    rows = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert [row["title"] for row in rows] == ["2", "0", "1"]


@pytest.mark.parametrize(
    "title", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)"]
)
def test_no_cell_of_csv_is_a_formula(client, title):
    SubmissionFactory(title=title)

    response = client.get(f"{BASE}?format=csv")

    row = next(csv.DictReader(io.StringIO(response.getvalue().decode(), newline="")))
    assert row["title"] == f"'{title}"


@pytest.mark.parametrize("count", [1, 30])
def test_csv_has_a_line_for_each_result(client, count):
    SubmissionFactory.create_batch(count)

    assert client.get(f"{BASE}?format=csv").getvalue().count(b"\r\n") == count + 1


@pytest.mark.parametrize("count", [1, 30])
def test_a_submission_has_all_its_parts(client, count):
    submission = SubmissionFactory(trials_count=count)
    for n in range(count):
        ArtifactFactory(submission=submission, content=str(n).encode())

    body = client.get(f"{BASE}{submission.pk}/").json()

    assert (len(body["trials"]), len(body["artifacts"]), len(body["node_groups"])) == (count, count, 2)


@pytest.mark.parametrize("part", ["trials", "artifacts"])
@pytest.mark.parametrize("count", [1, 30])
def test_the_parts_of_a_submission_are_lists(client, part, count):
    submission = SubmissionFactory(trials_count=0)
    for n in range(count):
        TrialFactory(submission=submission, index=n)
        ArtifactFactory(submission=submission, content=str(n).encode())

    assert len(client.get(f"{BASE}{submission.pk}/{part}/").json()["results"]) == count


def test_a_reproduced_submission_names_those_that_agree(client):
    first, second = (SubmissionFactory(trust=Trust.REPRODUCED, own_trust=Trust.RUN_BY_US) for _ in range(2))
    Reproduction.objects.create(first=first, second=second)

    body = client.get(f"{BASE}{second.pk}/").json()

    assert (body["trust"], body["own_trust"], body["reproduced_by"]) == ("reproduced", "run_by_us", [first.pk])
    assert client.get(f"{BASE}{SubmissionFactory().pk}/").json()["reproduced_by"] == []
