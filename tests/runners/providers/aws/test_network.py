"""Where machines stand, and who reaches them."""

from datetime import UTC, datetime

import pytest

from runners.providers.aws import network
from runners.providers.aws.errors import translated
from runners.providers.aws.session import Clients
from runners.providers.aws.tags import Tags
from runners.providers.base import NoCapacity, ProviderError

TAGS = Tags("site-a", "run-1", "jane", datetime(2031, 5, 1, tzinfo=UTC))


@pytest.fixture
def client(ec2_api):
    return Clients().get("ec2", "us-east-1")


@pytest.fixture
def own_vpc(client):
    """A VPC with two subnets in one zone, the second with public addresses, and one in another."""
    vpc = client.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    made = [
        client.create_subnet(VpcId=vpc, CidrBlock=f"10.50.{n}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for n, zone in enumerate(["us-east-1a", "us-east-1a", "us-east-1b"])
    ]
    client.modify_subnet_attribute(SubnetId=made[1], MapPublicIpOnLaunch={"Value": True})
    return vpc, made


def rules(client, group_id):
    group = client.describe_security_groups(GroupIds=[group_id])["SecurityGroups"][0]
    return [
        (
            rule["IpProtocol"],
            rule.get("FromPort"),
            rule.get("ToPort"),
            [one["CidrIp"] for one in rule["IpRanges"]] + [one["CidrIpv6"] for one in rule["Ipv6Ranges"]],
            [one["GroupId"] for one in rule["UserIdGroupPairs"]],
        )
        for rule in group["IpPermissions"]
    ]


def test_the_default_vpc_has_a_subnet_in_each_zone(client, ec2_api):
    found = network.find_network(client, None)

    assert sorted(found.subnets) == ec2_api.zones


def test_a_vpc_of_our_own_is_used_instead(client, own_vpc):
    vpc, made = own_vpc

    found = network.find_network(client, vpc)

    assert found == network.Network(vpc, {"us-east-1a": made[1], "us-east-1b": made[2]}, frozenset({made[1]}))


def test_a_vpc_without_subnets_is_named(client):
    with pytest.raises(ProviderError, match="vpc-elsewhere has no subnet in this region"):
        network.find_network(client, "vpc-elsewhere")


def test_a_type_that_some_zones_do_not_have_goes_where_it_is(client):
    assert network.zone_with(client, ["m5.large"], ["us-east-1b", "us-east-1a"]) == "us-east-1a"
    with pytest.raises(NoCapacity, match=r"no zone of this region has all of m5\.large"):
        network.zone_with(client, ["m5.large"], ["us-east-1z"])


def test_ssh_is_for_the_worker_and_everything_else_for_the_group(client):
    vpc = network.find_network(client, None).vpc_id

    group = network.security_group(client, TAGS, vpc_id=vpc, worker_cidr="192.0.2.7/32")

    assert rules(client, group) == [
        ("tcp", 22, 22, ["192.0.2.7/32"], []),
        ("-1", None, None, [], [group]),
    ]


def test_a_worker_may_have_an_ipv6_address(client):
    vpc = network.find_network(client, None).vpc_id

    group = network.security_group(client, TAGS, vpc_id=vpc, worker_cidr="2001:db8::7/128")

    assert rules(client, group)[0] == ("tcp", 22, 22, ["2001:db8::7/128"], [])


def test_a_group_is_made_once_and_opened_by_whoever_comes_next(client, ec2_api):
    vpc = network.find_network(client, None).vpc_id
    made = client.create_security_group(  # the worker died before it opened the group
        GroupName=TAGS.name, Description="x", VpcId=vpc, TagSpecifications=TAGS.specifications("security-group")
    )["GroupId"]

    for _ in range(2):
        assert network.security_group(client, TAGS, vpc_id=vpc, worker_cidr="192.0.2.7/32") == made

    assert len(rules(client, made)) == 2
    assert ec2_api.calls["AuthorizeSecurityGroupIngress"] == 1


def test_a_key_pair_is_imported_once(client):
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEIvA1VZ6Tg7SU71+mfkBxqchOURNt1+PUcxjmTTQaIW benchsite"

    for _ in range(2):
        with translated():
            assert network.key_pair(client, TAGS, key) == "benchsite-site-a-run-1"

    pairs = client.describe_key_pairs(Filters=TAGS.of_run)["KeyPairs"]
    assert [pair["KeyName"] for pair in pairs] == ["benchsite-site-a-run-1"]
