"""Tallies equal their rows at all times: whatever is stored, changed, committed in another order or due by time."""

import re
from importlib import import_module
from random import Random

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from submissions.choices import Flag, Trust, Visibility
from submissions.models import RowChange, Submission, Tally, TallyPart
from submissions.questions import tallies
from submissions.questions.scaling.query import SCALING
from submissions.tallies import journal
from submissions.tallies.growth import are_current, count_all, grow, states_of_workload
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.submissions.tallies.rows import LATER, any_submission

pytestmark = pytest.mark.django_db


def counted(submission):
    """How many results of its workload the tally of sorts has."""
    assert are_current(SORTS)
    (state,) = states_of_workload(submission.workload.fingerprint, SORTS)
    return sum(state.values())


def without_triggers(statement, *params):
    """What time does, for a test that does not wait for it."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement, params)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def change_any(random, known):
    rows = Submission.objects.filter(pk__in=[row.pk for row in random.sample(known, 2)])
    now = timezone.now()
    changes = (
        {"retracted_at": now}, {"retracted_at": None}, {"hidden_at": now}, {"hidden_at": None}, {"unranked_at": now},
        {"visibility": Visibility.PUBLIC}, {"visibility": Visibility.PRIVATE}, {"trust": Trust.REPRODUCED},
        {"flags": [Flag.ERRORS.value]}, {"embargo_until": None}, {"unranked_until": None}, {"region": "eu-west-1"},
        {"supersedes": None},
    )  # fmt: skip
    rows.update(**random.choice(changes))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_anything_that_happens_to_rows_each_tally_equals_them(seed):
    random, user = Random(seed), UserFactory()
    workloads = [WorkloadFactory(title=title) for title in ("reads", "writes")]
    known = [any_submission(random, [], user, workloads) for _ in range(8)]
    tallies.count_again()

    for _ in range(6):
        known += [any_submission(random, known, user, workloads) for _ in range(random.randrange(3))]
        for _ in range(random.randrange(3)):
            change_any(random, known)
        if random.random() < 0.3:
            known.pop(random.randrange(len(known))).delete()
        assert are_current(*tallies.all_tallies())

    assert list(tallies.differences()) == []
    assert TallyPart.objects.filter(tally__name=SORTS.name).exclude(state="{}").exists()


def test_a_part_that_was_changed_by_hand_is_a_difference():
    row = SubmissionFactory()
    tallies.count_again()

    TallyPart.objects.filter(tally__name=SORTS.name).update(state='{"invented": 7}')

    assert list(tallies.differences()) == [f"sorts: scope {row.workload_id} differs from its rows"]


@pytest.mark.django_db(transaction=True)
def test_of_two_commits_in_reverse_order_both_are_counted(transactional_db):
    first = SubmissionFactory(submitted_by=None)  # what an account stores waits for what else it is storing
    count_all(SORTS)
    other = connections.create_connection("default")
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:  # takes its id and its transaction now, and ends last
            columns = ", ".join(
                f'"{field.column}"'
                for field in Submission._meta.local_concrete_fields
                if field.column not in ("id", "content_hash", "configuration")
            )
            cursor.execute(
                f"INSERT INTO submissions_submission ({columns}, content_hash)"
                f" SELECT {columns}, 'other' FROM submissions_submission WHERE id = %s RETURNING id",
                [first.pk],
            )
            early = cursor.fetchone()[0]
        late = SubmissionFactory(submitted_by=None)
        assert early < late.pk
        assert counted(first) == 2

        other.commit()

        assert counted(first) == 3
    finally:
        other.close()


@pytest.mark.django_db(transaction=True)
def test_what_is_committed_while_all_rows_are_counted_counts_once(transactional_db, monkeypatch):
    row = SubmissionFactory()
    read = type(SORTS).rows

    def and_one_more(self, submissions):
        monkeypatch.setattr(type(SORTS), "rows", read)
        SubmissionFactory(submitted_by=row.submitted_by)
        return read(self, submissions)

    monkeypatch.setattr(type(SORTS), "rows", and_one_more)
    count_all(SORTS)

    assert counted(row) == 2


@pytest.mark.parametrize("column", ["embargo_until", "unranked_until"])
def test_the_end_of_an_embargo_or_of_a_wait_counts_though_nothing_is_written(column):
    row = SubmissionFactory(**{column: LATER})
    tallies.count_again()
    rankable = "embargo_until" if column == "embargo_until" else "unranked_until"
    assert TallyPart.objects.get(tally__name=SORTS.name).valid_until == LATER

    without_triggers(f"UPDATE submissions_submission SET {rankable} = '2020-01-01' WHERE id = %s", row.pk)
    without_triggers("UPDATE submissions_tallypart SET valid_until = '2020-01-01'")

    assert are_current(*tallies.all_tallies())
    assert counted(row) == 1
    assert states_of_workload(row.workload.fingerprint, SCALING)[0]["proven"] == 1
    assert list(tallies.differences()) == []


def test_a_successor_with_an_embargo_replaces_at_its_end():
    old = SubmissionFactory()
    SubmissionFactory(supersedes=old, embargo_until=LATER)
    count_all(SORTS)

    assert counted(old) == 1
    assert set(TallyPart.objects.values_list("valid_until", flat=True)) == {LATER}


@pytest.mark.parametrize("column", journal.NOTED_COLUMNS)
def test_a_change_of_each_column_is_noted(column):
    row, other = SubmissionFactory(), SubmissionFactory(workload=WorkloadFactory(title="another"))
    RowChange.objects.all().delete()
    field = next(field for field in Submission._meta.local_concrete_fields if field.column == column)
    values = {
        "workload_id": other.workload_id, "supersedes_id": other.pk, "submitted_by_id": None, "flags": [Flag.ERRORS],
        "trust": Trust.UPLOADED, "visibility": Visibility.PRIVATE, "latency_kind": "unknown",
        "network_kind": "virtual", "network_encryption": "node",
        "latency_p99_is_bound": True,
    }  # fmt: skip
    kind = field.get_internal_type()
    value = values.get(column, LATER if kind == "DateTimeField" else "7" if kind in ("CharField", "URLField") else 7)

    type(row).objects.filter(pk=row.pk).update(**{field.name: value})

    assert (row.pk, False) in RowChange.objects.values_list("submission_id", "is_new")


def test_a_change_of_what_no_tally_reads_is_not_noted():
    row = SubmissionFactory()
    RowChange.objects.all().delete()

    Submission.objects.filter(pk=row.pk).update(title="another", hourly_usd=None, notes="more")

    assert not RowChange.objects.exists()


@pytest.mark.parametrize("kind", tallies.all_tallies(), ids=lambda kind: kind.name.replace(" ", "_"))
def test_every_column_that_a_tally_reads_is_noted(kind, monkeypatch):
    monkeypatch.setattr("django.db.models.query.QuerySet.iterator", lambda rows: rows)
    rows = kind.rows(Submission.objects.filter(pk__in=[1]))

    read = set(re.findall(r'"submissions_submission"\."(\w+)"', str(rows.query)))

    assert read - {"id"} <= set(journal.NOTED_COLUMNS)


def test_the_trigger_has_the_same_columns():
    migration = import_module("submissions.migrations.0053_packs_and_machines")

    assert set(migration.NOTED_COLUMNS) == set(journal.NOTED_COLUMNS)


def test_what_all_have_counted_leaves_the_journal():
    SubmissionFactory()
    tallies.count_again()
    # a transaction of its own is never before its snapshot
    Tally.objects.update(snapshot="900000000:900000000:", applied=[])

    journal.forget("default")

    assert not RowChange.objects.exists()


def test_another_database_cluster_or_another_code_makes_a_tally_uncounted():
    SubmissionFactory()
    count_all(SORTS)
    assert are_current(SORTS)

    Tally.objects.update(cluster="1")

    assert not are_current(SORTS)
    count_all(SORTS)
    Tally.objects.update(code="0")
    assert not are_current(SORTS)


def test_growing_reads_the_new_rows_alone(django_assert_num_queries):
    known = SubmissionFactory()
    count_all(SORTS)
    with django_assert_num_queries(1):
        assert are_current(SORTS)

    SubmissionFactory(submitted_by=known.submitted_by)
    with django_assert_num_queries(11) as queries, transaction.atomic():
        grow(SORTS)

    assert any("IN" in query["sql"] for query in queries)
    assert counted(known) == 2


def test_several_tallies_grow_at_once_each_from_where_it_was(django_assert_num_queries):
    known = SubmissionFactory()
    tallies.count_again()
    SubmissionFactory(submitted_by=known.submitted_by)
    assert are_current(SCALING)  # has the second one, the others not
    SubmissionFactory(submitted_by=known.submitted_by)

    with django_assert_num_queries(26):
        assert are_current(*tallies.all_tallies())

    assert list(tallies.differences()) == []


@pytest.mark.django_db(transaction=True)
def test_what_a_transaction_writes_after_it_has_read_is_counted_though_a_later_one_has_ended(transactional_db):
    row = SubmissionFactory()
    count_all(SORTS)
    with transaction.atomic():
        SubmissionFactory(submitted_by=row.submitted_by)
        other = connections.create_connection("default")
        try:
            with other.cursor() as cursor:  # takes a number after ours, and ends at once
                cursor.execute("SELECT pg_current_xact_id()")
        finally:
            other.close()
        assert counted(row) == 2
        SubmissionFactory(submitted_by=row.submitted_by)
        assert counted(row) == 3

    assert counted(row) == 3
    SubmissionFactory(submitted_by=row.submitted_by)
    assert counted(row) == 4
