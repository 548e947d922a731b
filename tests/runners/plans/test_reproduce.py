"""A plan from a submission: the same again, or on another cloud with equivalent types that are called so."""

from decimal import Decimal

import pytest
from django.urls import reverse

from runners.plans.reproduce import plan_like
from submissions.models import InstanceType

pytestmark = pytest.mark.django_db


@pytest.fixture
def published(settings):
    """3 nodes of m3.2xlarge and a client on AWS; both clouds have types."""
    from submissions.ingest.pipeline import prepare_document
    from submissions.ingest.store.store import store
    from tests.documents import document

    settings.RUN_PROVIDERS = ["local", "aws", "gce"]
    settings.MAX_RUN_USD = Decimal(50)
    for provider, name, vcpus, memory_gib in (
        ("aws", "m3.2xlarge", 8, 30),
        ("aws", "c3.4xlarge", 16, 30),
        ("gce", "n1-standard-8", 8, 30),
        ("gce", "n1-highcpu-16", 16, 14.4),
        ("gce", "n1-standard-16", 16, 60),
    ):
        InstanceType.objects.create(provider=provider, name=name, vcpus=vcpus, memory_gib=memory_gib)
    return store(prepare_document(document()), submitted_by=None).submission


def test_the_same_on_another_cloud_has_equivalent_types_a_region_and_a_budget(published):
    plan, note = plan_like(published, provider="other")

    assert (plan["provider"], plan["region"], plan["max_usd"]) == ("gce", "us-central1", "50")
    assert plan["database"]["instance_type"] == "n1-standard-8"
    assert plan["database"]["count"] == 3
    assert len(plan["zones"]) == len(published.document.get("zones") or [])
    assert "Moved from AWS to Google Cloud us-central1" in note
    assert "Closest database type: n1-standard-8 instead of m3.2xlarge" in note


def test_a_site_with_one_cloud_says_so_and_keeps_the_plan(published, settings):
    settings.RUN_PROVIDERS = ["local", "aws"]

    plan, note = plan_like(published, provider="other")

    assert plan["provider"] == "aws"
    assert "This site offers no other cloud." in note


def test_a_provider_that_is_not_offered_changes_nothing(published):
    assert plan_like(published, provider="azure")[0]["provider"] == "aws"
    assert plan_like(published, provider="local")[0]["provider"] == "aws"


def test_a_type_without_an_equivalent_is_left_to_the_user(published):
    InstanceType.objects.filter(provider="gce").delete()

    plan, note = plan_like(published, provider="gce")

    assert plan["database"]["instance_type"] == ""
    assert "No instance type of Google Cloud equivalent to m3.2xlarge is known: choose one." in note


def test_every_result_has_the_link_and_the_form_names_the_clouds(client, published):
    page = client.get(published.get_absolute_url()).content.decode()
    form = client.get(reverse("runners:new"), {"like": published.pk}).content.decode()

    assert f'/runs/new/?like={published.pk}&amp;provider=other#plan">The same on another cloud</a>' in page
    assert f'/runs/new/?like={published.pk}&amp;provider=gce#plan">Google Cloud</a>' in form


def test_a_limit_on_threads_is_named_since_a_run_has_none(published):
    published.throttle_ops_s = 7000.0

    assert (
        "Its threads were limited to 7,000 ops/s: a run limits its load only by a fixed rate."
        in plan_like(published)[1]
    )
