"""What is queued: each change that may change a figure, and no other."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.choices import Flag, Trust, Visibility
from submissions.models import QueuedChange, Submission
from submissions.models.versions.data_version import OTHER_COLUMNS
from submissions.questions.aggregates import KINDS
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.submissions.aggregates.rows import LATER

pytestmark = pytest.mark.django_db

SHOWN_COLUMNS = [field.name for field in Submission._meta.concrete_fields if field.name not in OTHER_COLUMNS]
OF_TYPES = {
    "DateTimeField": LATER,
    "DateField": LATER.date(),
    "BooleanField": True,
    "JSONField": {},
    "ArrayField": ["eu-west-1a"],
}


@pytest.mark.parametrize("name", SHOWN_COLUMNS)
def test_a_change_of_each_shown_column_is_queued(name):
    row, other = SubmissionFactory(), SubmissionFactory(workload=WorkloadFactory(title="another"))
    QueuedChange.objects.all().delete()
    kind = Submission._meta.get_field(name).get_internal_type()
    values = {
        "workload": other.workload_id, "supersedes": other.pk, "submitted_by": None, "flags": [Flag.ERRORS],
        "trust": Trust.UPLOADED, "visibility": Visibility.PRIVATE, "latency_kind": "unknown",
        "network_kind": "virtual", "network_encryption": "node", "load_mode": "fixed", "pricing_model": "spot",
        "client_placement": "on_database", "architecture": "arm64",
    }  # fmt: skip
    value = values.get(name, OF_TYPES.get(kind, "7" if kind in ("CharField", "TextField", "URLField") else 7))

    Submission.objects.filter(pk=row.pk).update(**{name: value})

    assert (row.pk, False) in QueuedChange.objects.values_list("submission_id", "is_new")


def test_a_change_of_what_no_page_shows_is_not_queued():
    row = SubmissionFactory()
    QueuedChange.objects.all().delete()
    changes = {"content_hash": "f" * 64, "own_trust": Trust.UPLOADED, "changed_at": LATER}
    assert changes.keys() | {"id", "configuration"} == OTHER_COLUMNS.keys()

    Submission.objects.filter(pk=row.pk).update(**changes)

    assert not QueuedChange.objects.exists()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_change_of_every_column_that_a_kind_reads_is_queued(kind):
    SubmissionFactory(trials_count=3)
    submissions = Submission.objects.all()
    with CaptureQueriesContext(connection) as captured:
        list(kind.rows(submissions) or ())
        kind.finish({}, list(submissions.values_list("pk", flat=True)))

    sql = " ".join(query["sql"] for query in captured)
    read = set(re.findall(r'"submissions_submission"\."(\w+)"', sql))
    assert len(read) > 3

    # `configuration` is computed by the database from columns that are shown
    assert read - {"id", "configuration"} <= {Submission._meta.get_field(name).column for name in SHOWN_COLUMNS}
