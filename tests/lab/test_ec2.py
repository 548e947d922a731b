"""The EC2 API of the lab, asked by boto3: its machines are real, its answers EC2's."""

import base64
from collections.abc import Callable

import asyncssh
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from tests.lab.ec2 import Ec2
from tests.lab.keys import cloud_config, make_key_pair, ssh, ssh_when_up
from tests.lab.waiting import wait_for

DEBIAN = "/aws/service/debian/release/12/latest/amd64"
UBUNTU = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
ONCE = Config(retries={"max_attempts": 0, "mode": "standard"}, read_timeout=5)


@pytest.fixture
def client(ec2: Ec2):
    """boto3 without its own second tries: each test sees what the API said."""
    with_one_try = boto3.client("ec2", config=ONCE)
    yield with_one_try
    with_one_try.close()


@pytest.fixture
def image(ec2: Ec2) -> str:
    return boto3.client("ssm").get_parameter(Name=DEBIAN)["Parameter"]["Value"]


@pytest.fixture
def run(client, image) -> Callable[..., list[dict]]:
    def start(count: int = 1, **more: object) -> list[dict]:
        order = {"ImageId": image, "InstanceType": "m5.large", "MinCount": count, "MaxCount": count, **more}
        return client.run_instances(**order)["Instances"]

    return start


def code_of(call: Callable[..., object], *args: object, **kwargs: object) -> str:
    with pytest.raises(ClientError) as caught:
        call(*args, **kwargs)
    return caught.value.response["Error"]["Code"]


def states(client) -> list[str]:
    pages = client.get_paginator("describe_instances").paginate()
    return [one["State"]["Name"] for page in pages for group in page["Reservations"] for one in group["Instances"]]


def test_three_machines_boot_with_our_host_key_and_die_when_terminated(ec2, client, run):
    login, host_key = make_key_pair(), make_key_pair()
    client.import_key_pair(KeyName="login", PublicKeyMaterial=login.public.encode())
    group = client.create_security_group(GroupName="run", Description="of the run")["GroupId"]
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": f"{ec2.network.gateway}/32"}]}
    client.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    user_data = cloud_config(host_key, runcmd=["echo the user data ran on $(hostname) > /run/user-data"])

    made = run(3, KeyName="login", SecurityGroupIds=[group], UserData=user_data)
    addresses = [one["PrivateIpAddress"] for one in made]
    said = [
        ssh_when_up(address, "admin", login, host_key, "until cat /run/user-data 2>/dev/null; do sleep 0.1; done")
        for address in addresses
    ]

    assert addresses == [str(ec2.network.parts()[1][number]) for number in (4, 5, 6)]
    assert said == [f"the user data ran on ip-{address.replace('.', '-')}\n" for address in addresses]
    seen = client.describe_instances()["Reservations"][0]["Instances"]
    assert [one["PublicIpAddress"] for one in seen] == addresses

    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        ssh(addresses[0], "admin", login, make_key_pair(), "true")
    with pytest.raises(asyncssh.PermissionDenied):
        ssh(addresses[0], "admin", make_key_pair(), host_key, "true")
    with pytest.raises(asyncssh.ProcessError) as root:
        ssh(addresses[0], "root", login, host_key, "true")
    assert 'Please login as the user "admin" rather than the user "root".' in root.value.stdout

    client.terminate_instances(InstanceIds=[one["InstanceId"] for one in made])
    wait_for(lambda: states(client) == ["terminated"] * 3, "all are terminated")
    assert ec2.hosts == {}
    assert ec2.alive == []
    with pytest.raises((OSError, asyncssh.Error)):
        ssh(addresses[0], "admin", login, host_key, "true")
    client.delete_security_group(GroupId=group)
    assert ec2.invalid_requests == []


def test_a_shell_script_as_user_data_runs_and_ubuntu_has_its_own_user(ec2, client, run):
    ubuntu = boto3.client("ssm").get_parameter(Name=UBUNTU)["Parameter"]["Value"]

    [made] = run(ImageId=ubuntu, UserData="#!/bin/sh\nid ubuntu > /run/user-data\n")

    host = wait_for(lambda: ec2.hosts.get(made["InstanceId"]), "the host boots")
    said = wait_for(lambda: host.run("cat /run/user-data", check=False), "the user data ran")
    assert "(ubuntu)" in said
    attribute = client.describe_instance_attribute(InstanceId=made["InstanceId"], Attribute="userData")
    assert base64.b64decode(attribute["UserData"]["Value"]) == b"#!/bin/sh\nid ubuntu > /run/user-data\n"


def test_a_security_group_is_a_firewall(ec2, client, run):
    group = client.create_security_group(GroupName="inner", Description="each other only")["GroupId"]
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
    client.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    inside = run(2, SecurityGroupIds=[group])
    [outside] = run()
    wait_for(lambda: len(ec2.hosts) == 3, "all boot")
    target = inside[0]["PrivateIpAddress"]

    def reaches(one: dict) -> bool:
        answer = ec2.hosts[one["InstanceId"]].run(f"nc -z -w 1 {target} 22 && echo yes", check=False)
        return answer == "yes\n"

    wait_for(lambda: reaches(inside[1]), "sshd of the target")
    assert not reaches(outside)
    assert code_of(client.delete_security_group, GroupId=group) == "DependencyViolation"


def test_a_machine_is_pending_then_running_then_shutting_down_then_terminated(ec2, client, run):
    ec2.instances.boots = False
    ec2.instances.pending_seconds = ec2.instances.shutdown_seconds = 60

    [made] = run()
    assert (made["State"]["Name"], made.get("PublicIpAddress")) == ("pending", None)
    ec2.instances.pending_seconds = 0
    assert states(client) == ["running"]
    client.terminate_instances(InstanceIds=[made["InstanceId"]])
    assert states(client) == ["shutting-down"]
    ec2.instances.shutdown_seconds = 0
    assert states(client) == ["terminated"]
    client.terminate_instances(InstanceIds=[made["InstanceId"]])
    assert states(client) == ["terminated"]


def test_a_client_token_makes_one_set_of_machines(ec2, client, run):
    ec2.instances.boots = False

    first = run(2, ClientToken="once")
    second = run(2, ClientToken="once")

    assert [one["InstanceId"] for one in second] == [one["InstanceId"] for one in first]
    assert len(ec2.alive) == 2
    assert code_of(run, 1, ClientToken="once") == "IdempotentParameterMismatch"


def test_volumes_have_the_iops_and_throughput_that_are_paid_for(ec2, client, run):
    ec2.instances.boots = False
    disk = {"VolumeSize": 200, "VolumeType": "gp3", "Iops": 6000, "Throughput": 500, "DeleteOnTermination": True}
    tags = [{"ResourceType": "volume", "Tags": [{"Key": "run", "Value": "7"}]}]

    run(BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": disk}], TagSpecifications=tags)

    found = {one["Attachments"][0]["Device"]: one for one in client.describe_volumes()["Volumes"]}
    facts = {name: (one["VolumeType"], one["Size"], one["Iops"], one["Throughput"]) for name, one in found.items()}
    assert facts == {"/dev/sdf": ("gp3", 200, 6000, 500), "/dev/xvda": ("gp3", 8, 3000, 125)}
    assert [one["Tags"] for one in found.values()] == [[{"Key": "run", "Value": "7"}]] * 2
    wrong = {"DeviceName": "/dev/sdf", "Ebs": {**disk, "VolumeSize": 10}}
    assert code_of(run, BlockDeviceMappings=[wrong]) == "InvalidParameterValue"


def test_local_disks_and_data_volumes_are_there(ec2, run):
    disk = {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 5, "VolumeType": "gp3", "DeleteOnTermination": True}}

    [made] = run(InstanceType="m5d.large", BlockDeviceMappings=[disk])

    host = wait_for(lambda: ec2.hosts.get(made["InstanceId"]), "the host boots")
    assert host.run("lsblk --noheadings --raw -o NAME,TYPE,SIZE") == "nvme1n1 disk 2G\nnvme2n1 disk 5G\n"


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"ImageId": "ami-00000000000000000"}, "InvalidAMIID.NotFound"),
        ({"InstanceType": "m5.enormous"}, "InvalidParameterValue"),
        ({"InstanceType": "m6g.large"}, "InvalidParameterValue"),  # ARM, the image is x86
        ({"KeyName": "never-imported"}, "InvalidKeyPair.NotFound"),
        ({"SubnetId": "subnet-00000000000000000"}, "InvalidSubnetID.NotFound"),
        ({"SecurityGroupIds": ["sg-00000000000000000"]}, "InvalidGroup.NotFound"),
        ({"Placement": {"GroupName": "never-made"}}, "InvalidPlacementGroup.Unknown"),
        ({"Placement": {"AvailabilityZone": "us-east-1z"}}, "InvalidInput"),
    ],
)
def test_what_does_not_exist_is_refused(ec2, client, run, wrong, code):
    assert code_of(run, **wrong) == code
    assert ec2.alive == []


def test_placement_groups(ec2, client, run):
    ec2.instances.boots = False
    tags = [{"ResourceType": "placement-group", "Tags": [{"Key": "run", "Value": "7"}]}]
    client.create_placement_group(GroupName="near", Strategy="cluster", TagSpecifications=tags)
    [made] = run(Placement={"GroupName": "near"})

    by_tag = client.describe_placement_groups(Filters=[{"Name": "tag:run", "Values": ["7"]}])["PlacementGroups"]

    assert [(one["GroupName"], one["Strategy"], one["State"]) for one in by_tag] == [("near", "cluster", "available")]
    assert code_of(client.delete_placement_group, GroupName="near") == "InvalidPlacementGroup.InUse"
    client.terminate_instances(InstanceIds=[made["InstanceId"]])
    wait_for(lambda: not ec2.alive, "it is terminated")
    client.delete_placement_group(GroupName="near")
    assert client.describe_placement_groups()["PlacementGroups"] == []


def test_a_request_that_the_service_model_does_not_know_is_refused_and_noted(ec2, client):
    def add_parameter(params: dict, **_: object) -> None:
        params["body"]["Colour"] = "green"

    client.meta.events.register("before-call.ec2.DescribeInstances", add_parameter)

    assert code_of(client.describe_instances) == "UnknownParameter"
    assert ec2.invalid_requests == ["DescribeInstances: The parameter Colour is not recognized"]


def test_a_large_cluster_without_hosts(ec2, client, run):
    ec2.instances.boots = False

    for zone in ec2.zones:
        run(116, Placement={"AvailabilityZone": zone})

    wait_for(lambda: states(client) == ["running"] * 348, "all run")
    assert ec2.calls["RunInstances"] == 3
    client.terminate_instances(InstanceIds=ec2.alive)
    wait_for(lambda: not ec2.alive, "all are terminated")


def test_throttling_lasts_as_long_as_it_is_told(ec2, client):
    ec2.faults.throttle(calls=2)

    assert code_of(client.describe_instances) == "RequestLimitExceeded"
    assert code_of(client.describe_instances) == "RequestLimitExceeded"
    assert client.describe_instances()["Reservations"] == []
    assert (ec2.calls["DescribeInstances"], ec2.faults.counts["throttle"]) == (3, 2)


def test_a_zone_without_capacity_and_a_zone_with_a_little(ec2, run):
    ec2.instances.boots = False
    ec2.faults.no_capacity("us-east-1a")
    ec2.faults.capacity("us-east-1b", 2)

    assert code_of(run, Placement={"AvailabilityZone": "us-east-1a"}) == "InsufficientInstanceCapacity"
    assert code_of(run, 3, Placement={"AvailabilityZone": "us-east-1b"}) == "InsufficientInstanceCapacity"
    assert len(run(1, MaxCount=3, Placement={"AvailabilityZone": "us-east-1b"})) == 2
    assert len(run(3, Placement={"AvailabilityZone": "us-east-1c"})) == 3
    ec2.faults.no_capacity()
    assert code_of(run, Placement={"AvailabilityZone": "us-east-1c"}) == "InsufficientInstanceCapacity"


def test_a_quota(ec2, run):
    ec2.faults.quota()

    assert code_of(run) == "VcpuLimitExceeded"


def test_a_machine_that_is_not_known_yet(ec2, client, run):
    ec2.instances.boots = False
    ec2.faults.unknown(3600)

    [made] = run()

    assert code_of(client.describe_instances, InstanceIds=[made["InstanceId"]]) == "InvalidInstanceID.NotFound"
    assert code_of(client.terminate_instances, InstanceIds=[made["InstanceId"]]) == "InvalidInstanceID.NotFound"
    assert client.describe_instances()["Reservations"] == []
    assert len(ec2.alive) == 1
    ec2.faults.unknown(0)
    assert len(client.describe_instances(InstanceIds=[made["InstanceId"]])["Reservations"]) == 1


def test_a_lost_answer_has_made_the_machines(ec2, run):
    ec2.instances.boots = False
    ec2.faults.lose_answers("RunInstances")

    with pytest.raises((ConnectionClosedError, EndpointConnectionError)):
        run(2, ClientToken="lost")

    made = ec2.alive
    assert len(made) == 2
    assert [one["InstanceId"] for one in run(2, ClientToken="lost")] == made


def test_a_slow_answer_runs_into_the_time_out(ec2):
    ec2.faults.slow(3, calls=1)
    impatient = boto3.client("ec2", config=ONCE.merge(Config(read_timeout=0.5)))

    with pytest.raises(ReadTimeoutError):
        impatient.describe_instances()
    assert impatient.describe_instances()["Reservations"] == []
    impatient.close()


def test_a_spot_instance_is_taken_back(ec2, client, run):
    ec2.instances.boots = False
    [made] = run(InstanceMarketOptions={"MarketType": "spot", "SpotOptions": {"SpotInstanceType": "one-time"}})
    wait_for(lambda: states(client) == ["running"], "it runs")
    request = {"SpotInstanceRequestIds": [made["SpotInstanceRequestId"]]}

    def status() -> tuple[str, str]:
        [one] = client.describe_spot_instance_requests(**request)["SpotInstanceRequests"]
        return one["State"], one["Status"]["Code"]

    assert made["InstanceLifecycle"] == "spot"
    assert status() == ("active", "fulfilled")
    ec2.instances.interrupt(made["InstanceId"], notice_seconds=0.5)
    assert status() == ("active", "marked-for-termination")
    wait_for(lambda: status() == ("closed", "instance-terminated-no-capacity"), "it is taken back")
    [seen] = client.describe_instances()["Reservations"][0]["Instances"]
    assert seen["StateReason"]["Code"] == "Server.SpotInstanceTermination"


def test_terminate_is_refused_for_a_while(ec2, client, run):
    ec2.instances.boots = False
    [made] = run()
    ec2.faults.refuse_terminate(calls=1)

    assert code_of(client.terminate_instances, InstanceIds=[made["InstanceId"]]) == "OperationNotPermitted"
    assert ec2.alive == [made["InstanceId"]]
    client.terminate_instances(InstanceIds=[made["InstanceId"]])
    wait_for(lambda: not ec2.alive, "it is terminated")


def test_a_machine_without_ssh(ec2, run):
    ec2.faults.never_ssh()

    [made] = run()

    host = wait_for(lambda: ec2.hosts.get(made["InstanceId"]), "the host boots")
    wait_for(lambda: "finished at" in host.console, "cloud-init has finished")
    assert ":22 " not in host.run("ss -ltn")


def test_the_object_storage_is_down(ec2):
    s3 = boto3.client("s3", config=ONCE)
    s3.create_bucket(Bucket="artifacts")
    ec2.faults.storage_down()

    assert code_of(s3.put_object, Bucket="artifacts", Key="log", Body=b"x") == "ServiceUnavailable"
    ec2.faults.end("storage")
    s3.put_object(Bucket="artifacts", Key="log", Body=b"x")
    assert s3.get_object(Bucket="artifacts", Key="log")["Body"].read() == b"x"
    s3.close()


def test_roles_and_prices_answer_at_the_same_address(ec2):
    role = boto3.client("sts").assume_role(
        RoleArn="arn:aws:iam::210987654321:role/bench", RoleSessionName="run", ExternalId="secret"
    )
    price = boto3.client("pricing").get_products(
        ServiceCode="AmazonEC2", Filters=[{"Type": "TERM_MATCH", "Field": "instanceType", "Value": "m5.large"}]
    )

    assert role["AssumedRoleUser"]["Arn"] == "arn:aws:sts::210987654321:assumed-role/bench/run"
    assert len(price["PriceList"]) == 1
    assert '"USD": "0.0960000000"' in price["PriceList"][0]
    assert (ec2.calls["sts:AssumeRole"], ec2.calls["pricing:GetProducts"]) == (1, 1)
