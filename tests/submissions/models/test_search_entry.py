"""The words of a submission are there with it, whoever writes it and by whatever way."""

import pytest
from django.db import connection

from submissions.models import SearchEntry, Submission, fill_search, search_entry
from tests.factories import SubmissionFactory
from tools.synthetic.copying import clear, make_dataset

pytestmark = pytest.mark.django_db


def has(row, query):
    return (
        SearchEntry.objects.filter(pk=row.pk)
        .extra(where=["words @@ to_tsquery('simple', %s)"], params=[query])
        .exists()
    )


def test_a_corrected_title_is_found_by_its_new_words_alone():
    row = SubmissionFactory(title="With the password hunter2")

    Submission.objects.filter(pk=row.pk).update(title="With the password ***")

    assert has(row, "password")
    assert not has(row, "hunter2")


def test_facts_of_the_document_that_change_are_found():
    row = SubmissionFactory(document={"nodes": [{"instance_type": "i3.large", "disks": [{"kind": "gp2"}]}]})
    row.document = {"nodes": [{"instance_type": "i4i.large"}, {"instance_type": "c6i.large"}]}
    row.save(update_fields=["document"])

    assert has(row, "i4i <-> large & c6i")
    assert not has(row, "i3 | gp2")


@pytest.mark.parametrize("document", [{}, {"nodes": None}, {"nodes": "x"}, {"nodes": [1, {"disks": {}}]}, [], "x"])
def test_a_document_of_any_shape_can_be_stored(document):
    assert has(SubmissionFactory(title="Netflix", document=document), "netflix")


def test_very_long_words_and_texts_can_be_stored():
    row = SubmissionFactory(title="a" * 300, notes="b" * 5000 + " netflix " + "word " * 30_000)

    assert has(row, "netflix")


def test_rows_that_are_copied_have_words_and_those_that_are_deleted_leave_none():
    make_dataset(30, seed=1)
    assert SearchEntry.objects.count() == Submission.objects.count() == 30

    clear()

    assert SearchEntry.objects.count() == 0


def test_a_change_of_other_columns_leaves_the_words_alone():
    row = SubmissionFactory()
    before = _version(row)

    Submission.objects.filter(pk=row.pk).update(retraction_reason="Wrong disk.")
    assert _version(row) == before

    Submission.objects.filter(pk=row.pk).update(notes="Right disk.")
    assert _version(row) != before


def test_rows_written_without_triggers_are_filled_in():
    row = SubmissionFactory(title="Netflix")
    SearchEntry.objects.all().delete()

    fill_search()
    fill_search()

    assert has(row, "netflix")


def test_ranges_of_rows_without_words_leave_out_no_row_however_far_apart_their_ids_are(monkeypatch):
    rows = [SubmissionFactory(title="Netflix", pk=number) for number in (3, 4, 5, 900_000_000_000, 900_000_000_001)]
    SearchEntry.objects.exclude(submission=4).delete()
    monkeypatch.setattr(search_entry, "ROWS_AT_ONCE", 2)

    fill_search()

    assert [row.pk for row in rows if has(row, "netflix")] == [3, 4, 5, 900_000_000_000, 900_000_000_001]


def _version(row):
    with connection.cursor() as cursor:
        cursor.execute("SELECT ctid FROM submissions_searchentry WHERE submission_id = %s", [row.pk])
        return cursor.fetchone()
