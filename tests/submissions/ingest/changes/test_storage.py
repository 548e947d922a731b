"""Results that were stored before the catalogue knew their machines."""

import pytest

from submissions.choices import Flag
from submissions.ingest.changes.storage import mark_without_storage
from submissions.models import Submission
from tests.factories import NodeGroupFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


def stored(instance_type, *, disks=(), service="cassandra", is_price_stated=False, flags=()):
    submission = SubmissionFactory(workload__service=service, workload__fingerprint=service, flags=list(flags))
    submission.node_groups.all().delete()
    NodeGroupFactory(
        submission=submission, instance_type=instance_type, disks=list(disks), is_price_stated=is_price_stated
    )
    return submission


def flags_of(submission):
    return Submission.objects.values_list("flags", flat=True).get(pk=submission.pk)


def test_those_whose_storage_nobody_stated_are_marked_once():
    bare = stored("m5.2xlarge", flags=[Flag.SHORT])
    others = [
        stored("m5.2xlarge", disks=[{"kind": "gp3", "size_gib": 100}]),
        stored("m5d.2xlarge"),
        stored("m5.2xlarge", service="redis"),
        stored("m5.2xlarge", is_price_stated=True),
        stored("m99.large"),
    ]

    assert mark_without_storage() == 1
    assert flags_of(bare) == [Flag.SHORT, Flag.WITHOUT_STORAGE]
    assert not any(Flag.WITHOUT_STORAGE in flags_of(other) for other in others)
    assert mark_without_storage() == 0
