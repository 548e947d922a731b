"""A page does not wait for figures that somebody counts at the moment: it is old then, and no version of the data's."""

from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from benchsite.http import response_cache
from benchsite.http.freshness import making, note_old_part
from benchsite.redis.cache import evictable_cache
from submissions.aggregates import store
from submissions.aggregates.read import states_of
from submissions.records.aggregate import FACETS
from submissions.records.cache import cached
from tests.benchsite.http.stored_pages import keys
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clear_cache")]

LIST = "/submissions/"


@pytest.fixture(autouse=True)
def kept(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 2


@contextmanager
def counted_by_another(row):
    """Somebody has the figures of its workload locked, on a connection of its own."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(
                "SELECT FROM submissions_workloadfigures WHERE workload_id = %s FOR UPDATE", [row.workload_id]
            )
            yield
            cursor.execute("ROLLBACK")
    finally:
        other.close()


def shown(client):
    return client.get(LIST).context["counts"].total


@pytest.fixture
def one_more():
    row = SubmissionFactory()
    assert shown(Client()) == 1
    return SubmissionFactory(workload=row.workload, submitted_by=row.submitted_by)


def test_it_shows_what_is_stored_and_has_no_etag(one_more, monkeypatch):
    later = response_cache.time.time() + 100
    monkeypatch.setattr(response_cache.time, "time", lambda: later)
    with counted_by_another(one_more):
        answer = Client().get(LIST)
        assert (answer.context["counts"].total, answer.has_header("ETag")) == (1, False)
        assert Client().get(LIST).context is None  # the others get it, as they get every last one

    monkeypatch.setattr(response_cache.time, "time", lambda: later + 2)
    answer = Client().get(LIST)
    assert (answer.context["counts"].total, answer.has_header("ETag")) == (2, True)


def test_what_is_computed_of_it_behind_views_is_soon_computed_again(one_more):
    def results():
        (state,) = states_of(one_more.workload_id, FACETS)
        return state["facets"]["provider"]["aws"]

    with counted_by_another(one_more), making(may_be_old=True) as answer:
        assert (cached(("results",), results), answer.is_old) == (1, True)
    assert cached(("results",), results) == 2


def test_a_part_that_another_computed_a_moment_ago_makes_the_whole_answer_old(one_more):
    before = set(keys("cached:*"))
    assert cached(("part",), lambda: "old") == "old"
    (key,) = set(keys("cached:*")) - before
    SubmissionFactory(workload=one_more.workload)
    evictable_cache.add(f"{key}:lock", 1, 60)

    with making(may_be_old=True) as answer:
        assert cached(("part",), lambda: "new") == "old"
    assert answer.is_old


def test_what_is_made_of_other_parts_of_an_old_answer_is_kept(one_more):
    with making(may_be_old=True) as answer:
        note_old_part()
        assert cached(("another",), lambda: "first") == "first"
    assert answer.is_old
    assert cached(("another",), lambda: "again") == "first"


def test_what_a_reader_of_all_workloads_has_no_time_to_count_is_counted_by_the_next(one_more, monkeypatch):
    SubmissionFactory(workload=WorkloadFactory(title="another"))
    later = response_cache.time.time()
    seen = []
    for seconds, now in ((-1, later + 100), (60, later + 200)):
        monkeypatch.setattr(store, "READER_SECONDS", seconds)
        monkeypatch.setattr(response_cache.time, "time", lambda now=now: now)
        answer = Client().get(LIST)
        seen.append((answer.context["counts"].total, answer.has_header("ETag")))

    assert seen == [(2, False), (3, True)]  # what was never counted is not left out
