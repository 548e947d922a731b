"""What is deleted, what is left, and where it is found, beyond the contract."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runners.providers.aws import ec2
from runners.providers.aws.provider import AwsProvider, Site
from runners.providers.aws.session import Clients
from runners.providers.base import Leftover, NotAllowed, ProviderError, TryAgain
from tests.lab.ec2_wire import Refused
from tests.runners.providers.clouds import Fault
from tests.runners.providers.contract import EXPIRES_AT, clear, order_for


def test_a_volume_that_stayed_behind_is_deleted(ec2_cloud, client):
    provider = ec2_cloud.provider()
    provider.launch(order_for(ec2_cloud))
    tags = [{"Key": "benchsite:site", "Value": "site-a"}, {"Key": "benchsite:run", "Value": "run-1"}]
    volume = client.create_volume(
        AvailabilityZone="us-east-1a", Size=10, TagSpecifications=[{"ResourceType": "volume", "Tags": tags}]
    )["VolumeId"]

    clear(ec2_cloud, provider, "run-1")

    assert volume not in [one["VolumeId"] for one in client.describe_volumes()["Volumes"]]


def test_leftovers_are_of_every_kind(ec2_cloud):
    provider = ec2_cloud.provider()
    provider.launch(replace(order_for(ec2_cloud, databases=1, clients=0), spot=True))

    found = provider.leftovers(ec2_cloud.region)

    assert sorted(left.kind for left in found) == ["instance", "key-pair", "security-group", "spot-request", "volume"]
    assert {(left.tag, left.expires_at) for left in found} == {("run-1", EXPIRES_AT)}


def test_the_regions_are_those_that_the_account_can_use(client):
    regions = ec2.regions(client)

    assert {"eu-west-1", "us-east-1", "us-west-2"} < set(regions)
    assert regions == sorted(regions)


def test_leftovers_of_all_regions_are_found_without_naming_one(ec2_cloud, client, few_regions):
    ec2_cloud.provider().launch(order_for(ec2_cloud))
    elsewhere = ec2_cloud.provider().client("ec2", "eu-west-1")
    expires = datetime(2026, 1, 1, tzinfo=UTC)
    tags = {"benchsite:site": "site-a", "benchsite:run": "run-9", "benchsite:expires_at": expires.isoformat()}
    key = elsewhere.create_key_pair(
        KeyName="old",
        TagSpecifications=[
            {"ResourceType": "key-pair", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )["KeyPairId"]

    found = ec2_cloud.provider().leftovers(None)

    assert {(left.tag, left.region) for left in found} == {("run-1", "us-east-1"), ("run-9", "eu-west-1")}
    assert [left for left in found if left.tag == "run-9"] == [Leftover("key-pair", key, "run-9", expires, "eu-west-1")]
    assert ec2_cloud.provider().terminate("run-9", "eu-west-1") is True


def test_something_whose_expiry_tag_is_gone_has_no_expiry(ec2_cloud, client):
    provider = ec2_cloud.provider()
    machine = provider.launch(order_for(ec2_cloud, databases=1, clients=0))[0]
    client.delete_tags(Resources=[machine.provider_id], Tags=[{"Key": "benchsite:expires_at"}])

    expiries = {left.kind: left.expires_at for left in provider.leftovers(ec2_cloud.region)}

    assert (expiries["instance"], expiries["security-group"]) == (None, EXPIRES_AT)


def test_a_region_that_the_account_may_not_use_does_not_hide_the_others(ec2_cloud, few_regions, monkeypatch):
    ec2_cloud.provider().launch(order_for(ec2_cloud))
    api = ec2_cloud.api
    act = api.act

    def only_here(environ, fields, region):
        if region != ec2_cloud.region:
            raise Refused("UnauthorizedOperation", "with an explicit deny in a service control policy", 403)
        return act(environ, fields, region)

    monkeypatch.setattr(api, "act", only_here)

    assert {left.region for left in ec2_cloud.provider().leftovers(None)} == {"us-east-1"}


def test_a_region_that_does_not_answer_is_named_and_the_others_are_seen(ec2_cloud, few_regions, monkeypatch):
    ec2_cloud.provider().launch(order_for(ec2_cloud))
    act = ec2_cloud.api.act

    def only_here(environ, fields, region):
        if region != ec2_cloud.region:
            raise Refused("Unavailable", "the region has an outage", 503)
        return act(environ, fields, region)

    monkeypatch.setattr(ec2_cloud.api, "act", only_here)
    unseen = {}

    found = ec2_cloud.provider().leftovers(None, unseen)

    assert {left.region for left in found} == {"us-east-1"}
    reason = "DescribeInstances: Unavailable: the region has an outage"
    assert unseen == {"eu-west-1": reason, "us-west-2": reason}
    with pytest.raises(TryAgain):
        ec2_cloud.provider().leftovers(None)


def test_when_the_list_of_regions_does_not_come_all_that_the_sdk_knows_are_swept(ec2_cloud, monkeypatch):
    ec2_cloud.provider().launch(order_for(ec2_cloud))
    monkeypatch.setattr(Clients, "known_regions", ["us-east-1"])
    ec2_cloud.api.faults.throttle(actions=["DescribeRegions"])
    unseen = {}

    found = ec2_cloud.provider().leftovers(None, unseen)

    ec2_cloud.api.faults.end("throttle")
    assert {left.region for left in found} == {"us-east-1"}
    assert list(unseen) == ["the list of regions, from us-east-1"]


def test_an_account_that_may_see_no_region_is_an_error(ec2_cloud, few_regions):
    with ec2_cloud.fail(Fault.NOT_ALLOWED), pytest.raises(NotAllowed):
        ec2_cloud.provider().leftovers(None)


def test_a_site_without_a_region_says_how_to_name_one(ec2_cloud):
    with pytest.raises(ProviderError, match="AWS needs a region"):
        AwsProvider(Site("site-a")).machines("run-1", None)
