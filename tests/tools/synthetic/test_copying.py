"""Invented submissions in the database: what COPY writes is what the pipeline would store."""

import pytest

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import NodeGroup, Submission, Trial, Workload
from submissions.pricing.book.quotes import PriceBook
from tests.factories import SubmissionFactory
from tools.synthetic import rows
from tools.synthetic.copying import Made, clear, make_dataset, synthetic
from tools.synthetic.documents import document
from tools.synthetic.rows import TRUST

KEYS = ("id", "submission_id", "workload_id", "created_at", "published_at")


def values(model, **conditions):
    """The rows without the keys and the time, which are the database's."""
    found = model.objects.filter(**conditions).order_by("pk").values()
    return [{name: value for name, value in row.items() if name not in KEYS} for row in found]


def everything():
    return {model.__name__: values(model) for model in (Workload, Submission, Trial, NodeGroup)}


def test_copied_rows_are_those_that_the_pipeline_stores(db):
    """60 documents: with and without prices, flags, latencies, zones, JDKs, several groups."""
    make_dataset(60, seed=2)
    copied = everything()
    clear()

    for index in range(60):
        store(prepare_document(document(index, seed=2), trust=TRUST, book=PriceBook()), submitted_by=None)

    assert everything() == {**copied, "Workload": everything()["Workload"]}
    assert sorted(everything()["Workload"], key=fingerprint) == sorted(copied["Workload"], key=fingerprint)


def fingerprint(workload):
    return workload["fingerprint"]


def test_trials_and_groups_belong_to_their_own_submission(db):
    make_dataset(40, seed=2)

    for submission in Submission.objects.all():
        trials = submission.document["trials"]
        assert [trial.throughput_ops_s for trial in submission.trials.all()] == [
            trial["throughput_ops_s"] for trial in trials
        ]
        assert [group.instance_type for group in submission.node_groups.all()] == [
            group["instance_type"] for group in submission.document["nodes"]
        ]
        assert submission.workload.canonical["key_count"] == submission.document["workload"]["key_count"]


def test_the_same_seed_makes_the_same_rows(db):
    make_dataset(50, seed=5)
    first = everything()
    clear()

    make_dataset(50, seed=5)

    assert everything() == first


def test_a_larger_dataset_begins_with_the_smaller_one(db):
    make_dataset(20, seed=5)
    small = values(Submission)

    made = make_dataset(50, seed=5)

    assert made == Made(created=30, there_before=20)
    assert values(Submission)[:20] == small
    assert Submission.objects.count() == 50


def test_ids_go_on_where_the_copy_ended(db):
    make_dataset(20, seed=5)
    last = Submission.objects.order_by("-pk").values_list("pk", flat=True)[0]

    stored = store(prepare_document(document(20, seed=5), trust=TRUST, book=PriceBook()), submitted_by=None)

    assert stored.submission.pk > last


def test_in_several_processes_the_rows_are_the_same(monkeypatch):
    monkeypatch.setattr(rows, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(rows, "CHUNK", 15)

    in_two = [one for chunk in rows.make(40, seed=5, processes=2) for one in chunk]

    assert in_two == [one for chunk in rows.make(40, seed=5, processes=1) for one in chunk]
    assert len(in_two) == 40


def test_nothing_is_left_of_a_dataset_that_was_interrupted(transactional_db, monkeypatch):
    chunks = rows.make(20, seed=5, processes=1)

    def interrupted(*args, **kwargs):
        yield next(chunks)
        raise KeyboardInterrupt

    monkeypatch.setattr("tools.synthetic.copying.make", interrupted)

    with pytest.raises(KeyboardInterrupt):
        make_dataset(20, seed=5)

    assert (Submission.objects.count(), Workload.objects.count()) == (0, 0)


def test_clear_takes_away_what_was_invented_and_nothing_else(db):
    theirs = SubmissionFactory(trials_count=2)
    copy_of_one = store(prepare_document(document(3, seed=5)), submitted_by=theirs.submitted_by).submission
    make_dataset(30, seed=6)

    assert clear() == 30

    assert set(Submission.objects.values_list("pk", flat=True)) == {theirs.pk, copy_of_one.pk}
    assert set(Workload.objects.values_list("pk", flat=True)) == {theirs.workload_id, copy_of_one.workload_id}
    assert set(Trial.objects.values_list("submission", flat=True)) == {theirs.pk, copy_of_one.pk}


def test_invented_submissions_are_uploads_of_nobody(db):
    make_dataset(10, seed=5)

    assert synthetic().count() == 10
    assert set(Submission.objects.values_list("trust", "submitted_by", "source")) == {
        ("log_verified", None, "make_dataset")
    }
