"""Multiplied rows: as true to each other as real ones."""

import json

import pytest
from django.db import connection
from django.db.models import Count

from bench.rows import bare
from bench.rows.multiply import make_base, multiply, planned, there
from bench.rows.shares import Shares
from submissions.ingest.document.fingerprint import fingerprint
from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import NodeGroup, Submission, Trial, Workload
from tests.factories import SubmissionFactory

ROWS, BASE = 400, 60

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    make_base(ROWS, seed=1, base=BASE)
    multiply(planned(ROWS, Shares(10), base=BASE))
    return Submission.objects.order_by("pk")


def copies(rows):
    return rows.exclude(submitted_by=None)


def test_there_are_as_many_rows_as_wanted_and_a_second_call_adds_the_rest(rows):
    assert there() == rows.count() == ROWS

    multiply(planned(ROWS + 50, base=BASE))

    assert there() == ROWS + 50
    assert Submission.objects.values("content_hash").distinct().count() == ROWS + 50


def test_what_was_uploaded_is_not_counted_among_them(rows):
    SubmissionFactory(source="make_dataset")

    assert there() == ROWS


def test_the_next_upload_has_the_next_id(rows):
    last = rows.last().pk

    assert SubmissionFactory().pk == last + 1


def test_each_copy_is_of_the_workload_that_its_document_says(rows):
    for row in copies(rows).select_related("workload"):
        document = SubmissionDocument.model_validate_json(json.dumps(row.document))

        assert fingerprint(document) == row.workload.fingerprint


def test_the_figures_of_a_copy_fit_each_other(rows):
    for row in copies(rows).prefetch_related("trials"):
        trials = list(row.trials.all())

        assert len(trials) == row.trials_count == len(row.document["trials"])
        assert sum(trial.throughput_ops_s for trial in trials) / len(trials) == pytest.approx(row.throughput_ops_s)
        assert trials[0].throughput_ops_s == pytest.approx(row.document["trials"][0]["throughput_ops_s"])
        assert row.throughput_low_ops_s is None or row.throughput_low_ops_s < row.throughput_ops_s
        if row.ops_per_usd is not None:
            assert float(row.ops_per_usd * row.hourly_usd) == pytest.approx(row.throughput_ops_s * 3600, rel=1e-4)
        assert row.document["measured_at"][:19] == row.measured_at.isoformat()[:19]
        assert row.document["region"] == row.region


def test_every_copy_has_the_machines_of_its_real_row(rows):
    without = rows.annotate(groups=Count("node_groups")).filter(groups=0)

    assert not without.exists()
    assert Trial.objects.count() == sum(rows.values_list("trials_count", flat=True))
    assert NodeGroup.objects.filter(submission__in=copies(rows)).exists()


def test_some_runs_are_of_one_configuration_and_workloads_are_unequal_in_size(rows):
    runs = copies(rows).values("workload", "configuration").annotate(runs=Count("pk")).order_by("-runs")
    sizes = [size for (size,) in Workload.objects.annotate(n=Count("submissions")).order_by("-n").values_list("n")]

    assert runs[0]["runs"] >= 3
    assert sizes[0] > 5 * sizes[len(sizes) // 2]
    assert len(sizes) > Submission.objects.filter(submitted_by=None).values("workload").distinct().count()


def test_some_are_retracted_hidden_not_public_superseded_or_on_no_board(rows):
    of = copies(rows)

    assert of.exclude(retracted_at=None).exists()
    assert of.filter(visibility="unlisted", published_at=None).exclude(link_key=None).exists()
    assert of.filter(visibility="private").exists()
    assert of.exclude(supersedes=None).exists()
    assert of.filter(flags__contains=["throttled"], ops_per_usd=None).exists()
    assert set(of.values_list("trust", flat=True)) >= {"uploaded", "historical", "log_verified"}
    assert of.published().count() < of.count()


@pytest.mark.django_db(transaction=True)
def test_indexes_come_back_as_they_were():
    from django.conf import settings

    with connection.cursor() as cursor:
        address = settings.DATABASES["default"]
        url = f"{settings.DATABASE_URL.rsplit('/', 1)[0]}/{address['NAME']}"
        before = _indexes(cursor)
        indexes = bare.drop_indexes(url, ["submissions_submission"])
        assert len(_indexes(cursor)) < len(before)
        bare.make_indexes(url, indexes)

        assert _indexes(cursor) == before


def _indexes(cursor):
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'submissions_submission'"
        " UNION SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = 'submissions_submission'::regclass ORDER BY 1, 2"
    )
    return cursor.fetchall()
