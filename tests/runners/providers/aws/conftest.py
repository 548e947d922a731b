"""A client of the account under test, and an account with few regions."""

import pytest


@pytest.fixture
def client(ec2_cloud):
    return ec2_cloud.provider().client("ec2", ec2_cloud.region)


@pytest.fixture
def few_regions(monkeypatch):
    """Three of the account's regions; each of them costs moto a quarter of a second."""
    from runners.providers.aws import ec2

    monkeypatch.setattr(ec2, "regions", lambda client: ["eu-west-1", "us-east-1", "us-west-2"])
