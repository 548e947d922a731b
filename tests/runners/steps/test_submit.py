"""The trust of a run's result: it depends on whose machines they are, not on who started the run."""

from dataclasses import replace

import pytest

from runners.models import CloudAccess, Run
from runners.providers import fake
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_machines_of_the_site_are_trusted_whoever_started_the_run(make_run, drive):
    assert drive(make_run(owner=UserFactory())).submission.trust == "run_by_us"


def test_machines_in_the_owners_own_cloud_account_are_the_owners(make_run, drive):
    run = make_run()
    access = CloudAccess.objects.create(owner=run.owner, provider="fake", principal="role", external_id="x")
    Run.objects.filter(pk=run.pk).update(cloud_access=access)

    assert drive(run).submission.trust == "run_by_owner"


def test_a_run_that_is_not_kept_apart_from_the_site_is_that_of_its_user(make_run, drive, monkeypatch):
    monkeypatch.setattr(fake.FakeProvider, "abilities", replace(fake.FakeProvider.abilities, is_kept_apart=False))

    assert drive(make_run()).submission.trust == "run_by_owner"
