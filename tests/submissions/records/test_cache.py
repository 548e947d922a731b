"""Answers are kept until the submissions change."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction
from django.db.models import F
from django.utils import timezone

from benchsite.cache import FailOpenCache, evictable_cache
from submissions.ingest.retract import retract
from submissions.models import Submission
from submissions.records import cache as module
from submissions.records import growing
from submissions.records.cache import cached, cached_of_workload
from submissions.records.growing import counted
from submissions.records.ids import Ids
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
    monkeypatch.setattr(FailOpenCache, "_outages", {})  # the next test asks Redis again
    nowhere = {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {alias: {**each, **nowhere} for alias, each in settings.CACHES.items()}

    assert cached(("anything",), lambda: "computed") == "computed"
    assert Services()() == plain()


def test_keys_of_other_parts_are_other_values():
    assert cached(("spreads", 1, 12), lambda: "a") == "a"
    assert cached(("spreads", 11, 2), lambda: "b") == "b"
    assert cached(("spreads, 1", 12), lambda: "c") == "c"


def test_a_value_of_other_code_is_not_read(monkeypatch):
    monkeypatch.setattr("submissions.records.cache.code_version", lambda: "other")
    assert cached(("layout",), lambda: "old") == "old"
    monkeypatch.undo()
    assert cached(("layout",), lambda: "new") == "new"


class Services:
    """Submissions by service, counted in parts; notes the ranges that were read."""

    def __init__(self, name="services"):
        self.name, self.read = name, []

    def count(self, ids):
        self.read.append(ids)
        return Counter(Submission.objects.published().filter(ids.q()).values_list("service", flat=True))

    def __call__(self):
        return counted((self.name,), self.count, lambda one, other: one + other)


def plain():
    return Counter(Submission.objects.published().values_list("service", flat=True))


def test_after_new_rows_only_these_are_counted():
    services, first = Services(), SubmissionFactory()
    assert services() == services() == plain()
    second, third = SubmissionFactory(service="scylladb"), SubmissionFactory()

    assert services() == services() == plain()
    assert services.read == [Ids(upto=first.pk), Ids(after=first.pk, upto=third.pk)]
    assert second.pk < third.pk


def test_a_few_new_rows_are_added_to_what_the_process_knows_and_redis_gets_the_sum_now_and_then(monkeypatch):
    services, others = Services(), Services()
    SubmissionFactory()
    services()
    evictable_cache.clear()
    row = SubmissionFactory(service="scylladb")

    assert services() == services() == plain()
    assert services.read[1:] == [Ids(after=row.pk - 1, upto=row.pk)]

    monkeypatch.setattr(growing, "REFRESHED_SECONDS", -1)
    assert others() == plain()  # Redis has nothing yet
    assert others() == plain()
    assert others.read == [Ids(upto=row.pk)]


def test_what_the_process_has_as_it_is_in_redis_is_not_fetched_again_however_old_it_is(monkeypatch):
    services = Services()
    SubmissionFactory()
    services()
    monkeypatch.setattr(growing, "REFRESHED_SECONDS", -1)
    monkeypatch.setattr(growing, "latest", None)  # the way to Redis

    assert services() == plain()


@pytest.mark.parametrize(
    "change",
    [
        lambda row: retract(row, reason="throttled clients"),
        lambda row: Submission.objects.filter(pk=row.pk).update(service="postgresql"),
        lambda row: row.delete(),
        lambda row: SubmissionFactory(supersedes=row),
    ],
    ids=["retraction", "correction", "deletion", "successor"],
)
def test_after_a_change_of_a_counted_row_all_are_counted(change):
    services = Services()
    SubmissionFactory()
    row = SubmissionFactory()
    services()

    change(row)

    assert services() == services() == plain()
    assert [ids.after for ids in services.read] == [0, 0]


def test_rows_of_another_database_with_the_same_ids_are_not_added_to(clear_cache):
    services, row = Services(), SubmissionFactory()
    services()
    with connection.cursor() as cursor:  # no trigger: as if it had been stored so
        cursor.execute("SET LOCAL session_replication_role = replica")
        Submission.objects.filter(pk=row.pk).update(created_at=F("created_at") + timedelta(days=1), service="scylladb")
        cursor.execute("SET LOCAL session_replication_role = origin")
    SubmissionFactory()

    assert services() == plain()


def test_an_answer_of_rows_that_were_rolled_back_is_not_added_to():
    services = Services()
    SubmissionFactory()
    with transaction.atomic():
        SubmissionFactory(service="never")
        assert services() == plain()
        transaction.set_rollback(True)
    SubmissionFactory()

    assert services() == plain()


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
    def test_a_row_that_is_committed_late_is_counted_with_those_that_overtook_it(self, clear_cache):
        """Ids are taken in one order and committed in the other."""
        services, has_id, may_end = Services(), threading.Event(), threading.Event()
        SubmissionFactory()
        assert services() == plain()

        def late():
            with transaction.atomic():
                SubmissionFactory(service="late")
                has_id.set()
                may_end.wait(60)
            connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(late)
            has_id.wait(60)
            SubmissionFactory(service="early")
            during = [services(), services(), plain()]
            may_end.set()
            ended.result()

        assert during == [{"cassandra": 1, "early": 1}] * 3
        assert services() == plain() == {"cassandra": 1, "early": 1, "late": 1}
        SubmissionFactory()
        assert services() == plain()

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
        assert not list(evictable_cache._cache.get_client(None).keys(evictable_cache.make_key("*:lock")))
