"""What an AWS account finds when it is new: the default VPC, here on the lab's bridge, and the public images."""

import ipaddress
from collections.abc import Sequence
from typing import Any

from moto.core.utils import utcnow
from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, get_prefix
from moto.ssm.models import Parameter, ssm_backends

ACCOUNT = "123456789012"  # moto's own
_CANONICAL = "099720109477"
_DEBIAN = "136693071363"
_SSM_ARCHITECTURES = {"amd64": "x86_64", "arm64": "arm64"}
# (SSM path without the architecture, what follows it, owner, name of the image, root device)
_IMAGES = [
    *(
        (
            f"/aws/service/canonical/ubuntu/server/{release}/stable/current",
            "/hvm/ebs-gp3/ami-id" if release == "24.04" else "/hvm/ebs-gp2/ami-id",
            _CANONICAL,
            f"ubuntu/images/hvm-ssd/ubuntu-{code}-{release}-server",
            "/dev/sda1",
        )
        for release, code in (("22.04", "jammy"), ("24.04", "noble"))
    ),
    *(
        (f"/aws/service/debian/release/{release}/latest", "", _DEBIAN, f"debian-{release}", "/dev/xvda")
        for release in (11, 12, 13)
    ),
]


def backend(region: str) -> Any:
    """moto's own state of EC2 in a region, untyped as moto's mixins are."""
    return ec2_backends[ACCOUNT][region]


def _own_tags(resource: Any) -> list[dict[str, str]]:
    """moto searches the tags of the whole account for those of each resource: most of the time of 350 machines."""
    kind = EC2_PREFIX_TO_RESOURCE.get(get_prefix(resource.id), "") if resource.id else ""
    own = resource.ec2_backend.tags.get(resource.id, {})
    return [{"resource_id": resource.id, "key": key, "value": own[key], "resource_type": kind} for key in own]


TaggedEC2Resource.get_tags = _own_tags


def prepare(region: str, networks: Sequence[ipaddress.IPv4Network]) -> list[str]:
    """Put the default subnets of the first zones on `networks`, one each; register the images. Returns the zones."""
    zones = [f"{region}{letter}" for letter, _ in zip("abcdef", networks, strict=False)]
    ec2 = backend(region)
    for subnet in ec2.describe_subnets():
        ec2.delete_subnet(subnet.id)
    ec2.delete_vpc(ec2.get_default_vpc().id)
    supernet = next(net for net in _around(networks[0]) if all(other.subnet_of(net) for other in networks))
    vpc = ec2.create_vpc(str(supernet), is_default=True)
    for zone, network in zip(zones, networks, strict=True):
        ec2.create_subnet(vpc.id, str(network), availability_zone=zone)
    _connect(ec2, vpc.id)
    for number, (path, rest, owner, name, root) in enumerate(_IMAGES):
        for suffix, architecture in _SSM_ARCHITECTURES.items():
            ami = f"ami-{'0' if architecture == 'x86_64' else 'f'}1ab00000000000{number:02x}"
            _add_image(region, ami, owner, f"{name}-{suffix}", architecture, root)
            _publish(region, f"{path}/{suffix}{rest}", ami)
    return zones


def _connect(ec2: Any, vpc_id: str) -> None:
    """A default VPC has an internet gateway, and its main route table leads there."""
    gateway = ec2.create_internet_gateway()
    ec2.attach_internet_gateway(gateway.id, vpc_id)
    main = next(table for table in ec2.route_tables.values() if table.vpc_id == vpc_id)
    ec2.create_route(main.id, "0.0.0.0/0", gateway_id=gateway.id)


def default_user(region: str, ami: str) -> str:
    """The account that the image's cloud-init makes."""
    image = backend(region).amis.get(ami)
    return {_CANONICAL: "ubuntu", _DEBIAN: "admin"}.get(image.owner_id if image else "", "ec2-user")


def _around(network: ipaddress.IPv4Network) -> list[ipaddress.IPv4Network]:
    """The network and those that contain it, up to the largest that a VPC may be."""
    return [network.supernet(new_prefix=prefix) for prefix in range(network.prefixlen, 15, -1)]


def _add_image(region: str, ami: str, owner: str, name: str, architecture: str, root_device: str) -> None:
    ec2 = backend(region)
    ec2.amis[ami] = Ami(
        ec2,
        ami,
        name=name,
        owner_id=owner,
        public=True,
        virtualization_type="hvm",
        architecture=architecture,
        hypervisor="xen",
        root_device_type="ebs",
        root_device_name=root_device,
        region_name=region,
    )


def _publish(region: str, name: str, value: str) -> None:
    ssm_backends[ACCOUNT][region]._parameters[name].append(
        Parameter(
            account_id=ACCOUNT,
            name=name,
            value=value,
            parameter_type="String",
            description=None,
            allowed_pattern=None,
            keyid=None,
            last_modified_date=utcnow(),
            version=1,
            data_type="aws:ec2:image",
        )
    )
