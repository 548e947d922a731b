"""A client of the account under test."""

import pytest


@pytest.fixture
def client(ec2_cloud):
    return ec2_cloud.provider()._client("ec2", ec2_cloud.region)
