"""What a user allows the site in an account of their own, in the cloud's own words: shown to be copied."""

import json
from collections.abc import Sequence
from typing import Any

_MAKE = (
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeKeyPairs",
    "ec2:DescribeRegions",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotInstanceRequests",
    "ec2:DescribeSubnets",
    "ec2:DescribeVolumes",
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


def aws_trust(identity: str, external_id: str) -> str:
    """The role's trust policy: only `identity`, and only when it names the user's id."""
    return _policy(
        {
            "Effect": "Allow",
            "Principal": {"AWS": identity},
            "Action": "sts:AssumeRole",
            "Condition": {"StringEquals": {"sts:ExternalId": external_id}},
        }
    )


def aws_rights(site_id: str) -> str:
    """The role's permissions: make machines, delete only what carries the site's tag."""
    return _policy(
        {"Effect": "Allow", "Resource": "*", "Action": list(_MAKE)},
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
