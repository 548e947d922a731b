"""Each order that the list offers is read from an index, at its beginning and deep inside."""

import csv
import io
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchsite.http.pagination import paginate
from submissions.choices import Flag
from submissions.models import Submission
from submissions.records.list.filters import ORDERINGS, last_under
from submissions.records.table import in_table
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    """Two of each value, the last two without any."""
    known = [SubmissionFactory(node_count=n, throughput_ops_s=1000.0 * n).pk for n in (1, 1, 2, 2)]
    nothing = {"throughput_ops_s": None, "relative_throughput": 1.0, "hourly_usd": None, "measured_at": None}
    unknown = [SubmissionFactory(node_count=3, latency_p99_ms=None, **nothing).pk for _ in range(2)]
    return known + unknown


def plans(ordering, cursor=None, last=None):
    """How PostgreSQL reads each part of a page, where an index is cheaper than anything else; and the page."""
    with CaptureQueriesContext(connection) as queries:
        page = paginate(in_table(Submission.objects.listed()), ordering=ordering, last=last, cursor=cursor, size=2)
    found = []
    with connection.cursor() as db:
        db.execute("SET LOCAL enable_seqscan = off")
        db.execute("SET LOCAL enable_bitmapscan = off")
        db.execute("SET LOCAL enable_sort = off")  # of so few rows it costs nothing
        for query in queries.captured_queries:
            db.execute(f"EXPLAIN {query['sql']}")
            found.append("\n".join(line for (line,) in db.fetchall()))
    return found, page


@pytest.mark.parametrize("flag", [None, Flag.RATE_IMPLAUSIBLE], ids=["plain", "with doubtful ones"])
@pytest.mark.parametrize("ordering", ORDERINGS.values(), ids=ORDERINGS)
def test_every_page_of_an_order_is_a_range_of_its_index(rows, ordering, flag):
    if flag:
        Submission.objects.filter(pk__in=rows[1::2]).update(flags=[flag])
    index = {
        "id": "submissions_submission_pkey",
        "latency_p99_at_most_ms": "by_p99_at_most",
        "throughput_ops_s": "by_throughput",
    }
    name = index.get(ordering.column, f"by_{ordering.column}")
    cursor, pages = None, 0

    while pages == 0 or cursor:
        found, page = plans(ordering, cursor, last_under([]) if flag else None)
        for plan in found:
            assert f"using {name} on submissions_submission" in plan
            assert "Sort" not in plan
        cursor, pages = page.next_cursor, pages + 1

    assert pages == 3


@pytest.mark.parametrize("name", [name for name, ordering in ORDERINGS.items() if ordering.newest_first])
def test_the_reverse_of_an_order_is_its_mirror_with_the_unknown_last(rows, name):
    ordering, reverse = ORDERINGS[name], ORDERINGS[name[1:] if name.startswith("-") else f"-{name}"]

    def ids(order):
        return [row.pk for row in paginate(Submission.objects.all(), ordering=order).rows]

    field = Submission._meta.get_field(ordering.column)
    unknown = [pk for pk in ids(ordering) if Submission.objects.filter(pk=pk, **{ordering.column: None}).exists()]
    known = [pk for pk in ids(ordering) if pk not in unknown]
    assert ids(reverse) == known[::-1] + unknown[::-1]
    assert len(unknown) == (2 if field.null and ordering.column != "node_count" else 0)


@pytest.fixture
def absurd():
    """Of strangers: the highest rate and the lowest price there are. And an honest one, which is older."""
    honest = SubmissionFactory(title="honest", throughput_ops_s=90_000.0, hourly_usd=Decimal(1))
    SubmissionFactory(title="price", hourly_usd=Decimal("0.0001"), flags=["stated_price_off"])
    SubmissionFactory(title="rate", throughput_ops_s=8e9, node_count=1, latency_p99_ms=0.01, flags=["rate_implausible"])
    return honest


@pytest.mark.parametrize("name", ORDERINGS)
def test_what_is_implausible_or_off_in_price_leads_no_order_of_the_page_the_api_and_the_csv(client, absurd, name):
    query = f"ordering={name}&latency_kind=service_time"
    Submission.objects.update(latency_kind="service_time")

    page = client.get(f"/submissions/?{query}")
    answer = client.get(f"/api/v1/submissions/?{query}")
    table = client.get(f"/api/v1/submissions/?{query}&format=csv").getvalue().decode()

    titles = [row["title"] for row in answer.json()["results"]]
    assert titles[0] == "honest"
    assert sorted(titles) == ["honest", "price", "rate"]
    assert [row["title"] for row in csv.DictReader(io.StringIO(table))] == titles
    assert [row.pk for row in page.context["page"].rows] == [row["id"] for row in answer.json()["results"]]


def test_the_next_page_goes_on_among_the_doubtful_ones(client, absurd):
    address, titles = "/api/v1/submissions/?ordering=-throughput_ops_s&page_size=1", []
    while address:
        answer = client.get(address).json()
        titles += [row["title"] for row in answer["results"]]
        address = answer["next"]

    assert titles == ["honest", "rate", "price"]


@pytest.mark.parametrize("address", ["/submissions/", "/api/v1/submissions/"])
def test_a_list_of_such_a_flag_is_ordered_as_usual(client, absurd, address):
    Submission.objects.filter(title="honest").update(flags=["rate_implausible", "short"])

    def ids(query):
        answer = client.get(f"{address}?ordering=-throughput_ops_s&{query}")
        rows = answer.context["page"].rows if address == "/submissions/" else answer.json()["results"]
        return [row["id"] if isinstance(row, dict) else row.pk for row in rows]

    by_rate = list(Submission.objects.order_by("-throughput_ops_s", "-pk").values_list("pk", flat=True))
    assert len(by_rate) == 3
    assert ids("flag=rate_implausible&flag=stated_price_off") == by_rate
    assert ids("flag=rate_implausible") == [pk for pk in by_rate if "price" not in Submission.objects.get(pk=pk).title]
