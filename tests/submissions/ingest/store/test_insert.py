"""Rows of new submissions are the same, whether one statement or COPY writes them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.choices import ArtifactKind, Visibility
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.insert import FEWEST_COPIED, NewRows, insert
from submissions.ingest.store.store import store, store_all
from submissions.models import Artifact, NodeGroup, Submission, Trial
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db

RICH = {
    "notes": "tab\t, line\n, \\ and \\N, \"quoted\", 'single', é, 日本, 🚀",
    "settings": {"b": [1, 2.5, None, True], "a": {"deep\\n": "x\ty"}, "price": 1e-7},
    "zones": ["us-east-1a", "us-east-1b"],
    "nodes/0/hourly_usd": "0.12345678",
    "trials": [
        {"throughput_ops_s": rate, "started_at": "2015-09-01T12:00:00.123456Z", "latency_ms": {"p50": 0.1, "p99": 4}}
        for rate in (90.5, 100, 1e9)
    ],
    "bill": {"items": [{"label": "nodes", "quantity": 1.5, "unit": "hour", "unit_usd": "0.1"}]},
}
# what differs between two submissions
OWN = (
    "id",
    "submission_id",
    "content_hash",
    "created_at",
    "published_at",
    "link_key",
    "configuration",
    "unranked_until",
)


def columns(table, submission):
    key = "id" if table is Submission else "submission"
    rows = table.objects.filter(**{key: submission.pk}).order_by("pk").values()
    return [
        {name: value for name, value in row.items() if name not in OWN}
        | (
            {"document": row["document"] | {"settings": row["document"]["settings"] | {"n": 0}}}
            if "document" in row
            else {}
        )
        for row in rows
    ]


def prepared(number, **changes):
    return prepare_document(document({**RICH, **changes, "settings": {**RICH["settings"], "n": number}}))


@pytest.mark.parametrize("visibility", Visibility)
def test_copied_rows_are_those_of_one_statement(visibility):
    user = UserFactory()
    single = store(prepared(1, visibility=visibility.value), submitted_by=user).submission

    many = store_all([prepared(n, visibility=visibility.value) for n in range(2, 2 + FEWEST_COPIED)], submitted_by=user)

    for each in (many[0].submission, many[-1].submission):
        for table in (Submission, Trial, NodeGroup):
            assert columns(table, each) == columns(table, single)
    ids = [each.submission.pk for each in many]
    assert ids == sorted(ids)


@pytest.mark.parametrize("number", [1, FEWEST_COPIED])
def test_every_row_has_its_key_and_its_parts(number):
    stored = store_all([prepared(n) for n in range(number)], submitted_by=None)

    for each in stored:
        assert {part.submission_id for parts in each.rows.as_read()[1:] for part in parts} == {each.submission.pk}
        assert each.submission.trials.count() == 3
        assert each.submission.node_groups.count() == 2


@pytest.mark.parametrize("number", [1, FEWEST_COPIED])
def test_files_get_their_ids_in_their_order(number):
    model = SubmissionFactory()

    def rows(n):
        columns = {f.attname: getattr(model, f.attname) for f in Submission._meta.concrete_fields if not f.generated}
        files = [
            Artifact(kind=ArtifactKind.LOAD_LOG, name=f"{n}-{k}.log", sha256="a" * 64, size_bytes=k) for k in (3, 1, 2)
        ]
        return NewRows(Submission(**{**columns, "id": None, "content_hash": f"{n:064x}"}), [], [], files)

    batch = [rows(n) for n in range(number)]
    insert(batch)

    for new in batch:
        there = Artifact.objects.in_bulk([file.pk for file in new.artifacts])
        assert [there[file.pk].name for file in new.artifacts] == [file.name for file in new.artifacts]
        assert {file.submission_id for file in there.values()} == {new.submission.pk}
        assert there[new.artifacts[0].pk].created_at == new.artifacts[0].created_at


def test_one_submission_is_one_round_trip():
    with CaptureQueriesContext(connection) as queries:
        store(prepared(1), submitted_by=None)

    assert sum('INSERT INTO "submissions_submission"' in query["sql"] for query in queries) == 1
    assert not [query["sql"] for query in queries if query["sql"].startswith('INSERT INTO "submissions_trial')]
