"""Answers are cached until the data changes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction
from django.utils import timezone

from benchsite.redis.cache import FailOpenCache
from submissions.ingest.changes.retract import retract
from submissions.models import Submission, Workload
from submissions.records import cache as module
from submissions.records.cache import Aged, cached, cached_for, cached_of_workload
from tests.benchsite.http.stored_pages import keys
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


def count():
    return cached(("how many",), lambda: Submission.objects.published().count())


def test_an_answer_is_computed_once():
    SubmissionFactory()
    asked = []

    answers = [cached(("twice",), lambda: asked.append(1) or "answer") for _ in range(3)]

    assert (answers, len(asked)) == (["answer"] * 3, 1)


def test_a_new_submission_is_seen_at_once():
    assert count() == 0
    SubmissionFactory()
    assert count() == 1
    SubmissionFactory()
    assert count() == 2


def test_a_retraction_is_seen_at_once():
    first, second = SubmissionFactory(), SubmissionFactory()
    assert count() == 2
    retract(first, reason="throttled clients")
    assert count() == 1
    retract(second, reason="throttled clients")
    assert count() == 0


def test_a_new_database_with_the_same_ids_is_not_taken_for_the_old_one():
    row = SubmissionFactory()
    assert count() == 1

    Submission.objects.filter(pk=row.pk).update(created_at=timezone.now())

    assert cached(("how many",), lambda: "computed again") == "computed again"


def test_without_the_cache_every_answer_is_computed(settings, monkeypatch):
    monkeypatch.setattr(FailOpenCache, "outages", {})  # the next test asks Redis again
    nowhere = {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {alias: {**each, **nowhere} for alias, each in settings.CACHES.items()}

    assert cached(("anything",), lambda: "computed") == "computed"


def test_keys_of_other_parts_are_other_values():
    assert cached(("spreads", 1, 12), lambda: "a") == "a"
    assert cached(("spreads", 11, 2), lambda: "b") == "b"
    assert cached(("spreads, 1", 12), lambda: "c") == "c"


def test_a_value_of_other_code_is_not_read(monkeypatch):
    monkeypatch.setattr("submissions.records.cache.code_version", lambda: "other")
    assert cached(("layout",), lambda: "old") == "old"
    monkeypatch.undo()
    assert cached(("layout",), lambda: "new") == "new"


def test_an_answer_of_rows_that_were_rolled_back_is_nobodys():
    SubmissionFactory()
    with transaction.atomic():
        SubmissionFactory()
        assert count() == 2
        transaction.set_rollback(True)

    assert count() == 1


def test_what_takes_long_is_taken_for_some_seconds_and_says_how_old_it_is(monkeypatch):
    now = float(int(module.time.time()))

    def read(value, seconds_later):
        monkeypatch.setattr(module.time, "time", lambda: now + seconds_later)
        return cached_for(30, ("long",), lambda: value)

    SubmissionFactory()  # what a transaction that writes has cached is its own
    assert read("first", 0) == read("never", 20) == Aged("first")
    SubmissionFactory()
    assert read("never", 29) == Aged("first", 29)
    assert read("second", 31) == read("never", 3000) == Aged("second")


def test_a_change_of_what_is_shown_of_a_workload_is_seen_in_its_answers(clear_cache):
    row = SubmissionFactory()

    def title():
        rows = Submission.objects.filter(workload=row.workload)
        return cached_of_workload(
            row.workload_id, ("title",), lambda: list(rows.values_list("title", "workload__title"))
        )

    before = title()
    Submission.objects.filter(pk=row.pk).update(title="another")
    assert title() == [("another", before[0][1])]
    Workload.objects.filter(pk=row.workload_id).update(title="another workload")
    assert title() == [("another", "another workload")]


def test_a_new_row_of_another_workload_leaves_what_is_of_one(clear_cache):
    first, other = (SubmissionFactory(workload=WorkloadFactory(title=title)) for title in ("writes", "reads"))
    made = []

    def count():
        rows = Submission.objects.published().filter(workload=first.workload)
        return cached_of_workload(first.workload_id, ("how many",), lambda: made.append(1) or rows.count())

    assert (count(), count(), len(made)) == (1, 1, 1)
    SubmissionFactory(workload=other.workload)
    assert (count(), len(made)) == (1, 1)
    row = SubmissionFactory(workload=first.workload)
    assert (count(), count(), len(made)) == (2, 2, 2)
    retract(row, reason="throttled clients")
    assert (count(), len(made)) == (1, 3)


@pytest.mark.django_db(transaction=True)
class TestSeveralReaders:
    def test_one_computes_and_the_others_get_its_answer(self, clear_cache):
        SubmissionFactory()
        computed, began, may_end = [], threading.Event(), threading.Event()

        def compute():
            computed.append(1)
            began.set()
            may_end.wait(60)
            return "answer"

        def read():
            try:
                return cached(("slow",), compute)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(read)]
            began.wait(60)
            answers += [pool.submit(read) for _ in range(3)]
            may_end.set()

            assert [each.result() for each in answers] == ["answer"] * 4
        assert computed == [1]

    @pytest.mark.parametrize(
        ("age", "may_be_old", "answer"),
        [(0, True, "old"), (module.MOST_SECONDS + 1, True, "new"), (0, False, "new")],
    )
    def test_meanwhile_the_others_get_the_last_answer_if_it_is_recent_and_may_be_old(
        self, age, may_be_old, answer, clear_cache, monkeypatch
    ):
        workload = SubmissionFactory().workload

        def value(compute):
            return cached_of_workload(workload.pk, ("value",), compute, may_be_old=may_be_old)

        now = module.time.time()
        monkeypatch.setattr(module.time, "time", lambda: now)
        assert value(lambda: "old") == "old"
        SubmissionFactory(workload=workload)
        monkeypatch.setattr(module.time, "time", lambda: now + age)
        began, may_end = threading.Event(), threading.Event()

        def compute():
            began.set()
            may_end.wait(60)
            return "new"

        def read(compute):
            try:
                return value(compute)
            finally:
                connections.close_all()

        monkeypatch.setattr(module.time, "sleep", lambda seconds: may_end.set())  # who waits lets the other end
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(read, compute)
            began.wait(60)
            assert pool.submit(read, lambda: "never").result() == answer
            may_end.set()
            assert first.result() == "new"

    def test_who_computes_and_fails_leaves_the_lock_to_the_next(self, clear_cache):
        with pytest.raises(ZeroDivisionError):
            cached(("failing",), lambda: 1 / 0)

        assert cached(("failing",), lambda: "answer") == "answer"
        assert keys("*:lock") == []
