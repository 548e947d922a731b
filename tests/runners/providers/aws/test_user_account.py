"""Runs in a user's own account: the role is taken with the owner's id, and the sweep looks there too."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from moto.sts.models import sts_backends

from tests.lab.ec2 import Answer
from tests.lab.ec2_account import ACCOUNT
from tests.runners.providers.contract import order_for

pytestmark = pytest.mark.django_db
ROLE = "arn:aws:iam::123456789012:role/benchsite"


@pytest.fixture
def signers(ec2_api, monkeypatch):
    """The access keys that EC2 calls were signed with."""
    seen = set()
    answer = ec2_api.ec2

    def noting(environ, body, region):
        seen.add(environ["HTTP_AUTHORIZATION"].partition("Credential=")[2].partition("/")[0])
        return answer(environ, body, region)

    monkeypatch.setattr(ec2_api, "ec2", noting)
    return seen


@pytest.fixture
def make_run(settings, ec2_api):
    """A function: an open run of a new user, in the user's own account or in the site's."""
    from runners.accounts import cloud_accounts
    from runners.models import Run
    from runners.providers import aws
    from tests.factories import UserFactory
    from tests.runners.fake_runs import PLAN

    settings.RUN_PROVIDERS = ["aws"]
    settings.SITE_ID = "site-a"
    settings.RUN_VPC_ID = "vpc-of-the-site"
    aws.in_role.cache_clear()

    def make(tag, *, own=True):
        owner = UserFactory()
        access = cloud_accounts.add(owner, "aws", ROLE) if own else None
        return Run.objects.create(
            owner=owner,
            provider="aws",
            cloud_access=access,
            plan={**PLAN, "provider": "aws"},
            max_usd=Decimal(1),
            tag=tag,
            status="launching",
            confirmed_at=timezone.now(),
        )

    yield make
    aws.in_role.cache_clear()


def test_the_role_is_taken_once_with_the_owners_id_and_signs_every_call(ec2_cloud, make_run, signers):
    from runners.accounts.cloud_accounts import external_id_of
    from runners.models import Run
    from runners.providers.registry import provider_for

    run = make_run("run-1")
    provider_for("aws", run).launch(order_for(ec2_cloud))
    again = Run.objects.get(pk=run.pk)
    listed = provider_for("aws", again).machines("run-1", ec2_cloud.region)

    (taken,) = sts_backends[ACCOUNT]["aws"].assumed_roles
    assert taken.external_id == external_id_of(run.owner)
    assert taken.arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/benchsite/benchsite"
    assert signers == {taken.access_key_id}
    assert ec2_cloud.api.calls["sts:AssumeRole"] == 1
    assert len(listed) == len(order_for(ec2_cloud).nodes)


def test_a_run_without_an_account_of_its_own_is_the_sites(ec2_cloud, make_run, signers):
    from runners.providers.registry import provider_for

    provider_for("aws", make_run("run-1", own=False)).machines("run-1", ec2_cloud.region)

    assert signers == {"AKIATESTONLY"}
    assert ec2_cloud.api.calls["sts:AssumeRole"] == 0


def test_two_users_take_two_roles_with_ids_of_their_own(ec2_cloud, make_run):
    from runners.accounts.cloud_accounts import external_id_of
    from runners.providers.registry import provider_for

    runs = [make_run("run-1"), make_run("run-2")]
    for run in runs:
        provider_for("aws", run).machines(run.tag, ec2_cloud.region)

    taken = {role.external_id for role in sts_backends[ACCOUNT]["aws"].assumed_roles}
    assert taken == {external_id_of(run.owner) for run in runs}


@pytest.fixture
def only_for_the_role(ec2_api, monkeypatch):
    """An EC2 that shows the user's machines to the role alone: to the site's own keys the account is another one."""
    answer = ec2_api.ec2

    def by_signer(environ, body, region):
        if "Credential=AKIATESTONLY/" in environ["HTTP_AUTHORIZATION"]:
            body = body.replace(b"site-a", b"another-account")
        return answer(environ, body, region)

    monkeypatch.setattr(ec2_api, "ec2", by_signer)


def test_the_sweep_clears_a_leftover_in_a_users_account(ec2_cloud, make_run, only_for_the_role, few_regions):
    from runners.models import Run
    from runners.providers.registry import provider_for
    from runners.sweep import sweep

    run = make_run("run-1")
    provider_for("aws", run).launch(order_for(ec2_cloud, databases=1, clients=0))
    ec2_cloud.settle()
    Run.objects.filter(pk=run.pk).update(
        status="failed", end_reason="internal_error", ended_at=timezone.now() - timedelta(minutes=6)
    )

    sites, users = sweep()
    ec2_cloud.settle()
    sweep()
    after = sweep()

    assert (sites.provider, sites.found, sites.error) == ("aws", 0, "")
    assert (users.provider, users.found, users.error) == (f"aws as {ROLE}", 4, "")
    assert users.removed + users.remaining == ("run-1",)
    assert [(one.found, one.error) for one in after] == [(0, ""), (0, "")]
    assert ec2_cloud.api.alive == []


def test_a_role_that_lets_us_in_no_more_does_not_keep_the_others_from_being_swept(
    ec2_cloud, make_run, monkeypatch, few_regions
):
    from runners.sweep import sweep

    make_run("run-1")
    ec2_cloud.provider().launch(order_for(ec2_cloud, databases=1, clients=0))
    error = b"<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not authorized</Message></Error>"
    refusal = Answer(403, b"<ErrorResponse>" + error + b"</ErrorResponse>")
    answer = ec2_cloud.api.other
    monkeypatch.setattr(
        ec2_cloud.api, "other", lambda service, *call: refusal if service == "sts" else answer(service, *call)
    )

    sites, users = sweep()

    assert (sites.found, sites.error) == (4, "")
    assert (users.found, users.error) == (0, "AssumeRole: AccessDenied: not authorized")
