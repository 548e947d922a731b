"""A user's own cloud accounts: whose they are, which runs go there, and when they can be given up."""

import json
import re
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from benchsite.http.refusals import Refusal
from runners import creation, lifecycle
from runners.accounts import cloud_accounts
from runners.accounts.cloud_accounts import NotUsable
from runners.choices import EndReason
from runners.models import CloudAccess, Run
from runners.providers.aws.traits import permissions_policy, trust_policy
from tests.factories import UserFactory
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db
ROLE = "arn:aws:iam::123456789012:role/benchsite"
DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def clouds(settings):
    settings.RUN_PROVIDERS = ["aws", "gce"]
    settings.RUNS_NEED_PERMISSION = False


@pytest.fixture
def access_on_fake(make_run, settings):
    """An account on the fake cloud, which no user could add: the rest of a run's way needs no real one."""
    owner = UserFactory()
    return CloudAccess.objects.create(owner=owner, provider="fake", principal="me", external_id="x")


def service_account(user, project="janes-project"):
    return f"benchsite-{cloud_accounts.external_id_of(user)}@{project}.iam.gserviceaccount.com"


def text(response):
    return " ".join(response.content.decode().split())


def test_an_id_is_the_users_own_and_stays(clouds):
    jane, john = UserFactory(), UserFactory()

    assert cloud_accounts.external_id_of(jane) == cloud_accounts.external_id_of(jane)
    assert cloud_accounts.external_id_of(jane) != cloud_accounts.external_id_of(john)
    assert re.fullmatch(r"[0-9a-f]{20}", cloud_accounts.external_id_of(jane))


def test_a_role_is_kept_with_the_users_id(clouds):
    jane = UserFactory()

    made = cloud_accounts.add(jane, "aws", ROLE)

    assert (made.owner, made.provider, made.principal) == (jane, "aws", ROLE)
    assert made.external_id == cloud_accounts.external_id_of(jane)
    assert cloud_accounts.account_of(jane, "aws") == made
    assert cloud_accounts.account_of(jane, "gce") is None
    assert cloud_accounts.account_of(UserFactory(), "aws") is None


def test_a_service_account_must_have_the_users_id_in_its_name(clouds):
    jane, john = UserFactory(), UserFactory()

    with pytest.raises(NotUsable, match="the name shows that it is yours"):
        cloud_accounts.add(john, "gce", service_account(jane))
    made = cloud_accounts.add(jane, "gce", service_account(jane))

    assert made.principal == service_account(jane)
    assert len(made.principal.partition("@")[0]) == 30  # the most that Google allows


@pytest.mark.parametrize(
    ("provider", "principal"),
    [
        ("aws", "arn:aws:iam::12345:role/benchsite"),
        ("aws", "arn:aws:iam::123456789012:user/jane"),
        ("aws", f"{ROLE} "),
        ("aws", "AKIAIOSFODNN7EXAMPLE"),
        ("gce", "robot@project-1.iam.gserviceaccount.com"),
        ("gce", ROLE),
        ("local", "me"),
        ("fake", "me"),
    ],
)
def test_what_is_no_role_or_service_account_is_refused(clouds, provider, principal):
    with pytest.raises(NotUsable):
        cloud_accounts.add(UserFactory(), provider, principal)

    assert not CloudAccess.objects.exists()


def test_a_user_has_one_account_a_cloud(clouds):
    jane = UserFactory()
    first = cloud_accounts.add(jane, "aws", ROLE)

    with pytest.raises(NotUsable, match="You already have an account on AWS"):
        cloud_accounts.add(jane, "aws", f"{ROLE}-2")
    with pytest.raises(IntegrityError), transaction.atomic():
        CloudAccess.objects.create(owner=jane, provider="aws", principal=ROLE, external_id="x")
    cloud_accounts.remove(first)

    assert cloud_accounts.add(jane, "aws", f"{ROLE}-2").principal == f"{ROLE}-2"


def test_a_run_goes_to_the_account_that_its_owner_has_when_it_is_placed(access_on_fake):
    theirs = creation.create_run(PLAN, access_on_fake.owner)
    other = creation.create_run(PLAN, UserFactory())

    assert (theirs.cloud_access, other.cloud_access) == (access_on_fake, None)


def test_a_plan_for_an_account_that_was_removed_is_not_started_anywhere(access_on_fake):
    run = creation.create_run(PLAN, access_on_fake.owner)
    cloud_accounts.remove(access_on_fake)
    run = Run.objects.get(pk=run.pk)

    with pytest.raises(Refusal, match="was removed"):
        creation.confirm(run)
    assert (run.status, run.cloud_access) == ("planned", access_on_fake)


def test_an_account_with_a_run_at_work_is_kept_until_its_end(access_on_fake):
    run = creation.create_and_confirm(PLAN, access_on_fake.owner)

    with pytest.raises(NotUsable, match="A run is using this account"):
        cloud_accounts.remove(access_on_fake)
    lifecycle.end(run, EndReason.CANCELLED_BY_USER)
    cloud_accounts.remove(access_on_fake)

    assert list(CloudAccess.objects.active()) == []


def test_the_sweep_looks_where_runs_were_started(access_on_fake):
    def swept():
        return list(CloudAccess.objects.to_sweep())

    unused = swept()
    run = creation.create_run(PLAN, access_on_fake.owner)
    planned = swept()
    creation.confirm(run)
    # removed while the run was being confirmed: its machines must be found all the same
    CloudAccess.objects.update(removed_at=run.confirmed_at)
    removed = swept()
    lifecycle.end(run, EndReason.CANCELLED_BY_USER)

    assert (unused, planned, removed, swept()) == ([], [], [access_on_fake], [])


def test_the_page_shows_the_id_and_takes_a_role(clouds, client, settings):
    settings.RUN_AWS_IDENTITY = "arn:aws:iam::999999999999:role/workers"
    jane = UserFactory()
    client.force_login(jane)
    address = reverse("runners:clouds")

    before = client.get(address)
    added = client.post(address, {"provider": "aws", "principal": ROLE})

    assert address in text(client.get(reverse("submissions:account")))
    assert cloud_accounts.external_id_of(jane) in text(before)
    assert "arn:aws:iam::999999999999:role/workers" in text(before)
    assert added.headers["Location"] == address
    assert ROLE in text(client.get(address))


def test_the_page_says_what_is_wrong(clouds, client):
    client.force_login(UserFactory())

    answer = client.post(reverse("runners:clouds"), {"provider": "aws", "principal": "me"})

    assert answer.status_code == 400
    assert "must be the ARN of a role" in text(answer)


def test_an_account_is_seen_and_removed_by_its_owner_alone(clouds, client):
    jane = UserFactory()
    access = cloud_accounts.add(jane, "aws", ROLE)
    address = reverse("runners:remove_cloud", args=[access.pk])

    client.force_login(UserFactory())
    stranger = (ROLE in text(client.get(reverse("runners:clouds"))), client.post(address).status_code)
    client.force_login(jane)
    owner = client.post(address).status_code

    assert (stranger, owner) == ((False, 404), 302)
    assert list(CloudAccess.objects.active()) == []


def test_who_may_not_start_runs_adds_no_account(clouds, client, settings):
    settings.RUNS_NEED_PERMISSION = True
    client.force_login(UserFactory())
    address = reverse("runners:clouds")

    assert client.post(address, {"provider": "aws", "principal": ROLE}).status_code == 403
    assert "may not start runs" in text(client.get(address))
    assert not CloudAccess.objects.exists()


def test_a_visitor_is_asked_to_sign_in(clouds, client):
    assert client.get(reverse("runners:clouds")).status_code == 302


def test_the_confirm_page_says_whose_account_is_billed(access_on_fake, client, settings):
    settings.RUNS_NEED_PERMISSION = False
    run = creation.create_run(PLAN, access_on_fake.owner)
    client.force_login(access_on_fake.owner)

    page = text(client.get(reverse("runners:confirm", args=[run.pk])))

    assert "The machines run in your own account as <code>me</code>" in page


def test_the_trust_policy_asks_for_the_users_id():
    assert json.loads(trust_policy("arn:aws:iam::999999999999:root", "7f3a")) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::999999999999:root"},
                "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"sts:ExternalId": "7f3a"}},
            }
        ],
    }


def test_the_rights_are_those_of_the_documentation():
    shown = re.search(r"```json\n(.*?)```", (DOCS / "adding-a-provider.md").read_text(), re.DOTALL)

    assert json.loads(permissions_policy("the SITE_ID of the site")) == json.loads(shown[1])
