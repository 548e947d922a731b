"""Which image a machine boots from."""

import pytest

from runners.providers.aws import images
from runners.providers.aws.images import Image
from runners.providers.aws.session import Clients
from runners.providers.base import ProviderError


@pytest.fixture
def find(ec2_api):
    clients = Clients()

    def find(choice, *architectures):
        return images.find(clients.get("ec2", "us-east-1"), clients.get("ssm", "us-east-1"), choice, architectures)

    return find


@pytest.mark.parametrize("choice", images.PARAMETERS)
def test_a_distribution_has_an_image_for_both_architectures(find, choice):
    found = find(choice, "x86_64", "arm64")

    assert {name: image.architecture for name, image in found.items()} == {"x86_64": "x86_64", "arm64": "arm64"}
    assert found["x86_64"].id != found["arm64"].id
    root = "/dev/xvda" if choice.startswith("debian") else "/dev/sda1"
    assert {image.root_device for image in found.values()} == {root}


def test_a_parameter_of_the_sites_own_can_name_the_image(find, ec2_api):
    amd64 = find("debian-12", "x86_64")["x86_64"]
    Clients().get("ssm", "us-east-1").put_parameter(Name="/bench/amd64/image", Value=amd64.id, Type="String")

    assert find("/bench/{arch}/image", "x86_64") == {"x86_64": amd64}


def test_an_image_is_found_by_its_id_without_asking_for_a_parameter(find, ec2_api):
    amd64 = find("debian-12", "x86_64")["x86_64"]
    ec2_api.calls.clear()

    assert find(amd64.id, "x86_64") == {"x86_64": amd64}
    assert dict(ec2_api.calls) == {"DescribeImages": 1}


def test_an_image_for_another_architecture_is_refused(find):
    amd64 = find("debian-12", "x86_64")["x86_64"]

    with pytest.raises(ProviderError, match=f"the image {amd64.id} is for x86_64, not arm64"):
        find(amd64.id, "arm64")


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ("debian-9", "AWS_IMAGE=debian-9 is not one of debian-12, debian-13, ubuntu-22.04, ubuntu-24.04"),
        ("/bench/{arch}", "this region does not have the SSM parameter /bench/amd64"),
    ],
)
def test_an_unknown_image_is_named(find, choice, reason):
    with pytest.raises(ProviderError, match=reason):
        find(choice, "x86_64")


@pytest.mark.parametrize(
    ("supported", "architecture"), [(["i386", "x86_64"], "x86_64"), (["arm64"], "arm64"), (["x86_64"], "x86_64")]
)
def test_the_architecture_is_that_of_the_type(supported, architecture):
    described = {"InstanceType": "x", "ProcessorInfo": {"SupportedArchitectures": supported}}

    assert images.architecture_of(described) == architecture


def test_a_type_that_no_image_runs_on_is_refused():
    mac = {"InstanceType": "mac1.metal", "ProcessorInfo": {"SupportedArchitectures": ["x86_64_mac"]}}

    with pytest.raises(ProviderError, match=r"mac1\.metal runs x86_64_mac: there is no image for it"):
        images.architecture_of(mac)


def test_the_root_volume_is_no_smaller_than_the_image():
    described = {
        "ImageId": "ami-1",
        "Architecture": "x86_64",
        "RootDeviceName": "/dev/xvda",
        "BlockDeviceMappings": [
            {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 60}},
            {"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"},
        ],
    }

    class Ec2:
        def describe_images(self, **_):
            return {"Images": [described]}

    assert images.find(Ec2(), None, "ami-1", ["x86_64"]) == {"x86_64": Image("ami-1", "x86_64", "/dev/xvda", 60)}
