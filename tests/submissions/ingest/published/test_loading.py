"""Loading the published results: once, again, and after their transcription was corrected."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from benchsite.http.refusals import Refusal
from submissions.choices import Trust
from submissions.ingest.published import FOLDER, REPLACED, documents, load_published, merge_patch
from submissions.models import NodeGroup, Submission, Trial
from tests.factories import SubmissionFactory


def test_they_are_numbered_in_the_order_of_the_files_and_loaded_twice_there_are_the_same_rows(price_book):
    load_published()
    rows = [list(model.objects.order_by("pk").values()) for model in (Submission, Trial, NodeGroup)]
    assert [row["title"] for row in rows[0]] == [content["title"] for _, content in documents()]

    again = load_published()

    assert (again.created, again.there_before, again.replaced) == (0, 76, 0)
    assert [list(model.objects.order_by("pk").values()) for model in (Submission, Trial, NodeGroup)] == rows


@pytest.fixture
def folder(tmp_path):
    """Two submissions in a folder of their own; returns a function that writes them."""
    body = {
        "service": {"name": "cassandra"},
        "source": "somebody, 2011",
        "provider": "aws",
        "nodes": [{"role": "database", "count": 3, "instance_type": "m1.xlarge"}],
        "workload": {"tool": "cassandra-stress", "operations": {"write": 1.0}},
    }

    def write(**rates):
        patches = {name: {"title": name, "trials": [{"throughput_ops_s": rate}]} for name, rate in rates.items()}
        (tmp_path / "one.json").write_text(json.dumps({"common": body, "submissions": patches}))
        return tmp_path

    return write


def test_a_corrected_document_replaces_the_one_loaded_before(db, folder):
    load_published(folder(first=100.0, second=200.0))

    loaded = load_published(folder(first=100.0, second=250.0))

    assert (loaded.created, loaded.there_before, loaded.replaced) == (1, 1, 1)
    assert list(Submission.objects.published().order_by("id").values_list("title", "throughput_ops_s")) == [
        ("first", 100.0),
        ("second", 250.0),
    ]
    retracted = Submission.objects.exclude(retracted_at=None).get()
    assert (retracted.throughput_ops_s, retracted.retraction_reason) == (200.0, REPLACED)


def test_a_document_that_comes_back_is_no_longer_retracted(db, folder):
    load_published(folder(first=100.0))
    load_published(folder(first=150.0))

    loaded = load_published(folder(first=100.0))

    assert (loaded.created, loaded.there_before, loaded.replaced) == (0, 1, 1)
    assert Submission.objects.published().get().throughput_ops_s == 100.0


def test_what_was_retracted_for_another_reason_stays_retracted(db, folder):
    load_published(folder(first=100.0))
    Submission.objects.update(retracted_at=datetime(2026, 1, 1, tzinfo=UTC), retraction_reason="withdrawn")

    load_published(folder(first=100.0))

    assert Submission.objects.get().retraction_reason == "withdrawn"


def test_what_others_have_submitted_is_not_touched(db, folder):
    theirs = SubmissionFactory(trust=Trust.HISTORICAL)

    load_published(folder(first=100.0))

    theirs.refresh_from_db()
    assert theirs.retracted_at is None


def test_a_document_with_a_fault_is_refused_by_name_and_nothing_is_stored(db, folder):
    with pytest.raises(Refusal, match=r"second#/trials/0/throughput_ops_s: must be greater than 0"):
        load_published(folder(first=100.0, second=0))

    assert Submission.objects.count() == 0


def test_without_prices_the_command_says_to_load_them_first(db):
    with pytest.raises(CommandError, match="load_prices"):
        call_command("load_published")


def test_the_command_reports_its_counts(price_book, capsys):
    call_command("load_published")

    assert capsys.readouterr().out == ("published results: 76 new, 0 there before, 0 replaced; 3 have no known price\n")


def test_a_patch_merges_objects_replaces_lists_and_null_removes():
    common = {"a": {"b": 1, "c": 2}, "d": [1, 2], "e": 3}

    assert merge_patch(common, {"a": {"c": None, "f": 4}, "d": [5]}) == {"a": {"b": 1, "f": 4}, "d": [5], "e": 3}
    assert common == {"a": {"b": 1, "c": 2}, "d": [1, 2], "e": 3}


def test_every_file_is_read_and_every_name_is_unique():
    names = [name for name, _ in documents()]

    assert len(names) == len(set(names)) == 76
    assert len(list(FOLDER.glob("*.json"))) == 6


def test_articles_name_no_licence_of_their_figures_and_rows_of_earlier_versions_say_so_too(db, folder):
    load_published(folder(first=100.0))
    Submission.objects.update(license="")  # as an earlier version loaded it

    load_published(folder(first=100.0, second=200.0))

    assert set(Submission.objects.values_list("license", flat=True)) == {"not stated by the source"}
