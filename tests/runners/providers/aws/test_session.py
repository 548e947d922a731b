"""Credentials: the SDK's own, or a role of the user's; never kept anywhere but in memory."""

import pytest
from moto.sts.models import sts_backends

from runners.providers import aws
from runners.providers.aws.errors import translated
from runners.providers.aws.provider import AwsProvider
from runners.providers.aws.session import Clients
from runners.providers.base import NotAllowed
from tests.lab.ec2_account import ACCOUNT
from tests.runners.providers.contract import clear, names, order_for
from tests.runners.providers.ec2_cloud import SITE

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


def test_without_a_role_the_sdk_finds_the_credentials(ec2_cloud, signers):
    ec2_cloud.provider().leftovers(ec2_cloud.region)

    assert signers == {"AKIATESTONLY"}


def test_steps_share_a_client_until_other_credentials_or_another_minute(monkeypatch):
    monkeypatch.setattr(aws, "KEPT_SECONDS", 10**9)
    first, second = aws.make_provider(None), aws.make_provider(None)
    monkeypatch.setattr(aws, "KEPT_SECONDS", 1)
    later = aws.make_provider(None)
    monkeypatch.setattr(aws, "KEPT_SECONDS", 10**9)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "another")

    assert first is second
    assert later is not first
    assert aws.make_provider(None) is not first


def test_a_role_is_taken_with_its_external_id_and_signs_every_call(ec2_cloud, signers):
    provider = AwsProvider(SITE, role_arn=ROLE, external_id="of-jane-7f3a")

    launched = provider.launch(order_for(ec2_cloud))
    clear(ec2_cloud, provider, "run-1")

    (taken,) = sts_backends[ACCOUNT]["aws"].assumed_roles
    assert (taken.arn, taken.external_id) == (
        f"arn:aws:sts::{ACCOUNT}:assumed-role/benchsite/benchsite",
        "of-jane-7f3a",
    )
    assert signers == {taken.access_key_id}
    assert ec2_cloud.api.calls["sts:AssumeRole"] == 1
    assert names(launched) == names(order_for(ec2_cloud).nodes)


def test_making_a_provider_with_a_role_asks_for_nothing_yet(ec2_api):
    AwsProvider(SITE, role_arn=ROLE)

    assert dict(ec2_api.calls) == {}


@pytest.mark.parametrize("role", [None, ROLE])
def test_a_site_without_credentials_says_so(ec2_api, monkeypatch, role):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    with pytest.raises(NotAllowed, match="this site has no usable AWS credentials"):
        AwsProvider(SITE, role_arn=role).machines("run-1", "us-east-1")


def test_a_cloud_that_cannot_be_reached_is_worth_another_try(ec2_api, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")

    with pytest.raises(Exception, match="AWS did not answer: EndpointConnectionError") as caught, translated():
        Clients().get("ec2", "us-east-1").describe_regions()

    assert caught.value.is_final is False


def test_the_registry_makes_the_sites_provider(ec2_api, settings):
    from runners.providers.registry import provider_for

    settings.RUN_PROVIDERS = ["aws"]

    assert isinstance(provider_for("aws"), AwsProvider)
    assert provider_for("aws").leftovers("us-east-1") == []
