"""What the AWS provider asks EC2 for, and what it makes of EC2's faults beyond the contract."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from runners.choices import NodeState
from runners.providers.aws import ec2, network
from runners.providers.aws.provider import AwsProvider
from runners.providers.base import (
    DiskOrder,
    NoCapacity,
    NodeOrder,
    NodeRequest,
    ProviderError,
    TryAgain,
)
from tests.runners.providers.contract import EXPIRES_AT, PUBLIC_KEY, USER_DATA, clear, ids, names, order_for
from tests.runners.providers.ec2_cloud import SITE, sent

TAGS = [
    {"Key": "Name", "Value": "run-1 database"},
    {"Key": "benchsite:site", "Value": "site-a"},
    {"Key": "benchsite:run", "Value": "run-1"},
    {"Key": "benchsite:owner", "Value": "jane_doe@example.org"},
    {"Key": "benchsite:expires_at", "Value": "2031-05-01T12:30:00+00:00"},
    {"Key": "benchsite:names", "Value": "db-0..1/1"},
    {"Key": "benchsite:role", "Value": "database"},
]


@pytest.fixture
def api(ec2_api):
    yield ec2_api
    assert ec2_api.invalid_requests == []


def two_nodes(**changes):
    disks = (DiskOrder("gp3", 1, 200, iops=6000, throughput_mibps=500),)
    nodes = tuple(NodeRequest(f"db-{n}", "database", "m5.large", "us-east-1b", disks) for n in range(2))
    order = NodeOrder(
        tag="run-1",
        owner="jane'doe@example.org",
        expires_at=EXPIRES_AT,
        region="us-east-1",
        nodes=nodes,
        spot=False,
        ssh_public_key=PUBLIC_KEY,
        user_data=USER_DATA,
        worker_cidr="192.0.2.7/32",
    )
    return replace(order, **changes)


def request_of(api):
    """The one RunInstances request; what EC2 itself chose is left out."""
    (request,) = sent(api, "RunInstances")
    assert request.pop("SubnetId").startswith("subnet-")
    assert all(group.startswith("sg-") for group in request.pop("SecurityGroupIds"))
    assert request.pop("ImageId").startswith("ami-")
    assert len(request.pop("ClientToken")) == 64
    return request


# the request


def test_machines_are_asked_for_with_disks_tags_and_their_own_end(api):
    AwsProvider(SITE).launch(two_nodes())

    assert request_of(api) == {
        "InstanceType": "m5.large",
        "MinCount": 2,
        "MaxCount": 2,
        "KeyName": "benchsite-site-a-run-1",
        "UserData": "I2Nsb3VkLWNvbmZpZwpydW5jbWQ6CiAtIFtzaHV0ZG93biwgLVAsICcrNjAnXQo=",
        "InstanceInitiatedShutdownBehavior": "terminate",
        "MetadataOptions": {"HttpTokens": "required", "HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 1},
        "BlockDeviceMappings": [
            {
                "DeviceName": "/dev/sda1",
                "Ebs": {"VolumeType": "gp3", "VolumeSize": 40, "DeleteOnTermination": True, "Encrypted": True},
            },
            {
                "DeviceName": "/dev/sdf",
                "Ebs": {
                    "VolumeType": "gp3",
                    "VolumeSize": 200,
                    "DeleteOnTermination": True,
                    "Encrypted": True,
                    "Iops": 6000,
                    "Throughput": 500,
                },
            },
        ],
        "TagSpecifications": [
            {"ResourceType": resource, "Tags": TAGS} for resource in ("instance", "volume", "network-interface")
        ],
    }


def test_spot_machines_are_asked_for_once_and_tagged_as_requests_too(api):
    AwsProvider(SITE).launch(two_nodes(spot=True))

    request = request_of(api)
    assert request["InstanceMarketOptions"] == {
        "MarketType": "spot",
        "SpotOptions": {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"},
    }
    assert [one["ResourceType"] for one in request["TagSpecifications"]] == [
        "instance",
        "volume",
        "network-interface",
        "spot-instances-request",
    ]


def test_everything_is_tagged_when_it_is_made_and_nothing_later(api):
    AwsProvider(SITE).launch(two_nodes(spot=True))

    assert api.calls["CreateTags"] == 0
    for action in ("CreateSecurityGroup", "ImportKeyPair", "RunInstances"):
        for request in sent(api, action):
            for resource in request["TagSpecifications"]:
                tagged = {tag["Key"]: tag["Value"] for tag in resource["Tags"]}
                assert tagged["benchsite:run"] == "run-1"
                assert tagged["benchsite:expires_at"] == "2031-05-01T12:30:00+00:00"


def test_the_volumes_are_what_was_ordered(api, client):
    AwsProvider(SITE).launch(two_nodes())

    volumes = [one for one in client.describe_volumes()["Volumes"] if one["Size"] == 200]
    assert [(one["VolumeType"], one["Iops"], one["Throughput"]) for one in volumes] == [("gp3", 6000, 500)] * 2


def test_arm_machines_boot_an_image_for_arm(api, client):
    nodes = (NodeRequest("db-0", "database", "m6g.large", "us-east-1a"),)
    AwsProvider(SITE).launch(two_nodes(nodes=nodes))

    image = client.describe_images(ImageIds=[sent(api, "RunInstances")[0]["ImageId"]])["Images"][0]
    assert image["Architecture"] == "arm64"


def test_without_a_zone_a_machine_goes_where_its_type_is(api):
    machines = AwsProvider(SITE).launch(two_nodes(nodes=(NodeRequest("db-0", "database", "m5.large", None),)))

    assert [machine.zone for machine in machines] == ["us-east-1a"]


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (NodeRequest("db-0", "database", "m5.gigantic", "us-east-1a"), "DescribeInstanceTypes: InvalidInstanceType"),
        (NodeRequest("db-0", "database", "m5.large", "us-west-2a"), "has no subnet in zone us-west-2a"),
        (
            NodeRequest("db-0", "database", "m5.large", "us-east-1a", (DiskOrder("local-ssd", 1, 75),)),
            "m5.large has 0 local disks; the plan needs 1",
        ),
    ],
)
def test_what_ec2_does_not_have_is_refused_for_good(ec2_cloud, node, reason):
    with pytest.raises(ProviderError, match=reason) as caught:
        ec2_cloud.provider().launch(two_nodes(nodes=(node,)))

    assert caught.value.is_final
    assert ec2_cloud.created("run-1") == []


# how many calls


def test_calls_grow_with_zones_and_pages_and_not_with_nodes(ec2_cloud, api):
    order = order_for(ec2_cloud, databases=288, clients=60)
    provider = ec2_cloud.provider()

    machines = provider.launch(order)
    launched = dict(api.calls)
    api.calls.clear()
    provider.machines(order.tag, ec2_cloud.region)
    looked = dict(api.calls)
    api.calls.clear()
    clear(ec2_cloud, provider, order.tag)

    assert names(machines) == names(order.nodes)
    assert launched == {
        "DescribeInstances": 1,
        "DescribeInstanceTypes": 1,
        "ssm:GetParameters": 1,
        "DescribeImages": 1,
        "DescribeSubnets": 1,
        "DescribeSecurityGroups": 1,
        "CreateSecurityGroup": 1,
        "AuthorizeSecurityGroupIngress": 1,
        "ImportKeyPair": 1,
        "RunInstances": 4,  # 96 database nodes in each of three zones, 60 clients in the first
    }
    assert looked == {"DescribeInstances": 1}
    assert api.calls["TerminateInstances"] == 1
    assert sum(api.calls.values()) <= 20  # three looks at five kinds of things, three deletions


def test_a_second_page_of_machines_is_read(ec2_cloud, api, monkeypatch):
    order = order_for(ec2_cloud)
    provider = ec2_cloud.provider()
    provider.launch(order)
    monkeypatch.setattr(ec2, "PAGE", 2)
    api.calls.clear()

    assert names(provider.machines(order.tag, ec2_cloud.region)) == names(order.nodes)
    assert api.calls["DescribeInstances"] == 2


# crashes and late workers


@pytest.mark.parametrize("action", ["CreateSecurityGroup", "AuthorizeSecurityGroupIngress", "ImportKeyPair"])
def test_a_lost_answer_on_the_way_to_the_machines_leaves_one_of_each(ec2_cloud, api, action):
    order = order_for(ec2_cloud)
    api.faults.lose_answers(action, calls=2)
    with suppress(TryAgain):  # the SDK's own second attempt may have found that it is there already
        ec2_cloud.provider().launch(order)

    ec2_cloud.provider().launch(order)

    assert api.faults.counts[f"lost:{action}"] >= 1
    kinds = sorted(left.kind for left in ec2_cloud.provider().leftovers(ec2_cloud.region) if left.kind != "volume")
    assert kinds == ["instance"] * 4 + ["key-pair", "security-group"]


def test_a_worker_that_wakes_up_after_the_teardown_makes_nothing(ec2_cloud, monkeypatch):
    order = order_for(ec2_cloud)
    run_instances = ec2.run_instances

    def asleep_before_it(client, **request):
        clear(ec2_cloud, ec2_cloud.provider(), order.tag)
        return run_instances(client, **request)

    monkeypatch.setattr(ec2, "run_instances", asleep_before_it)
    with pytest.raises(TryAgain):
        ec2_cloud.provider().launch(order)

    assert ec2_cloud.created(order.tag) == []
    assert ec2_cloud.provider().leftovers(ec2_cloud.region) == []


@pytest.mark.parametrize(
    ("module", "call"),
    [
        (ec2, "instance_types"),
        (network, "find_network"),
        (network, "security_group"),
        (network, "key_pair"),
        (ec2, "run_instances"),
    ],
)
def test_a_worker_that_sleeps_anywhere_in_a_launch_makes_nothing_after_the_teardown(
    ec2_cloud, monkeypatch, module, call
):
    """Asleep before its security group, it would find none that was deleted, and make one, and then the machines."""
    torn_down, awake = [], getattr(module, call)
    order = replace(order_for(ec2_cloud), is_wanted=lambda: not torn_down)

    def asleep_before_it(*args, **kwargs):
        monkeypatch.setattr(module, call, awake)
        clear(ec2_cloud, ec2_cloud.provider(), order.tag)
        torn_down.append(order.tag)
        return awake(*args, **kwargs)

    monkeypatch.setattr(module, call, asleep_before_it)
    with pytest.raises(TryAgain):
        ec2_cloud.provider().launch(order)

    assert torn_down
    assert ec2_cloud.created(order.tag) == []


def test_a_part_of_a_group_is_waited_for_and_not_made_again(ec2_cloud, monkeypatch):
    order = order_for(ec2_cloud, databases=6, clients=0)
    provider = ec2_cloud.provider()
    launched = provider.launch(order)
    listed = ec2.instances

    def without_one(client, filters):
        return [one for one in listed(client, filters) if one["InstanceId"] != launched[0].provider_id]

    monkeypatch.setattr(ec2, "instances", without_one)
    with pytest.raises(TryAgain, match="EC2 lists 1 of 2 machines that were created in one call"):
        provider.launch(order)

    assert len(ec2_cloud.created(order.tag)) == 6


def test_another_image_since_the_lost_answer_makes_no_second_set(ec2_cloud):
    """The distribution published a new image between the two calls: EC2 refuses to repeat the first with it."""
    order = order_for(ec2_cloud)
    with ec2_cloud.hide_new():
        ec2_cloud.provider().launch(order)
        with pytest.raises(TryAgain, match="IdempotentParameterMismatch"):
            AwsProvider(replace(SITE, image="debian-13")).launch(order)

    assert names(AwsProvider(replace(SITE, image="debian-13")).launch(order)) == names(order.nodes)
    assert len(ec2_cloud.created(order.tag)) == 4


# machines


def test_a_spot_machine_says_that_it_will_be_taken_back_before_it_is(ec2_cloud, api):
    order = replace(order_for(ec2_cloud), spot=True)
    provider = ec2_cloud.provider()
    victim = provider.launch(order)[0]
    provider.machines(order.tag, ec2_cloud.region)

    api.instances.interrupt(victim.provider_id, notice_seconds=120)

    machines = provider.machines(order.tag, ec2_cloud.region)
    assert [(m.name, m.state) for m in machines if m.is_interrupted] == [("db-0", NodeState.RUNNING)]


def test_the_end_of_a_spot_machine_that_was_taken_back_is_known(ec2_cloud, api):
    order = replace(order_for(ec2_cloud), spot=True)
    provider = ec2_cloud.provider()
    victim = provider.launch(order)[0]
    before = datetime.now(UTC).replace(microsecond=0)
    api.instances.interrupt(victim.provider_id)
    ec2_cloud.settle()

    ended = {m.name: m.terminated_at for m in provider.history(order.tag, ec2_cloud.region)}

    assert before <= ended.pop("db-0") <= datetime.now(UTC)
    assert set(ended.values()) == {None}


def test_a_machine_that_someone_stopped_is_lost_and_not_interrupted(ec2_cloud, client):
    provider = ec2_cloud.provider()
    victim = provider.launch(order_for(ec2_cloud))[0]
    client.stop_instances(InstanceIds=[victim.provider_id])

    found = {m.name: m for m in provider.machines("run-1", ec2_cloud.region)}

    assert (found["db-0"].state, found["db-0"].is_interrupted) == (NodeState.LOST, False)
    assert found["db-1"].state == NodeState.RUNNING


def test_a_terminated_machine_is_no_machine_and_is_not_made_again(ec2_cloud, client):
    order = order_for(ec2_cloud)
    provider = ec2_cloud.provider()
    launched = provider.launch(order)
    client.terminate_instances(InstanceIds=[launched[0].provider_id])
    ec2_cloud.settle()

    again = provider.launch(order)

    assert "db-0" not in ids(provider.machines(order.tag, ec2_cloud.region))
    assert {m.name: m.state for m in again}["db-0"] == NodeState.TERMINATED
    assert len(ec2_cloud.created(order.tag)) == 4


def test_a_machine_that_was_promised_and_never_came_is_no_capacity(ec2_cloud, api):
    provider = ec2_cloud.provider()
    victim = provider.launch(order_for(ec2_cloud))[0]
    instance = api.instances.lives[victim.provider_id].instance
    instance.terminate()
    instance._state.name, instance._state.code = "terminated", 48
    instance.state_reason.code = "Server.InsufficientInstanceCapacity"
    instance.state_reason.message = "There is not enough capacity"

    with pytest.raises(NoCapacity, match=f"{victim.provider_id} was never started: There is not enough capacity"):
        provider.machines("run-1", ec2_cloud.region)
    (never,) = [m for m in provider.history("run-1", ec2_cloud.region) if m.provider_id == victim.provider_id]
    assert never.terminated_at == never.launched_at  # it costs nothing
