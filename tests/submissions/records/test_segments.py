"""After a change of a stored row only its segment is counted again, and what is added up is a plain count."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from django.db import connection, connections, transaction
from django.db.models import F
from django.utils import timezone

from benchsite.cache import evictable_cache
from submissions.choices import Trust
from submissions.ingest.retract import retract
from submissions.models import Submission, data_state
from submissions.models.data_version import SEGMENT
from submissions.records import growing, segments
from submissions.records.growing import counted, made_of_count
from submissions.records.ids import Ids
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.submissions.records.conftest import SIZE

pytestmark = pytest.mark.django_db


class Levels:
    """Published submissions by service and trust, counted in parts; notes the ranges that were read."""

    def __init__(self):
        self.read = []

    def count(self, ids):
        self.read.append((ids.after, ids.upto))
        return Counter(Submission.objects.published().filter(ids.q()).values_list("service", "trust"))

    def __call__(self, **options):
        return counted(("levels",), self.count, lambda one, other: one + other, **options)

    def read_now(self, **options):
        """The ranges that the next reader reads."""
        self.read.clear()
        assert self(**options) == plain()
        return self.read


def plain():
    return Counter(Submission.objects.published().values_list("service", "trust"))


@pytest.fixture
def rows(small_segments):
    """Of three segments, the last of which is half full."""
    return [SubmissionFactory() for _ in range(2 * SIZE + 2)]


@pytest.fixture
def levels(rows):
    made = Levels()
    made(is_broad=True)
    return made


def test_a_segment_is_the_same_range_of_ids_for_the_database():
    with connection.cursor() as cursor:
        cursor.execute("SELECT submissions_segment(unnest(%s::bigint[]))", [[1, SEGMENT, SEGMENT + 1, 2 * SEGMENT]])
        assert [number for (number,) in cursor.fetchall()] == [0, 0, 1, 1]


def test_a_broad_count_is_made_by_segments_from_the_first_time_on(levels):
    assert levels.read == [(0, 4), (4, 8), (8, 10)]


def test_after_a_change_its_segment_alone_is_counted(levels, rows):
    retract(rows[5], reason="throttled clients")
    assert levels.read_now() == [(4, 8)]
    Submission.objects.filter(pk__in=[rows[0].pk, rows[9].pk]).update(trust=Trust.REPRODUCED)
    assert levels.read_now() == [(0, 4), (8, 10)]
    assert levels.read_now() == []


def test_a_correction_has_the_segment_of_what_it_supersedes_counted_and_the_new_row(levels, rows):
    SubmissionFactory(supersedes=rows[1])

    assert levels.read_now() == [(0, 4), (10, 11)]


def test_a_change_of_a_successor_has_the_segment_of_what_it_supersedes_counted(levels, rows):
    row = SubmissionFactory(supersedes=rows[1])
    levels()

    retract(row, reason="throttled clients")

    assert levels.read_now() == [(0, 4), (8, 11)]


def test_ids_that_are_left_out_are_no_segments(levels, rows):
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE submissions_submission_id_seq RESTART WITH 1000000001")
    SubmissionFactory()
    levels()

    retract(rows[1], reason="throttled clients")

    assert levels.read_now() == [(0, 4), (10, 12), (1_000_000_000, 1_000_000_001)]


def test_what_is_of_no_one_submission_has_all_segments_counted(levels, rows):
    rows[0].trials.update(throughput_ops_s=1)
    assert levels.read_now() == [(0, 4), (4, 8), (8, 10)]
    type(rows[0].workload).objects.update(title="another")
    assert levels.read_now() == [(0, 4), (4, 8), (8, 10)]


def test_what_time_alone_changes_has_its_segment_counted(levels, rows):
    row = Submission.objects.filter(pk=rows[5].pk)
    row.update(visibility="private")
    levels()
    with connection.cursor() as cursor:  # no trigger: as if this moment had been stored before
        cursor.execute("SET LOCAL session_replication_role = replica")
        row.update(embargo_until=timezone.now())
        cursor.execute("SET LOCAL session_replication_role = origin")

    assert levels.read_now() == [(4, 8)]
    assert levels.read_now() == []


def test_an_embargo_of_a_successor_that_ends_has_the_segment_of_what_it_supersedes_counted(levels, rows):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        Submission.objects.filter(pk=rows[5].pk).update(embargo_until=timezone.now(), supersedes=rows[0].pk)
        cursor.execute("SET LOCAL session_replication_role = origin")

    assert levels.read_now() == [(0, 4), (4, 8)]


def test_other_rows_with_the_same_ids_are_not_taken_for_those_that_were_counted(levels, rows):
    with connection.cursor() as cursor:  # as after a restore
        cursor.execute("SET LOCAL session_replication_role = replica")
        Submission.objects.filter(pk=rows[-1].pk).update(created_at=F("created_at") + timedelta(days=1))
        Submission.objects.update(service="scylladb")
        cursor.execute("SET LOCAL session_replication_role = origin")

    assert levels.read_now() == [(0, 4), (4, 8), (8, 10)]


def test_a_quick_count_is_one_query_again_and_a_long_one_is_by_segments_when_it_is_needed_again(rows, monkeypatch):
    monkeypatch.setattr(growing, "LONG_SECONDS", 1000.0)
    quick = Levels()
    assert quick.read_now() == [(0, 10)]
    retract(rows[0], reason="throttled clients")
    assert quick.read_now() == [(0, 10)]

    monkeypatch.setattr(growing, "LONG_SECONDS", -1.0)
    retract(rows[1], reason="throttled clients")
    assert quick.read_now() == [(0, 4), (4, 8), (8, 10)]
    retract(rows[2], reason="throttled clients")
    assert quick.read_now() == [(0, 4)]


def test_who_knows_an_older_state_counts_no_more_than_the_last_segment(levels, rows):
    before = data_state()
    SubmissionFactory(supersedes=rows[0])
    levels()
    levels.read.clear()

    value = segments.count_all(_name(), before, levels.count, lambda one, other: one + other)

    assert value == plain() - Counter({("cassandra", rows[0].trust): 1})
    assert levels.read == [(8, 10)]


def _name():
    return f"{growing.redis_key_of(('levels',), data_state())}:"


def test_segments_that_were_counted_otherwise_are_not_added_to(rows):
    def read_now(least):
        levels = Levels()
        made_of_count(("levels",), levels.count, Counter.__add__, len, is_broad=True, counted_as=lambda: least)
        return levels.read

    assert read_now(1) == [(0, 4), (4, 8), (8, 10)]
    retract(rows[0], reason="throttled clients")
    assert read_now(2) == [(0, 4), (4, 8), (8, 10)]
    retract(rows[1], reason="throttled clients")
    assert read_now(2) == [(0, 4)]


def test_what_is_still_true_is_stored_for_longer(levels, rows, monkeypatch):
    monkeypatch.setattr(segments, "CACHED_SECONDS", 2 * segments.CACHED_SECONDS)
    monkeypatch.setattr(segments, "CHECKED_ANEW", timedelta(0))
    retract(rows[0], reason="throttled clients")

    assert levels.read_now() == [(0, 4)]

    client = evictable_cache._cache.get_client(None)
    lasting = [client.ttl(evictable_cache.make_key(f"{_name()}:{SIZE}:{number}")) for number in range(3)]
    assert min(lasting) > 1.5 * 24 * 3600


class Changes:
    """Random changes of stored submissions."""

    def __init__(self, seed):
        self.chance = Random(seed)
        self.workloads = [WorkloadFactory(title=f"w{number}") for number in range(2)]

    def __call__(self):
        rows = list(Submission.objects.all())
        change = self.chance.choice([self.store, self.store, self.correct, self.retract, self.moderate, self.publish,
                                     self.reproduce, self.delete, self.move])  # fmt: skip
        change(self.chance.choice(rows) if rows else self.store())

    def store(self, row=None, **facts):
        hour = timedelta(hours=1)
        return SubmissionFactory(
            workload=self.chance.choice(self.workloads),
            service=self.chance.choice(["cassandra", "scylladb"]),
            visibility=self.chance.choice(["public", "public", "public", "private"]),
            embargo_until=self.chance.choice([None, None, None, timezone.now() + hour, timezone.now()]),
            **facts,
        )

    def correct(self, row):
        self.store(supersedes=row)

    def retract(self, row):
        retract(row, reason="throttled clients")

    def moderate(self, row):
        moment = self.chance.choice([None, timezone.now()])
        Submission.objects.filter(pk=row.pk).update(**{self.chance.choice(["hidden_at", "unranked_at"]): moment})

    def publish(self, row):
        Submission.objects.filter(pk=row.pk).update(visibility=self.chance.choice(["public", "private"]))

    def reproduce(self, row):
        other = self.chance.choice(Submission.objects.all())
        Submission.objects.filter(pk__in=[row.pk, other.pk]).update(trust=Trust.REPRODUCED)

    def delete(self, row):
        row.delete()

    def move(self, row):
        others = Submission.objects.exclude(pk=row.pk)
        Submission.objects.filter(pk=row.pk).update(supersedes=self.chance.choice([None, *others]))


@pytest.mark.parametrize("seed", [1, 2])
def test_segments_add_up_to_plain_counts_after_any_change(seed, small_segments):
    change, levels = Changes(seed), Levels()
    read = 0
    for _ in range(80):
        for _ in range(change.chance.randint(1, 2)):
            change()
        if change.chance.random() < 0.2:
            with transaction.atomic():
                change()
                assert levels(is_broad=True) == plain()
                transaction.set_rollback(True)
        assert levels(is_broad=True) == plain()
        read += len(levels.read)
        levels.read.clear()

    assert Submission.objects.count() > 5 * SIZE
    assert read < 80 * Submission.objects.count() / SIZE / 2, "fewer than half of the segments"


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_committed_late_is_counted_with_one_that_overtook_it(rows):
    """Both have changed rows of one segment; the second one does not wait for the first."""
    levels, has_changed, may_end = Levels(), threading.Event(), threading.Event()
    assert levels(is_broad=True) == plain()

    def late():
        with transaction.atomic():
            Submission.objects.filter(pk=rows[4].pk).update(service="late")
            SubmissionFactory(supersedes=rows[0], service="late")
            has_changed.set()
            may_end.wait(60)
        connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(late)
        has_changed.wait(60)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            Submission.objects.filter(pk=rows[5].pk).update(service="early")
        assert levels.read_now() == [(4, 8)]
        may_end.set()
        ended.result()

    assert levels.read_now() == [(0, 4), (4, 8), (10, 11)]
    assert {service for service, _ in levels()} == {"cassandra", "late", "early"}


def test_ranges_of_segments_have_each_submission_once(levels):
    assert sum((Levels().count(Ids(*limits)) for limits in levels.read), Counter()) == plain()
