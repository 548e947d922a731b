"""Pages and the API answer the same from tallies as from the rows, byte for byte."""

from random import Random

import pytest
from django.db import connection

from submissions.models import Submission, Tally
from submissions.questions import tallies
from submissions.records.lines import line_of
from tests.factories import SubmissionFactory, UserFactory
from tests.submissions.questions.grid.results import workload
from tests.submissions.tallies.rows import any_submission

pytestmark = pytest.mark.django_db

SHELVES = ("", "uploaded", "historical", "log_verified", "run_by_us")
ADDRESSES = (
    *(f"/scaling/?trust={shelf}" for shelf in SHELVES),
    *(f"/api/v1/scaling/?trust={shelf}" for shelf in SHELVES),
    *(f"/history/?trust={shelf}" for shelf in SHELVES),
    *(f"/api/v1/history/?trust={shelf}" for shelf in SHELVES),
    *(f"/recommend/sizes/?target_ops_s=900000&trust={shelf}" for shelf in SHELVES),
    *(f"/api/v1/size/?target_ops_s=900000&trust={shelf}" for shelf in SHELVES),
    "/recommend/sizes/?target_ops_s=900000&replication_factor=3",
    "/recommend/sizes/?target_ops_s=900000&max_p99_ms=4",
    *(f"/compare/grid/?trust={shelf}" for shelf in SHELVES),
    *(f"/compare/grid/?vary=jdk&trust={shelf}" for shelf in SHELVES),
    *(f"/api/v1/grid/?vary=provider&trust={shelf}" for shelf in SHELVES),
    "/compare/grid/?vary=jdk&rows=region&columns=node_count",
    "/compare/fact/?fact=replication_factor",
    *(f"/compare/fact/?fact=jdk&trust={shelf}" for shelf in SHELVES),
)


@pytest.fixture
def rows():
    random, user = Random(12), UserFactory()
    workloads = [workload(replication_factor=factor) for factor in (1, 3)] + [workload(key_count=7)]
    known = []
    for _ in range(70):
        known.append(any_submission(random, known, user, workloads))
    Submission.objects.filter(pk__in=[row.pk for row in known[::9]]).update(retraction_reason="a mistake")
    return known


def answers(client, addresses=ADDRESSES):
    read = {address: client.get(address) for address in addresses}
    assert {response.status_code for response in read.values()} == {200}
    return {address: response.content for address, response in read.items()}


def test_every_figure_is_that_of_the_rows(client, rows, clear_cache):
    by_rows = answers(client)

    tallies.count_again()

    from_tallies = answers(client)
    assert [address for address in ADDRESSES if from_tallies[address] != by_rows[address]] == []
    assert sum(b"finding" in content for content in by_rows.values()) > 20


def test_after_an_upload_and_a_retraction_too(client, rows, clear_cache):
    tallies.count_again()
    answers(client)
    SubmissionFactory(workload=rows[0].workload, submitted_by=rows[0].submitted_by, node_count=24, jdk_version="17")
    retracted = next(row for row in rows if row.trust == "log_verified" and not row.flags)
    Submission.objects.filter(pk=retracted.pk).update(retracted_at=retracted.created_at)

    from_tallies = answers(client)

    Tally.objects.all().delete()
    assert answers(client) == from_tallies


def test_a_layout_of_a_readers_own_is_counted_when_it_was_asked_for(client, rows, clear_cache):
    address = "/compare/grid/?vary=jdk&rows=region&columns=node_count"
    tallies.keep_current()
    by_rows = client.get(address).content

    tallies.keep_current()

    own = Tally.objects.get(name="grid jdk region node_count")
    assert own.snapshot
    assert client.get(address).content == by_rows


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("address", "queries"),
    [
        ("/scaling/", 4),  # of the tallies, choices and their titles, the workload's figures
        ("/history/", 6),  # the same; points, what is left out
        (
            "/recommend/sizes/?target_ops_s=100",
            10,
        ),  # the same; workload, what is sized with its machines, prices, relative ones
        ("/compare/grid/", 13),  # the same for six layouts; the newest, rows, trials, noise (4), doubtful ones
    ],
)
def test_a_page_reads_no_more_with_more_rows(
    client, django_assert_max_num_queries, clear_cache, address, queries, count
):
    for number in range(count):
        for nodes in (3, 6):
            for jdk in ("oracle", "openjdk"):
                SubmissionFactory(
                    node_count=nodes,
                    jdk_vendor=jdk,
                    instance_type=f"type-{number}",
                    workload=workload(key_count=number),
                )
    tallies.count_again()
    client.get(address)

    with django_assert_max_num_queries(queries) as seen:
        assert client.get(address).status_code == 200

    if address == "/scaling/":
        assert not [query for query in seen if 'FROM "submissions_submission"' in query["sql"]]


def plan_of(rows):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
    return rows.explain()


def test_the_points_of_a_line_and_the_newest_of_a_workload_come_by_an_index():
    row = SubmissionFactory()
    on_line = Submission.objects.filter(line_of(row).condition, workload=row.workload_id)
    newest = Submission.objects.filter(workload=row.workload_id).order_by("-pk")[:10]

    assert "Index Scan" in plan_of(on_line)
    assert "Index Scan" in plan_of(newest)
    assert "Sort" not in plan_of(newest)
