"""Who measured what a page shows is named on it, and in whatever goes round without it."""

import csv
import json
import re
from datetime import UTC, datetime
from io import StringIO
from itertools import count

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from submissions.charts.png import card_svg
from submissions.ingest.changes.retract import retract
from submissions.models import NodeGroup, Submission
from submissions.pricing.book import book
from submissions.pricing.sources import snapshot
from submissions.records.credits import OF_WORKLOADS, credits_of, credits_of_workloads
from submissions.sharing.card import card_of
from submissions.sharing.links import known_view
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import faults, text
from tests.price_book import in_price_book
from tests.queries import queries_of
from tests.submissions.records.curves.test_on_pages import measured

pytestmark = pytest.mark.django_db

SPARE = "Spare Cores (sparecores.com), CC BY-SA 4.0"
SENTENCE = f"Includes results of {SPARE}."
OF_PACK = {"license": "CC-BY-SA-4.0", "pack": "sparecores", "attribution": SPARE, "submitted_by": None}
ONE_FACT = "/api/v1/compare/fact/?fact=disk_kind&format=csv"
MACHINES = (("aws", "m5.xlarge", 3), ("gce", "n2-standard-4", 6), ("aws", "m5.xlarge", 9))


@pytest.fixture
def workload():
    """Results of a pack, priced and dated, of several sizes, and beside them a workload of uploads."""
    found = WorkloadFactory(title="reads of a pack")
    for day, (provider, machine, nodes) in enumerate(MACHINES, 1):
        SubmissionFactory(
            workload=found,
            provider=provider,
            instance_type=machine,
            node_count=nodes,
            throughput_ops_s=30_000.0 * nodes,
            measured_at=datetime(2015, 1, day, tzinfo=UTC),
            **OF_PACK,
        )
    NodeGroup.objects.update(disks=[])
    in_price_book(last_seen=timezone.now().date())
    return found


def pages_of_charts(workload):
    ids = Submission.objects.filter(workload=workload).values_list("pk", flat=True)
    sides = "&".join(f"s={pk}" for pk in ids)
    return {
        "/": f"/?workload={workload.fingerprint}",
        "value": f"/value/?workload={workload.fingerprint}",
        "leaderboard": f"/workloads/{workload.fingerprint}/",
        "compare": f"/compare/?{sides}",
        "history": f"/history/?workload={workload.fingerprint}",
        "scaling": f"/scaling/?workload={workload.fingerprint}",
        "recommend": "/recommend/?service=cassandra&target_ops_s=50000&max_p99_ms=100",
        "what a p99 costs": "/recommend/?max_p99_ms=100",
        "sizes": f"/recommend/sizes/?workload={workload.fingerprint}&target_ops_s=50000",
    }


def check_chart(client, address):
    """On the page, in its frame, its numbers and the picture of a link to it."""
    page = client.get(address)
    keys = re.findall(r'<div class="chart" id="([\w-]+)"', page.content.decode())
    assert keys, address
    assert text(page).count(SENTENCE) >= len(keys), address
    assert faults(page) == []
    for key in keys:
        embedded = client.get(f"/embed/{key}{address}")
        assert SENTENCE in text(embedded)
        numbers = client.get("/api/v1/chart/", {"page": address, "key": key})
        assert numbers.json()["credits"] == [SPARE]
        as_csv = client.get("/api/v1/chart/", {"page": address, "key": key, "format": "csv"})
        assert {row["attribution"] for row in csv.DictReader(StringIO(as_csv.getvalue().decode()))} == {SPARE}
    figures = re.findall(r'<script[^>]*type="application/json"[^>]*>(\{"data.*?)</script>', page.content.decode())
    for figure in figures:
        assert SENTENCE in json.loads(figure)["layout"]["meta"]["caveats"]
    assert SENTENCE in card_svg(card_of(known_view(address)))


@pytest.mark.parametrize("name", ["/", "value", "leaderboard", "compare"])
def test_charts_of_one_workload_name_whom_they_show(client, workload, name):
    check_chart(client, pages_of_charts(workload)[name])


@pytest.mark.parametrize("name", ["history", "scaling", "recommend", "what a p99 costs", "sizes"])
def test_charts_of_chosen_results_name_whom_they_show(client, workload, name):
    check_chart(client, pages_of_charts(workload)[name])


def test_a_grid_and_a_fact_name_whom_they_show(client):
    """The published grid of articles, as if it had come with a pack."""
    book.record(snapshot.read_historical())
    call_command("load_published", verbosity=0)
    Submission.objects.update(attribution=SPARE)

    check_chart(client, "/compare/grid/")
    assert SENTENCE in text(client.get("/compare/fact/"))
    assert client.get("/api/v1/compare/fact/").json()["credits"] == [SPARE]
    assert client.get("/api/v1/grid/").json()["credits"] == [SPARE]
    rows = csv.DictReader(StringIO(client.get("/api/v1/grid/?format=csv").getvalue().decode()))
    assert {row["attribution"] for row in rows} == {SPARE}


def test_pairs_that_differ_in_one_fact_name_whom_they_are_of(client):
    for disk in ("gp3", "io2"):
        SubmissionFactory(disk_kind=disk, **OF_PACK)

    rows = list(csv.DictReader(StringIO(client.get(ONE_FACT).getvalue().decode())))

    assert [row["attribution"] for row in rows] == [SPARE]


def test_databases_name_whom_they_show(client):
    canonical = {"tool": "ycsb", "operations": {"read": 1}}
    for service in ("cassandra", "scylladb"):
        ours = WorkloadFactory(service=service, title=f"{service} reads", canonical={**canonical, "service": service})
        SubmissionFactory(workload=ours, service=service, **OF_PACK)

    check_chart(client, "/compare/databases/")


def test_charts_of_a_result_name_it_and_its_card_without_a_chart_does_too(client):
    row = measured()
    Submission.objects.filter(pk=row.pk).update(**OF_PACK)

    check_chart(client, row.get_absolute_url())
    assert SENTENCE in card_svg(card_of(known_view(row.get_absolute_url())))


def test_nobody_is_named_for_uploads(client):
    row = SubmissionFactory(attribution="")

    for address in ("/", "/submissions/", row.get_absolute_url(), f"/value/?workload={row.workload.fingerprint}"):
        assert "Includes results of" not in text(client.get(address)), address
    assert client.get("/api/v1/scaling/", {"workload": row.workload.fingerprint}).json()["credits"] == []


def test_an_attribution_is_one_of_what_is_published():
    workload = WorkloadFactory()
    row = SubmissionFactory(workload=workload, **OF_PACK)
    SubmissionFactory(workload=workload, attribution="Another")
    SubmissionFactory(workload=workload, attribution="Nobody may know", visibility="private")
    SubmissionFactory(workload=WorkloadFactory(title="another"), attribution="Of another workload")

    assert credits_of_workloads([workload.pk]) == ("Another", SPARE)
    retract(row, reason="pack removed")
    assert credits_of_workloads([workload.pk]) == ("Another",)
    assert credits_of_workloads([]) == ()


def test_each_is_named_once_whatever_the_number_of_results():
    rows = [SubmissionFactory(attribution=words) for words in (SPARE, SPARE, "", "Another")]

    assert credits_of(rows) == ("Another", SPARE)
    of_one = queries_of(lambda: credits_of_workloads({rows[0].workload_id}))
    assert queries_of(lambda: credits_of_workloads({row.workload_id for row in rows})) == of_one


def test_the_attributions_of_a_workload_are_read_by_an_index():
    row = SubmissionFactory(**OF_PACK)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {OF_WORKLOADS.sql}", OF_WORKLOADS.params(ids=[row.workload_id]))
        plan = " ".join(line for (line,) in cursor.fetchall())

    assert "attributions_of_a_workload" in plan


def test_a_list_names_whom_its_rows_are_of(client):
    SubmissionFactory(provider="gce", throughput_ops_s=100_000.0, **OF_PACK)
    SubmissionFactory(provider="aws")

    assert SENTENCE in text(client.get("/submissions/"))
    assert SENTENCE in text(client.get("/submissions/"))  # its rows are cached now
    assert SENTENCE not in text(client.get("/submissions/?provider=aws"))
    assert SENTENCE in text(client.get("/"))
    assert SENTENCE in text(client.get("/search/?q=cassandra"))
    assert SPARE in text(client.get("/services/cassandra/"))


def test_lists_and_boards_as_csv_name_licence_attribution_and_pack_of_each_row(client, workload):
    workload_of = f"workload={workload.fingerprint}&format=csv"
    for address in (
        f"submissions/?{workload_of}",
        f"value/?{workload_of}",
        f"leaderboard/?{workload_of}",
        f"history/?{workload_of}",
        f"size/?{workload_of}&target_ops_s=50000",
        "recommend/?service=cassandra&target_ops_s=50000&format=csv",
    ):
        rows = list(csv.DictReader(StringIO(client.get(f"/api/v1/{address}").getvalue().decode())))
        assert rows, address
        for row in rows:
            assert (row["license"], row["attribution"], row["pack"]) == ("CC-BY-SA-4.0", SPARE, "sparecores"), address


def test_a_result_names_its_licence_its_authors_and_its_pack(client):
    row = SubmissionFactory(**OF_PACK)

    page = client.get(row.get_absolute_url())

    assert "Licence CC BY-SA 4.0" in text(page)
    assert 'href="https://creativecommons.org/licenses/by-sa/4.0/"' in page.content.decode()
    assert f"Attribution {SPARE}" in text(page)
    assert "Pack Spare Cores" in text(page)
    assert f'"creditText": "{SPARE}"' in page.content.decode()
    assert f"<rights>CC-BY-SA-4.0; {SPARE}</rights>" in client.get("/submissions/feed.atom").content.decode()
    own = SubmissionFactory()
    assert "Pack" not in text(client.get(own.get_absolute_url()))


def test_a_prepared_statement_reads_the_partial_index_of_attributions():
    """A plan for any parameters takes it only where the empty attribution is written into the statement."""
    WorkloadFactory()
    numbers = count(1)
    prepared = re.sub("%s", lambda _: f"${next(numbers)}", OF_WORKLOADS.sql)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE credits AS {prepared}")
        cursor.execute("EXPLAIN EXECUTE credits('public', 'public', '{1}')")
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("DEALLOCATE credits")

    assert "attributions_of_a_workload" in plan
