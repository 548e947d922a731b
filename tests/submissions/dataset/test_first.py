"""The first dump of a new site: when its first results are there, once, and not while they are being loaded."""

import pytest
from django.core.cache import cache
from django.utils import timezone

from submissions.dataset.first import write_first
from submissions.dataset.write import write
from submissions.models import Dataset
from submissions.packs import slices
from submissions.tasks import dump_first_data
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def test_a_site_without_results_has_no_dump():
    SubmissionFactory(visibility="private", published_at=None)

    assert write_first(timezone.now()) is None
    assert not Dataset.objects.exists()


def test_the_first_results_are_dumped_once():
    SubmissionFactory()

    dump_first_data()
    SubmissionFactory()
    dump_first_data()

    [dump] = Dataset.objects.all()
    assert next(file["rows"] for file in dump.files if file["name"] == "submissions.parquet") == 1


def test_a_site_with_a_dump_makes_no_first_one():
    SubmissionFactory()
    dump = write(timezone.now())

    assert write_first(timezone.now()) is None
    assert list(Dataset.objects.all()) == [dump]


def test_it_waits_for_the_packs_that_come_with_the_site(settings):
    SubmissionFactory()
    settings.PACKS = ["public_runs"]
    assert slices.unfinished() is not None

    assert write_first(timezone.now()) is None


def test_one_worker_writes_it():
    SubmissionFactory()
    cache.add("first-dump-taken", True, 60)

    assert write_first(timezone.now()) is None
    assert not Dataset.objects.exists()
