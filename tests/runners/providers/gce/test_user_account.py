"""Runs in a user's own project: the service account is impersonated, and the machines stand in its project."""

import pytest

from runners.providers.gce import session
from runners.providers.gce.traits import Site

pytestmark = pytest.mark.django_db


@pytest.fixture
def offers_gce(settings):
    settings.RUN_PROVIDERS = ["gce"]
    settings.SITE_ID, settings.GCE_PROJECT = "site-a", "the-sites-project"
    settings.GCE_NETWORK, settings.GCE_SUBNETWORK = "of-the-site", "of-the-site-too"
    settings.GCE_IMPERSONATE = "robot@the-sites-project.iam.gserviceaccount.com"


@pytest.fixture
def access(offers_gce):
    from runners.accounts import cloud_accounts
    from tests.factories import UserFactory

    jane = UserFactory()
    name = f"benchsite-{cloud_accounts.external_id_of(jane)}"
    return cloud_accounts.add(jane, "gce", f"{name}@janes-project.iam.gserviceaccount.com")


@pytest.fixture
def run(access):
    from runners.models import Run
    from tests.runners.fake_runs import PLAN

    plan = {**PLAN, "provider": "gce"}
    return Run.objects.create(owner=access.owner, provider="gce", plan=plan, max_usd=1, tag="x", cloud_access=access)


def test_the_service_account_acts_in_its_own_project_and_default_network(run, access, settings):
    from runners.providers.registry import provider_for, provider_in

    settings.GCE_ENDPOINT = None
    expected = Site("site-a", "janes-project", impersonate=access.principal)

    assert provider_for("gce", run).site == expected
    assert provider_in(access).site == expected


def test_without_an_account_of_its_own_a_run_is_the_sites(run, settings):
    from runners.providers.registry import provider_for

    run.cloud_access = None

    assert provider_for("gce", run).site.project == "the-sites-project"
    assert provider_for("gce", run).site.impersonate == settings.GCE_IMPERSONATE


def test_the_sweep_asks_for_the_users_project(run, access, cloud, settings):
    from django.utils import timezone

    from runners.models import Run
    from runners.sweep import sweep

    settings.GCE_ENDPOINT = cloud.api.endpoint
    Run.objects.update(status="launching", confirmed_at=timezone.now())

    names = [one.provider for one in sweep()]

    assert names == ["gce", f"gce as {access.principal}"]
    assert session.clients(access.principal, settings.GCE_ENDPOINT) is not session.clients(None, settings.GCE_ENDPOINT)
