"""The columns that a browser filters by itself: the rows of the list, and no others, in few bytes."""

import gzip
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import accumulate

import pytest

from submissions.age.retired import retired_of
from submissions.models import Submission
from submissions.records.cache import prices_version
from submissions.records.list import columns
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import HOSTILE

pytestmark = pytest.mark.django_db

URL = "/submissions/columns/"
MOST_KB = 40


def answer(client, query=""):
    response = client.get(f"{URL}?{query}")
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "application/json"
    return json.loads(response.content)


def unpacked(columns, packed):
    """As the browser reads it."""
    text, width, alphabet = packed["text"], packed["width"], columns["alphabet"]
    numbers = []
    for start in range(0, len(text), width):
        number = 0
        for letter in text[start : start + width]:
            number = number * len(alphabet) + alphabet.index(letter)
        numbers.append(number)
    return numbers


def facet(columns, name):
    """What each row has of it."""
    group = next(group for group in columns["groups"] if name in group["of"])
    places = unpacked(columns, group["places"])
    if "values" in group:
        places = [group["values"][group["of"].index(name)][combination] for combination in places]
    return [columns["facets"][name]["values"][place][0] for place in places]


def ids(columns):
    ordered = list(accumulate(columns["ids"]["steps"]))
    return [ordered[rank] for rank in unpacked(columns, columns["ids"]["ranks"])]


def test_figures_are_exact_and_what_is_unknown_is_no_zero(client):
    SubmissionFactory(
        throughput_ops_s=90748.25, latency_p99_ms=None, hourly_usd=Decimal("0.72"), ops_per_usd=Decimal("453741250")
    )
    SubmissionFactory(throughput_ops_s=101485.9 / 3, latency_p99_ms=0.5234, hourly_usd=None, ops_per_usd=None)
    SubmissionFactory(throughput_ops_s=7.0, latency_p99_ms=3.0, hourly_usd=Decimal(2), ops_per_usd=Decimal("1.5"))

    numbers = answer(client)["numbers"]

    assert numbers["throughput_ops_s"].split(" ") == ["90748.25", "101485.9/3", "7"]
    assert numbers["latency_p99_ms"].split(" ") == ["", "0.5234", "3"]
    assert numbers["hourly_usd"].split(" ") == ["0.72", "", "2"]
    assert numbers["ops_per_usd"].split(" ") == ["=", "", "1.5"]  # the rate by the cost, unknown, and as it is stored


def test_only_listed_results_are_in_it(client):
    listed = SubmissionFactory(provider="aws")
    SubmissionFactory(visibility="private")
    SubmissionFactory(visibility="unlisted")
    SubmissionFactory(hidden_at=datetime(2026, 1, 1, tzinfo=UTC))
    SubmissionFactory(throughput_ops_s=None, relative_throughput=2.0, relative_base="the old system")

    assert ids(answer(client)) == [listed.pk]


def test_it_has_the_rows_under_the_choices_that_the_browser_does_not_know(client):
    chosen = SubmissionFactory(workload=WorkloadFactory(title="writes"), service_version="4.1.3")
    SubmissionFactory(workload=WorkloadFactory(title="reads"))

    assert ids(answer(client, f"workload={chosen.workload.fingerprint}")) == [chosen.pk]
    assert ids(answer(client, "service_version=4.1.3")) == [chosen.pk]


def test_facets_have_what_their_rows_have(client):
    SubmissionFactory(provider="aws", region=None)
    SubmissionFactory(provider="gce", region="europe-west1")

    columns = answer(client)

    assert sorted(zip(facet(columns, "provider"), facet(columns, "region"), strict=True)) == [
        ("aws", "unknown"),
        ("gce", "europe-west1"),
    ]
    assert columns["facets"]["provider"]["values"] == [["aws", "AWS"], ["gce", "Google Cloud"]]


def test_a_longer_list_is_left_to_the_server(client, monkeypatch):
    monkeypatch.setattr(columns, "MOST_ROWS", 2)
    for _ in range(3):
        SubmissionFactory()

    assert answer(client) == {"ids": None}


def test_without_results_there_are_columns_of_nothing(client):
    columns = answer(client)

    assert ids(columns) == []
    assert columns["numbers"]["throughput_ops_s"] == ""


@pytest.mark.parametrize(
    ("query", "name"), [("max_p99_ms=-1", "max_p99_ms"), ("trust=great", "trust"), ("q=" + "a" * 201, "q")]
)
def test_a_bad_parameter_is_named(client, query, name):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert name in [error["pointer"] for error in response.json()["errors"]]


def test_a_hostile_title_is_a_word(client):
    SubmissionFactory(title=HOSTILE, cpu_model=HOSTILE)

    columns = answer(client)

    assert "<script>" not in columns["columns"]["title"][0]
    assert columns["facets"]["cpu_model"]["values"] == [[HOSTILE, HOSTILE]]  # escaped where it is shown


@pytest.mark.parametrize("rows", [1, 30])
def test_the_queries_are_the_same_for_one_row_and_for_thirty(client, rows, django_assert_num_queries):
    for number in range(rows):
        SubmissionFactory(provider=f"p{number}", workload=WorkloadFactory(title=f"w{number}"), price_missing="no price")
    retired_of(prices_version())  # as it was read by any page since the last change of prices

    # state of the data, rows, workloads, prices today (3)
    with django_assert_num_queries(6):
        client.get(URL)


def results_of_a_workload(count):
    """As several load tools write them: whole rates and means of three, on many machines over eight years."""
    chance = random.Random(1)
    machines = [
        (f"{family}.{size}xlarge", cost * size)
        for family, cost in (
            ("i3", 0.156),
            ("i3en", 0.226),
            ("i4i", 0.1715),
            ("m5", 0.096),
            ("m6g", 0.077),
            ("r5d", 0.144),
            ("m7g", 0.0816),
        )
        for size in (1, 2, 4, 8)
    ]
    workload = WorkloadFactory(title="cassandra-stress write")
    whole = SubmissionFactory(workload=workload)
    rows = []
    for number in range(1, count):
        machine, cost = chance.choice(machines)
        region, factor = chance.choice(
            (("us-east-1", 1.0), ("us-west-2", 1.0), ("eu-west-1", 1.11), ("ap-southeast-1", 1.2))
        )
        nodes, trials = chance.choice((3, 3, 3, 6, 9, 12)), chance.choice((1, 1, 3, 5))
        version = chance.choice(("3.11.5", "4.0.1", "4.1.3", "5.0.2"))
        vendor, jdk = chance.choice(
            (("oracle", "8u51"), ("zulu", "8u282"), ("temurin", "17.0.4"), ("corretto", "11.0.15"))
        )
        day = datetime(2018, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randint(0, 8 * 365 * 86400))
        rate = sum(chance.randint(9_000, 400_000) for _ in range(trials)) / trials
        hourly = Decimal(str(round(cost * factor, 4))) * nodes if chance.random() < 0.9 else None
        row = Submission.objects.get(pk=whole.pk)
        row.pk, row._state.adding, row.content_hash = None, True, f"{number:064x}"
        for name, value in {
            "title": f"Cassandra {version} on {nodes} x {machine}" + chance.choice(("", ", tuned", ", second run")),
            "provider": "aws",
            "region": region,
            "instance_type": machine,
            "node_count": nodes,
            "cpu_model": f"Xeon {machine[:2]}",
            "disk_kind": chance.choice(("local-ssd", "gp3", None)),
            "jdk_vendor": vendor,
            "jdk_version": jdk,
            "service_version": version,
            "threads": chance.choice((16, 50, 100, 200, 400)),
            "trust": chance.choice(("uploaded", "log_verified", "run_by_us")),
            "flags": chance.choice(([], [], [], ["short"], ["errors"])),
            "throughput_ops_s": rate,
            "trials_count": trials,
            "throughput_cv": None if trials == 1 else chance.uniform(0.005, 0.09),
            "latency_p99_ms": round(chance.lognormvariate(2.3, 0.8), 1),
            "hourly_usd": hourly,
            "ops_per_usd": round(Decimal(repr(rate)) * 3600 / hourly, 4) if hourly else None,
            "measured_at": day,
            "price_date": day.date(),
            "price_last_seen": day.date(),
        }.items():
            setattr(row, name, value)
        rows.append(row)
    Submission.objects.bulk_create(rows)
    return workload


def test_two_thousand_rows_of_a_workload_are_at_most_forty_kilobytes(client):
    workload = results_of_a_workload(columns.MOST_ROWS)

    content = client.get(f"{URL}?workload={workload.fingerprint}").content

    assert len(ids(json.loads(content))) == columns.MOST_ROWS
    kilobytes = len(gzip.compress(content, 6)) / 1000
    sys.stdout.write(f"{columns.MOST_ROWS} rows: {kilobytes:.1f} kB\n")
    assert kilobytes <= MOST_KB


def test_a_browser_knows_whom_its_rows_are_of_and_which_have_no_pack(client):
    SubmissionFactory(pack="sparecores", attribution="Spare Cores")
    SubmissionFactory(license="CC-BY-4.0")

    columns = answer(client)

    assert sorted(columns["columns"]["attribution"]) == ["", "Spare Cores"]
    assert sorted(facet(columns, "pack")) == ["none", "sparecores"]
    assert ["none", "Uploaded or run here"] in columns["facets"]["pack"]["values"]
