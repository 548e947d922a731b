"""Which results a search finds, in which order, and at what cost."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from submissions.api.forms import BadParameter
from submissions.models import Submission, new_link_key
from submissions.search import query
from submissions.search.query import A_PAGE, entries_of, in_order_of, matches, with_one_term_less
from submissions.search.terms import asked
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def found(text):
    return list(matches(asked(text)).ids)


@pytest.fixture
def netflix():
    return SubmissionFactory(
        title="Netflix, a million writes: 288× m1.xlarge",
        source="Adrian Cockcroft, The Netflix Tech Blog, 2 November 2011",
        notes="Ran in zones of us-east-1 behind Priam.",
        service_version="0.8.6",
        instance_type="m1.xlarge",
        node_count=288,
        jdk_version="6",
        document={"nodes": [{"instance_type": "m1.xlarge"}, {"instance_type": "m2.4xlarge"}]},
    )


@pytest.fixture
def google():
    return SubmissionFactory(
        title="Mixed on SSD",
        provider="gce",
        region="us-central1",
        instance_type="n2-standard-4",
        service="scylladb",
        tool="ycsb",
        operation="mixed",
        consistency_level="QUORUM",
        replication_factor=None,
        disk_kind=None,
        document={"nodes": [{"instance_type": "n2-standard-4", "disks": [{"kind": "pd-extreme"}]}]},
    )


@pytest.mark.parametrize(
    "text",
    [
        *("netflix", "NETFLIX", "netf", "cockcroft", "priam", "m1.xlarge", "m1.xl", "m1", "xlarge", "M1.XLARGE"),
        *("us-east-1", "us-east", "cassandra", "apache cassandra", "Apache", "aws", "0.8.6", "JDK 6", "RF 3"),
        *("netflix m1", "m1 netflix", '"million writes"', "288× m1.xlarge", "288 nodes", "cassandra-stress write"),
        *("m2.4xlarge", "local-ssd", "LOCAL_ONE", "“million writes”", "netflix,"),
    ],
)
def test_words_of_title_source_notes_and_facts_find_a_result(netflix, google, text):
    assert found(text) == [netflix.pk]


@pytest.mark.parametrize(
    "text", ["google", '"google cloud"', "Google Cloud", "gce", "pd-extreme", "scylla", "n2-standard-4"]
)
def test_display_names_and_slugs_find_a_result(netflix, google, text):
    assert found(text) == [google.pk]


@pytest.mark.parametrize(
    "text",
    ["etflix", "netflix google", '"writes million"', "us-east-2", "m1.x2", "9", "8.6.0", "alibaba-cloud", "", "…"],
)
def test_what_is_not_in_a_result_does_not_find_it(netflix, google, text):
    assert found(text) == []


def test_a_number_of_a_result_finds_it_first_and_with_its_sign_alone(netflix):
    other = SubmissionFactory(title=f"The {netflix.pk} of another")

    assert found(f"{netflix.pk}") == [netflix.pk, other.pk]
    assert matches(asked(f"{netflix.pk}")).count == 2
    assert found(f"#{netflix.pk}") == [netflix.pk]


@pytest.mark.parametrize(
    "hidden",
    [
        {"visibility": "private"},
        {"visibility": "unlisted", "link_key": new_link_key()},
        {"visibility": "private", "embargo_until": timezone.now() + timedelta(days=1)},
        {"hidden_at": timezone.now()},
        {"retracted_at": timezone.now()},
    ],
)
def test_only_what_is_published_is_found_not_even_by_its_number(hidden):
    row = SubmissionFactory(title="Netflix", **hidden)

    assert found("netflix") == []
    assert found(f"#{row.pk}") == []
    assert matches(asked(f"{row.pk}")).count == 0
    assert with_one_term_less(asked("netflix nothing")) == []


def test_an_embargo_that_has_ended_publishes_a_result():
    row = SubmissionFactory(title="Netflix", visibility="private", embargo_until=timezone.now() - timedelta(days=1))

    assert found("netflix") == [row.pk]


def test_one_that_was_superseded_is_not_found_and_its_successor_is():
    old = SubmissionFactory(title="Netflix")
    new = SubmissionFactory(title="Netflix", supersedes=old, submitted_by=old.submitted_by)

    assert found("netflix") == [new.pk]
    assert found(f"#{old.pk}") == []


def test_a_match_in_the_title_comes_before_facts_and_these_before_notes_and_equals_newest_first():
    in_notes = SubmissionFactory(title="One", notes="Like the tests of valkey.")
    in_titles = [SubmissionFactory(title="Valkey"), SubmissionFactory(title="Valkey")]
    by_database = SubmissionFactory(title="Two", service="valkey")

    assert found("valkey") == [in_titles[1].pk, in_titles[0].pk, by_database.pk, in_notes.pk]


def test_relative_and_historical_results_are_found():
    relative = SubmissionFactory(
        title="Netflix", trust="historical", throughput_ops_s=None, relative_throughput=2.0, hourly_usd=None
    )

    assert found("netflix") == [relative.pk]


def test_pages_follow_one_another_without_a_gap_while_results_come():
    rows = [SubmissionFactory(title=f"Netflix {'again' * (n % 3)}") for n in range(2 * A_PAGE + 3)]
    search = asked("netflix")
    first = matches(search)
    SubmissionFactory(title="Netflix Netflix Netflix")

    second = matches(search, first.next_cursor)
    third = matches(search, second.next_cursor)

    assert [len(page.ids) for page in (first, second, third)] == [A_PAGE, A_PAGE, 3]
    assert {pk for page in (first, second, third) for pk in page.ids} == {row.pk for row in rows}
    assert third.next_cursor is None
    assert first.count == len(rows)


@pytest.mark.parametrize("cursor", ["x", "WzAuMSwzXQ:abc", "é", "a" * 400])
def test_a_cursor_that_is_none_of_this_search_is_refused_by_name(cursor):
    with pytest.raises(BadParameter, match="cursor: is not a cursor of this search"):
        matches(asked("netflix"), cursor)


def test_a_cursor_of_another_search_is_refused():
    for _ in range(A_PAGE + 1):
        SubmissionFactory(title="Netflix ssd")
    cursor = matches(asked("netflix")).next_cursor

    with pytest.raises(BadParameter, match="begin again"):
        matches(asked("ssd"), cursor)


def test_of_more_than_the_most_the_newest_are_ranked_and_the_count_says_so(monkeypatch):
    monkeypatch.setattr(query, "MOST", 3)
    best = SubmissionFactory(title="Netflix Netflix Netflix")
    older = [SubmissionFactory(title="Netflix") for _ in range(2)]

    exactly = matches(asked("netflix"))
    assert (exactly.count, exactly.is_capped, exactly.ids[0]) == (3, False, best.pk)

    newest = SubmissionFactory(title="Netflix")
    more = matches(asked("netflix"))
    assert (more.count, more.is_capped) == (3, True)
    assert more.ids == (newest.pk, older[1].pk, older[0].pk)


def test_where_nothing_has_all_words_the_searches_that_find_something_are_named(netflix, google):
    shorter = with_one_term_less(asked("netflix scylladb gce"))

    assert [each.text for each in shorter] == ["scylladb gce"]
    assert with_one_term_less(asked("nothing")) == []


def test_the_rows_come_in_the_order_of_their_places_without_one_that_was_hidden_meanwhile(netflix, google):
    rows = in_order_of((google.pk, -1, netflix.pk), Submission.objects.published())

    assert [row.pk for row in rows] == [google.pk, netflix.pk]


@pytest.mark.parametrize("text", ["i4i", "m5.xlarge", "google", '"million writes"', "netflix ssd"])
def test_the_index_can_answer_every_kind_of_search(text):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")

    assert "words_of_submissions" in entries_of(asked(text)).explain()
