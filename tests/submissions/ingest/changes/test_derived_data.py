"""Results that were stored before there were these columns, or before the catalogue knew their machines."""

import pytest
from django.core.management import call_command
from django.db import connection

from submissions.choices import DataFit
from submissions.ingest.changes.derived_data import derive_data
from submissions.ingest.changes.facts_added import add_facts
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.data_columns import COLUMNS
from submissions.ingest.store.store import store_all
from submissions.models import Derivation, InstanceType, QueuedChange, Submission, Trial
from tests.documents import document

pytestmark = pytest.mark.django_db

INSERTING = {
    "workload/tool": "ycsb",
    "workload/operations": {"read": 0.5, "insert": 0.5},
    "workload/key_count": 1_000_000,
    "workload/columns": 10,
    "workload/value_bytes": 100,
}


def older(count=5, **changes):
    """Results without these columns."""
    documents = [document({"settings": {"n": n}, **changes}) for n in range(count)]
    stored = store_all([prepare_document(each) for each in documents], submitted_by=None)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE submissions_submission SET data_bytes = NULL, data_to_memory = NULL, data_fit = NULL")
    return [each.submission for each in stored]


def columns():
    return set(Submission.objects.values_list(*COLUMNS))


def test_stored_results_are_as_if_they_were_stored_now():
    store_all([prepare_document(document())], submitted_by=None)
    [expected] = columns()
    Submission.objects.all().delete()
    older()

    call_command("derive_data")

    assert columns() == {expected}
    assert expected[2] == DataFit.BELOW_1


def test_it_goes_on_where_it_was_stopped_and_is_done_once():
    first = older()[0]
    batches = derive_data(batch=2)
    assert next(batches) == (2, 2)
    batches.close()
    Submission.objects.filter(pk=first.pk).update(data_bytes=1)  # would be put right if it began again

    assert list(derive_data(batch=2)) == [(2, 2), (1, 1)]
    assert list(derive_data(batch=2)) == []
    assert Submission.objects.get(pk=first.pk).data_bytes == 1


def test_a_new_machine_type_gives_its_results_their_ratio():
    older(1, **{"nodes/0/memory_gib": None})
    list(derive_data())
    assert columns() == {(340_000_000, None, None)}
    InstanceType.objects.create(provider="aws", name="m3.2xlarge", memory_gib=30, source="a test")

    assert list(derive_data()) == [(1, 1)]

    assert Submission.objects.get().data_fit == DataFit.BELOW_1
    assert Derivation.objects.get().is_complete


def test_what_the_logs_counted_is_used_although_no_document_has_it():
    [submission] = older(1, **INSERTING)
    counted = [{"name": "read", "operations": 10}, {"name": "insert", "operations": 2_000_000}]
    Trial.objects.filter(submission=submission).update(by_operation=counted)

    list(derive_data())

    assert Submission.objects.get().data_bytes == 2_000_000_000  # from 10^9 to 3 x 10^9


def test_a_fact_that_is_added_keeps_what_the_logs_counted():
    [submission] = older(1, **INSERTING, **{"workload/replication_factor": None})
    counted = [{"name": "insert", "operations": 2_000_000}]
    Trial.objects.filter(submission=submission).update(by_operation=counted)
    list(derive_data())

    add_facts(Submission.objects.get(), {"workload": {"replication_factor": 3}})

    submission = Submission.objects.get()
    assert submission.data_bytes == 2_000_000_000
    assert submission.data_to_memory == pytest.approx(2_000_000_000 * 3 / (90 * 2**30))


def test_figures_of_their_workloads_are_counted_again():
    older(2)
    QueuedChange.objects.all().delete()

    list(derive_data())

    assert QueuedChange.objects.exists()
