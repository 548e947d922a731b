"""Pages and the API show the figures of the store, which are those of the rows."""

import re
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchsite.redis.cache import evictable_cache
from submissions.aggregates import store
from submissions.aggregates.check import all_workloads
from submissions.aggregates.store import count_all_again
from submissions.models import Submission
from submissions.records.lines import line_of
from tests.factories import SubmissionFactory, UserFactory
from tests.submissions.aggregates.rows import any_submission
from tests.submissions.questions.grid.results import workload

pytestmark = pytest.mark.django_db

LEVELS = ("", "uploaded", "historical", "log_verified", "run_by_us")
ADDRESSES = (
    *(f"/scaling/?trust={level}" for level in LEVELS),
    *(f"/api/v1/scaling/?trust={level}" for level in LEVELS),
    *(f"/history/?trust={level}" for level in LEVELS),
    *(f"/api/v1/history/?trust={level}" for level in LEVELS),
    *(f"/recommend/sizes/?target_ops_s=900000&trust={level}" for level in LEVELS),
    *(f"/api/v1/size/?target_ops_s=900000&trust={level}" for level in LEVELS),
    "/recommend/sizes/?target_ops_s=900000&replication_factor=3",
    "/recommend/sizes/?target_ops_s=900000&max_p99_ms=4",
    *(f"/compare/grid/?trust={level}" for level in LEVELS),
    *(f"/compare/grid/?vary=jdk&trust={level}" for level in LEVELS),
    *(f"/api/v1/grid/?vary=provider&trust={level}" for level in LEVELS),
    "/compare/grid/?vary=jdk&rows=region&columns=node_count",
    "/compare/fact/?fact=replication_factor",
    *(f"/compare/fact/?fact=jdk&trust={level}" for level in LEVELS),
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


def test_after_an_upload_and_a_retraction_pages_show_what_a_count_of_all_rows_shows(client, rows, clear_cache):
    answers(client)
    SubmissionFactory(workload=rows[0].workload, submitted_by=rows[0].submitted_by, node_count=24, jdk_version="17")
    retracted = next(row for row in rows if row.trust == "log_verified" and not row.flags)
    Submission.objects.filter(pk=retracted.pk).update(retracted_at=retracted.created_at)
    kept_up = answers(client)

    evictable_cache.clear()
    count_all_again(all_workloads())

    anew = answers(client)
    assert [address for address in ADDRESSES if anew[address] != kept_up[address]] == []
    assert sum(b"finding" in content for content in anew.values()) > 20


def test_a_page_says_how_old_the_figures_of_a_large_workload_are_and_the_api_waits(client, monkeypatch):
    rows = [SubmissionFactory(node_count=nodes, workload=workload()) for nodes in (3, 6, 12)]
    before = client.get("/api/v1/scaling/").json()
    address = f"scaling/?workload={before['workload']}"
    assert "are being counted" not in client.get(f"/{address}").content.decode()
    monkeypatch.setattr(store, "LARGE", -1)
    newest = before["points"][0]["newest_submission"]
    Submission.objects.filter(pk=newest).update(retracted_at=rows[0].created_at)

    assert re.search(r"Counted \d+ \w+ ago\. Changes since then are being", client.get(f"/{address}").content.decode())
    after = client.get(f"/api/v1/{address}").json()

    assert newest not in [point["newest_submission"] for point in after["points"]]
    assert "are being counted" not in client.get(f"/{address}").content.decode()


CREDITS = 'SELECT DISTINCT "submissions_submission"."attribution"'  # by an index of the few rows that have one


def queries_of(client, address, count):
    """With `count` kinds of machines, each in two sizes, and as many workloads."""
    for number in range(count):
        for nodes in (3, 6):
            for jdk in ("oracle", "openjdk"):
                SubmissionFactory(
                    node_count=nodes,
                    jdk_vendor=jdk,
                    instance_type=f"type-{number}",
                    workload=workload(key_count=number),
                )
    client.get(address)
    evictable_cache.clear()
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize("address", ["/scaling/", "/history/", "/recommend/sizes/?target_ops_s=100", "/compare/grid/"])
def test_a_page_reads_no_more_with_more_rows(client, clear_cache, address):
    of_one = queries_of(client, address, 1)
    of_three = queries_of(client, address, 3)

    assert len(of_three) <= len(of_one)
    if address == "/scaling/":
        of_rows = [sql for sql in of_three if 'FROM "submissions_submission"' in sql]
        assert [sql for sql in of_rows if not sql.startswith(CREDITS)] == []


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
