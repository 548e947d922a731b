"""Figures equal their rows at all times: whatever is stored, changed, committed in another order, or due by time."""

from contextlib import contextmanager

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections, transaction
from django.utils import timezone

from benchsite.http.freshness import making
from submissions.aggregates import kinds, store
from submissions.aggregates.check import differences, site_differences
from submissions.aggregates.read import counted_at, site_counts, states_of
from submissions.models import NodeGroup, QueuedChange, SiteCount, Submission, WorkloadFigures
from tests.documents import document, metadata
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.files import stress_log
from tests.submissions.aggregates.counting import COUNTING
from tests.submissions.aggregates.rows import LATER
from tests.submissions.aggregates.walk import finished, in_a_thread, started
from tests.submissions.logs import form

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counting_alone(monkeypatch):
    monkeypatch.setattr(kinds, "kinds_by_name", {})
    kinds.register([COUNTING])


def counted(workload_id):
    (state,) = states_of(workload_id, COUNTING)
    return sum(state.values())


def sent(caller, number, *, is_log):
    if is_log:
        log = SimpleUploadedFile(f"{number}.log", stress_log("cs50-10").read_bytes() + b"\n" * number)
        response = caller.upload(form(log, meta=metadata({"measured_at": None, "region": f"region-{number}"})))
    else:
        response = caller.submit(document({"trials/0/throughput_ops_s": 90_000.0 + number}))
    assert response.status_code == 201, response.content
    return Submission.objects.latest("pk")


def without_triggers(statement, *params):
    """What time does, for a test that does not wait for it."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement, params)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_new_results_are_added_to_what_is_stored():
    row = SubmissionFactory()
    assert counted(row.workload_id) == 1

    SubmissionFactory(workload=row.workload, provider="gce")

    assert states_of(row.workload_id, COUNTING) == [{"aws": 1, "gce": 1}]
    assert WorkloadFigures.objects.get(pk=row.workload_id).published == 2
    assert not QueuedChange.objects.exists()


@pytest.mark.parametrize("is_log", [False, True])
def test_an_uploaded_result_is_added_and_its_workload_not_counted_again(is_log, caller, monkeypatch):
    """Its machines and trials are entries of the queue, too: of the same new result."""
    row = sent(caller, 1, is_log=is_log)
    assert counted(row.workload_id) == 1
    monkeypatch.setattr(store, "counted_anew", None)

    added = sent(caller, 2, is_log=is_log)

    assert added.workload_id == row.workload_id
    assert set(QueuedChange.objects.values_list("submission_id", "is_new")) >= {(added.pk, True)}
    assert counted(row.workload_id) == 2
    assert differences(row.workload_id) == []


def test_a_changed_result_has_its_workload_counted_again():
    row, other = SubmissionFactory(), SubmissionFactory(workload=WorkloadFactory(title="other"))
    assert (counted(row.workload_id), counted(other.workload_id)) == (1, 1)

    Submission.objects.filter(pk=row.pk).update(retracted_at=timezone.now())

    assert (counted(row.workload_id), counted(other.workload_id)) == (0, 1)
    assert differences(row.workload_id) == []


def test_a_deleted_result_leaves_the_figures():
    row = SubmissionFactory()
    assert counted(row.workload_id) == 1

    row.delete()

    assert counted(row.workload_id) == 0


def test_a_superseded_result_leaves_the_figures_of_its_own_workload():
    old = SubmissionFactory()
    assert counted(old.workload_id) == 1

    SubmissionFactory(supersedes=old, workload=WorkloadFactory(title="other"))

    assert counted(old.workload_id) == 0


def test_what_belongs_to_a_stored_result_is_counted_with_it_and_later_changes_of_it_are_queued_too(monkeypatch):
    workload = SubmissionFactory().workload_id
    assert counted(workload) == 1
    monkeypatch.setattr(store, "counted_anew", lambda _: pytest.fail("all rows were counted again"))

    row = SubmissionFactory(workload_id=workload)

    assert set(QueuedChange.objects.values_list("submission_id", flat=True)) == {row.pk}
    assert counted(workload) == 2
    assert not QueuedChange.objects.exists()

    NodeGroup.objects.filter(submission=row).update(count=5)

    assert set(QueuedChange.objects.values_list("submission_id", "is_new")) <= {(row.pk, False)}
    assert QueuedChange.objects.exists()


def test_the_end_of_an_embargo_counts_though_nothing_is_written():
    row = SubmissionFactory(embargo_until=LATER)
    assert counted(row.workload_id) == 0
    assert WorkloadFigures.objects.get(pk=row.workload_id).valid_until == LATER

    without_triggers("UPDATE submissions_submission SET embargo_until = '2020-01-01' WHERE id = %s", row.pk)
    without_triggers("UPDATE submissions_workloadfigures SET valid_until = '2020-01-01'")

    assert counted(row.workload_id) == 1
    assert WorkloadFigures.objects.get(pk=row.workload_id).valid_until is None


def test_counts_of_the_whole_site_follow_and_are_folded():
    row = SubmissionFactory()
    SubmissionFactory(provider="gce")
    assert site_counts(COUNTING) == {"provider=aws": 1, "provider=gce": 1}

    row.delete()
    assert site_counts(COUNTING) == {"provider=gce": 1}
    store.refresh_all()

    assert list(SiteCount.objects.values_list("key", "n")) == [("provider=gce", 1)]
    assert list(site_differences()) == []


def test_a_large_workload_with_a_change_is_left_to_a_worker(monkeypatch):
    monkeypatch.setattr(store, "LARGE", 0)
    row = SubmissionFactory()
    assert counted(row.workload_id) == 1
    assert counted_at([row.workload_id]) is None
    Submission.objects.filter(pk=row.pk).update(retracted_at=timezone.now())

    assert counted(row.workload_id) == 1
    assert counted_at([row.workload_id]) is not None

    assert states_of(row.workload_id, COUNTING, may_be_large=True) == [{}]
    assert counted_at([row.workload_id]) is None


def test_a_task_counts_all_that_is_queued_where_a_reader_has_no_time(monkeypatch):
    monkeypatch.setattr(store, "READER_SECONDS", -1)
    for row in (SubmissionFactory(), SubmissionFactory(workload=WorkloadFactory(title="another"))):
        counted(row.workload_id)
        SubmissionFactory(workload=row.workload)

    with making(may_be_old=False) as answer:
        assert (sum(site_counts(COUNTING).values()), answer.is_old) == (2, True)
    assert sum(site_counts(COUNTING).values()) == 4


def test_another_version_of_the_code_has_everything_counted_again(monkeypatch):
    row = SubmissionFactory()
    assert counted(row.workload_id) == 1
    WorkloadFigures.objects.update(code="older")

    store.queue_outdated_code()

    SubmissionFactory(workload=row.workload)
    assert counted(row.workload_id) == 2


@pytest.mark.django_db(transaction=True)
def test_a_result_that_is_committed_while_its_workload_is_counted_counts_once():
    row = SubmissionFactory()

    def one_more():
        in_a_thread(lambda: SubmissionFactory(workload=row.workload, submitted_by=row.submitted_by))

    with before_rows_are_read(one_more):
        assert counted(row.workload_id) == 1
    assert counted(row.workload_id) == 2
    assert differences(row.workload_id) == []


@pytest.mark.django_db(transaction=True)
def test_who_had_to_wait_for_another_reader_begins_anew():
    row = SubmissionFactory()
    counted(row.workload_id)
    SubmissionFactory(workload=row.workload, submitted_by=row.submitted_by)
    waiting = []

    def another_waits():
        waiting.append(started(lambda: counted(row.workload_id)))
        until_somebody_waits_for_a_lock()

    with before_rows_are_read(another_waits):
        assert counted(row.workload_id) == 2
    finished(waiting[0])
    assert counted(row.workload_id) == 2
    assert differences(row.workload_id) == []


@contextmanager
def before_rows_are_read(work):
    """Once, after the snapshot of who counts."""
    done = []

    def first(execute, sql, params, many, context):
        if not done and sql.startswith("SELECT") and '"throughput_ops_s"' in sql:
            done.append(sql)
            work()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(first):
        yield
    assert done


def until_somebody_waits_for_a_lock():
    for _ in range(10_000):
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waits")


@pytest.mark.django_db(transaction=True)
def test_in_an_open_transaction_its_own_rows_count_and_a_rollback_takes_them_back():
    row = SubmissionFactory()
    assert counted(row.workload_id) == 1

    with transaction.atomic():
        SubmissionFactory(workload=row.workload, submitted_by=row.submitted_by)
        assert counted(row.workload_id) == 2
        transaction.set_rollback(True)

    assert counted(row.workload_id) == 1
