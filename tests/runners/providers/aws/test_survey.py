"""What an account is asked before a run is confirmed."""

from dataclasses import replace

import pytest

from runners.providers.aws.provider import AwsProvider
from runners.providers.base import DiskOrder, Hardware, NodeRequest, Remark
from tests.lab.ec2_wire import Refused
from tests.runners.providers.contract import order_for
from tests.runners.providers.ec2_cloud import SITE

STANDARD = "L-1216C47A"
DB = NodeRequest("db-0", "database", "m5.large", None)


@pytest.fixture
def survey(ec2_api):
    def survey(*nodes, spot=False, site=SITE):
        return AwsProvider(site).survey(nodes or [DB], region="us-east-1", spot=spot)

    yield survey
    assert ec2_api.invalid_requests == []
    assert ec2_api.alive == [] or ec2_api.calls["RunInstances"]


def test_a_plan_that_the_account_can_launch_has_no_remark(survey, ec2_api):
    newer = NodeRequest("client-0", "client", "c8g.xlarge", "us-east-1a")

    found = survey(DB, newer)

    assert found.remarks == ()
    assert found.types == {"m5.large": Hardware(2, 8, 0), "c8g.xlarge": Hardware(4, 8, 0)}
    assert not {"RunInstances", "CreateSecurityGroup", "ImportKeyPair"} & set(ec2_api.calls)


def test_the_newest_generations_can_be_planned_with_their_disks(survey):
    store, volume = DiskOrder("local-ssd", 1, None), DiskOrder("gp3", 2, 100)
    nodes = [replace(DB, instance_type="i7ie.large", disks=(store, volume)), replace(DB, instance_type="m8i.large")]

    found = survey(*nodes, NodeRequest("client-0", "client", "c8g.large", None))

    assert found.remarks == ()
    assert sorted(found.types) == ["c8g.large", "i7ie.large", "m8i.large"]


def test_a_type_that_does_not_exist_is_a_fault_of_its_group(survey):
    found = survey(DB, NodeRequest("client-0", "client", "m5.lrage", None))

    assert found.remarks == (Remark.fault("#/client/instance_type", "EC2 has no instance type m5.lrage in us-east-1"),)


def test_disks_that_the_type_does_not_have_are_a_fault(survey):
    [remark] = survey(replace(DB, disks=(DiskOrder("local-ssd", 1, None),))).remarks

    assert remark == Remark.fault("#/database/disks", "m5.large has 0 local disks; the plan needs 1")


def test_a_zone_that_does_not_offer_the_type_is_a_fault(survey):
    assert survey(replace(DB, zone="us-east-1e")).remarks[0] == Remark.fault(
        "#/zones", "us-east-1e does not offer m5.large"
    )


def test_too_small_a_quota_is_a_fault_with_the_number_to_ask_for(survey, ec2_api, ec2_cloud):
    AwsProvider(SITE).launch(order_for(ec2_cloud, databases=3, clients=0))  # 3 x 2 vCPUs of the quota
    ec2_api.quotas[STANDARD] = 32

    many = [replace(DB, name=f"db-{number}") for number in range(20)]

    assert survey(*many).remarks == (
        Remark.fault(
            "#",
            "the account may run 32 vCPUs in us-east-1 by the quota Running On-Demand Standard (A, C, D, H, I, M, R, "
            "T, Z) instances (L-1216C47A); 6 are in use and the plan needs 40: ask AWS (Service Quotas) for at least "
            "46",
        ),
    )
    assert survey(*many, spot=True).remarks == ()


def test_a_quota_that_may_not_be_asked_is_a_note(survey, ec2_api, monkeypatch):
    from runners.providers.aws import survey as module

    def refused(*_, **__):
        raise module.ProviderError("GetServiceQuota: AccessDeniedException: no.")

    monkeypatch.setattr(module.quotas, "remarks", refused)

    assert survey().remarks == (Remark.note("#", "not checked: GetServiceQuota: AccessDeniedException: no."),)


def test_private_subnets_without_a_way_out_are_a_fault_and_with_nat_they_are_not(survey, ec2_api):
    ec2 = AwsProvider(SITE).client("ec2", "us-east-1")
    vpc = ec2.create_vpc(CidrBlock="10.60.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.60.0.0/24", AvailabilityZone="us-east-1a")["Subnet"]["SubnetId"]
    own = replace(SITE, vpc_id=vpc)

    [closed] = survey(site=own).remarks
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    [private] = survey(site=own).remarks
    ec2.modify_subnet_attribute(SubnetId=subnet, MapPublicIpOnLaunch={"Value": True})

    text = f"the subnet {subnet} in us-east-1a has no route to the internet: hosts download their software"
    assert closed == Remark.fault("#/region", text)
    assert private.text.endswith("has no NAT gateway and gives no public addresses: hosts could download nothing")
    assert survey(site=own).remarks == ()


def test_a_zone_without_a_subnet_is_a_fault(survey):
    own = replace(SITE, vpc_id="vpc-elsewhere")

    assert survey(site=own).remarks == (
        Remark.fault("#/region", "vpc-elsewhere has no subnet in this region; RUN_VPC_ID names the VPC to use"),
    )


def test_an_account_that_refuses_everything_raises(survey, ec2_api):
    from runners.providers.base import NotAllowed

    ec2_api.refusal = Refused("UnauthorizedOperation", "You are not authorized.", 403)

    with pytest.raises(NotAllowed):
        survey()
