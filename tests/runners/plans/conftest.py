"""The EC2 API of the lab, as the tests of the provider have it."""

from tests.runners.providers.conftest import ec2_api, ec2_server

__all__ = ["ec2_api", "ec2_server"]
