"""Each order that the list offers is read from an index, at its beginning and deep inside."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchsite.pagination import paginate
from submissions.models import Submission
from submissions.records.list.filters import ORDERINGS
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


def plans(ordering, cursor=None):
    """How PostgreSQL reads each part of a page, where an index is cheaper than anything else; and the page."""
    with CaptureQueriesContext(connection) as queries:
        page = paginate(in_table(Submission.objects.listed()), ordering=ordering, cursor=cursor, size=2)
    found = []
    with connection.cursor() as db:
        db.execute("SET LOCAL enable_seqscan = off")
        db.execute("SET LOCAL enable_bitmapscan = off")
        for query in queries.captured_queries:
            db.execute(f"EXPLAIN {query['sql']}")
            found.append("\n".join(line for (line,) in db.fetchall()))
    return found, page


@pytest.mark.parametrize("ordering", ORDERINGS.values(), ids=ORDERINGS)
def test_every_page_of_an_order_is_a_range_of_its_index(rows, ordering):
    index = {"id": "submissions_submission_pkey", "latency_p99_ms": "by_p99", "throughput_ops_s": "by_throughput"}
    name = index.get(ordering.column, f"by_{ordering.column}")
    cursor, pages = None, 0

    while pages == 0 or cursor:
        found, page = plans(ordering, cursor)
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
