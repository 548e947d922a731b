"""Keyset paging: every row once, whatever is null, equal or added meanwhile."""

import itertools
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from benchsite.http.pagination import BadCursor, Last, Ordering, in_order, page_size_of, paginate
from submissions.models import Submission
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

BY_P99 = Ordering("latency_p99_ms", descending=False)
BY_P99_REVERSED = Ordering("latency_p99_ms", descending=True, newest_first=False)
BY_THROUGHPUT = Ordering("throughput_ops_s", descending=True)
BY_OPS_PER_USD = Ordering("ops_per_usd", descending=True)
BY_MEASURED_AT = Ordering("measured_at", descending=True)
NEWEST = Ordering("id", descending=True)


def joined(pages):
    return list(itertools.chain.from_iterable(pages))


def walk(ordering, size, *, backward=False, last=None):
    """The ids of every page, in order."""
    pages, cursor, behind = [], None, last
    while True:
        page = paginate(Submission.objects.all(), ordering=ordering, last=behind, cursor=cursor, size=size)
        pages.append([row.pk for row in page.rows])
        cursor = page.next_cursor
        if cursor is None:
            last = page
            break
    if not backward:
        return pages
    pages = [[row.pk for row in last.rows]]
    while last.previous_cursor:
        cursor = last.previous_cursor
        last = paginate(Submission.objects.all(), ordering=ordering, last=behind, cursor=cursor, size=size)
        pages.append([row.pk for row in last.rows])
    return pages


@pytest.fixture
def rows():
    """p99 of 4, null, 2, 4, null, 8 ms; ids rise in that order."""
    return [
        SubmissionFactory(latency_p99_ms=p99, latency_p999_ms=None, trials_count=0).pk
        for p99 in (4.0, None, 2.0, 4.0, None, 8.0)
    ]


def test_nulls_come_last_and_ties_newest_first(rows):
    a4, none1, a2, b4, none2, a8 = rows

    assert walk(BY_P99, 10) == [[a2, b4, a4, a8, none2, none1]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_pages_of_every_size_have_each_row_once_in_order(rows, size):
    a4, none1, a2, b4, none2, a8 = rows

    pages = walk(BY_P99, size)

    assert joined(pages) == [a2, b4, a4, a8, none2, none1]
    assert all(len(page) == size for page in pages[:-1])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_the_way_back_meets_the_same_rows(rows, size):
    a4, none1, a2, b4, none2, a8 = rows

    back = walk(BY_P99, size, backward=True)

    assert joined(reversed(back)) == [a2, b4, a4, a8, none2, none1]


def test_descending_has_nulls_last_too(rows):
    a4, none1, a2, b4, none2, a8 = rows

    assert joined(walk(Ordering("latency_p99_ms", descending=True), 2)) == [
        a8, b4, a4, a2, none2, none1,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 10])
def test_the_reverse_of_an_order_has_ties_oldest_first_and_nulls_last_both_ways(rows, size):
    a4, none1, a2, b4, none2, a8 = rows

    assert joined(walk(BY_P99_REVERSED, size)) == [a8, a4, b4, a2, none1, none2]
    assert joined(reversed(walk(BY_P99_REVERSED, size, backward=True))) == [a8, a4, b4, a2, none1, none2]


def test_the_first_page_has_no_previous_and_the_last_no_next(rows):
    first = paginate(Submission.objects.all(), ordering=NEWEST, size=4)
    last = paginate(Submission.objects.all(), ordering=NEWEST, cursor=first.next_cursor, size=4)

    assert first.previous_cursor is None
    assert last.next_cursor is None
    assert [row.pk for row in first.rows] == rows[:1:-1]
    assert [row.pk for row in last.rows] == [rows[1], rows[0]]


def test_a_row_added_meanwhile_neither_repeats_nor_hides_another(rows):
    a4, _, a2, b4, _, a8 = rows
    first = paginate(Submission.objects.all(), ordering=BY_P99, size=2)
    SubmissionFactory(latency_p99_ms=1.0, trials_count=0)

    second = paginate(Submission.objects.all(), ordering=BY_P99, cursor=first.next_cursor, size=2)

    assert [row.pk for row in first.rows] == [a2, b4]
    assert [row.pk for row in second.rows] == [a4, a8]


def test_a_full_last_page_has_no_next(rows):
    assert paginate(Submission.objects.all(), ordering=NEWEST, size=6).next_cursor is None


@pytest.mark.parametrize("ordering", [BY_THROUGHPUT, BY_OPS_PER_USD, BY_MEASURED_AT])
def test_every_kind_of_value_survives_the_cursor_exactly(ordering):
    start = datetime(2015, 9, 1, 12, 0, 0, 123456, tzinfo=UTC)
    made = [
        SubmissionFactory(
            throughput_ops_s=90_000.1 + n / 10,
            hourly_usd=Decimal("1.596"),
            measured_at=start + timedelta(microseconds=n),
            trials_count=0,
        ).pk
        for n in range(7)
    ]

    assert joined(walk(ordering, 2)) == made[::-1]


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "\x00", "é", "1" * 501, ":::"])
def test_a_cursor_that_is_not_ours_is_refused(rows, cursor):
    with pytest.raises(BadCursor):
        paginate(Submission.objects.all(), ordering=BY_P99, cursor=cursor)


def test_a_cursor_of_another_order_is_refused(rows):
    page = paginate(Submission.objects.all(), ordering=BY_P99, size=2)

    with pytest.raises(BadCursor, match="belongs to the order latency_p99_ms"):
        paginate(Submission.objects.all(), ordering=NEWEST, cursor=page.next_cursor)


@pytest.mark.parametrize(("text", "size"), [(None, 50), ("", 50), ("7", 7), ("200", 200), ("9" * 30, 200)])
def test_the_size_of_a_page_has_a_limit(text, size):
    assert page_size_of(text) == size


@pytest.mark.parametrize("text", ["0", "-1", "ten", "1.5", "٣"])
def test_a_page_size_that_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="must be a whole number from 1 to 200"):
        page_size_of(text)


def test_a_deep_page_enters_the_index_at_its_place():
    for n in range(3):
        SubmissionFactory(throughput_ops_s=90_000.0 + n, trials_count=0)
    page = paginate(Submission.objects.all(), ordering=BY_THROUGHPUT, size=1)
    with CaptureQueriesContext(connection) as queries, connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        paginate(Submission.objects.all(), ordering=BY_THROUGHPUT, cursor=page.next_cursor, size=1)
        cursor.execute("EXPLAIN " + queries.captured_queries[2]["sql"])
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "Index Scan using by_throughput" in plan
    assert "Index Cond: " in plan
    assert "throughput_ops_s <= " in plan


GCE_LAST = Last(Q(provider="gce"), lambda row: row.provider == "gce")


@pytest.fixture
def of_two_clouds(rows):
    """The same rows, some of which come last whatever their value: 4, null and 2 ms."""
    Submission.objects.filter(pk__in=rows[:3]).update(provider="gce")
    return rows


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        (BY_P99, "b4 a8 none2 a2 a4 none1"),
        (BY_P99_REVERSED, "a8 b4 none2 a4 a2 none1"),
        (NEWEST, "a8 none2 b4 a2 none1 a4"),
        (Ordering("id", descending=False), "b4 none2 a8 a4 none1 a2"),
    ],
    ids=["by p99", "reversed", "newest", "oldest"],
)
def test_some_rows_come_last_in_every_order_forth_and_back(of_two_clouds, ordering, expected, size):
    ids = dict(zip(["a4", "none1", "a2", "b4", "none2", "a8"], of_two_clouds, strict=True))
    wanted = [ids[name] for name in expected.split()]

    assert joined(walk(ordering, size, last=GCE_LAST)) == wanted
    back = walk(ordering, size, last=GCE_LAST, backward=True)
    assert joined(reversed(back)) == wanted
    assert [row.pk for part in in_order(Submission.objects.all(), ordering, GCE_LAST) for row in part] == wanted
