"""AWS without its SDK: the root disk, and how the site acts in users' accounts."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from runners.providers.aws.disks import LOCAL_KINDS, local_link, root_disk
from runners.providers.base import DiskOrder, Traits, UserAccounts, ssh_fault

_ROLE = re.compile(r"arn:aws(?:-cn|-us-gov)?:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,500}")
_TYPE = re.compile(r"(?P<letters>[a-z]+)\d+(?P<traits>[a-z-]*)\.")
_CREATE = (
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeKeyPairs",
    "ec2:DescribeRegions",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotInstanceRequests",
    "ec2:DescribeSubnets",
    "ec2:DescribeVolumes",
    "servicequotas:GetServiceQuota",
    "ssm:GetParameters",
    "ec2:AuthorizeSecurityGroupIngress",
    "ec2:CreateSecurityGroup",
    "ec2:CreateTags",
    "ec2:ImportKeyPair",
    "ec2:RunInstances",
)
_DELETE = (
    "ec2:CancelSpotInstanceRequests",
    "ec2:DeleteKeyPair",
    "ec2:DeleteSecurityGroup",
    "ec2:DeleteVolume",
    "ec2:TerminateInstances",
)


class AwsUserAccounts(UserAccounts):
    """A role that the site assumes. Its trust policy requires the external ID of the user."""

    template = "runners/accounts/aws.html"
    principal_help = "the ARN of the role"

    def problem(self, principal: str, external_id: str) -> str | None:
        is_role = _ROLE.fullmatch(principal)
        return None if is_role else "must be the ARN of a role: arn:aws:iam::<account>:role/<name>"

    def instructions(self, external_id: str) -> Mapping[str, str]:
        identity = settings.RUN_AWS_IDENTITY or "ask the operators of this site"
        return {"trust": trust_policy(identity, external_id), "permissions": permissions_policy(settings.SITE_ID)}


def trust_policy(identity: str, external_id: str) -> str:
    """Who may assume the role: only `identity`, and only with the user's external ID."""
    return _policy(
        {
            "Effect": "Allow",
            "Principal": {"AWS": identity},
            "Action": "sts:AssumeRole",
            "Condition": {"StringEquals": {"sts:ExternalId": external_id}},
        }
    )


def permissions_policy(site_id: str) -> str:
    """What the role may do: create machines, and delete only what carries the site's tag."""
    return _policy(
        {"Effect": "Allow", "Resource": "*", "Action": list(_CREATE)},
        {
            "Effect": "Allow",
            "Resource": "*",
            "Action": list(_DELETE),
            "Condition": {"StringEquals": {"aws:ResourceTag/benchsite:site": site_id}},
        },
    )


def _policy(*statements: dict[str, Any]) -> str:
    content: dict[str, str | Sequence[dict[str, Any]]] = {"Version": "2012-10-17", "Statement": statements}
    return json.dumps(content, indent=1)


def _root_disk(instance_type: str) -> DiskOrder:
    return root_disk(settings.AWS_ROOT_GIB)


def _ssh_fault(cidr: str) -> str | None:
    """A VPC of the site's own may be one that its workers reach from inside; so may a lab on this machine."""
    is_lab = any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_EC2"))
    return None if is_lab else ssh_fault(cidr, has_private_route=bool(settings.RUN_VPC_ID))


def _image() -> str:
    return str(settings.AWS_IMAGE)


def family_of(instance_type: str) -> str:
    """ "m" of m5.xlarge and m6a.xlarge, "m-arm" of m7g.xlarge, "m-flex" of m7i-flex.xlarge."""
    parts = _TYPE.match(instance_type)
    if parts is None:
        return instance_type
    traits = (["arm"] if "g" in parts["traits"].partition("-")[0] else []) + re.findall("flex", parts["traits"])
    return "-".join([parts["letters"], *traits])


TRAITS = Traits(
    family=family_of,
    root_disk=_root_disk,
    user_accounts=AwsUserAccounts(),
    usual_region="us-east-1",
    usual_zones=("us-east-1a", "us-east-1b", "us-east-1c"),
    ssh_fault=_ssh_fault,
    image=_image,
    image_setting="AWS_IMAGE",
    local_disks=LOCAL_KINDS,
    local_disk_link=local_link,
)
