"""AWS keeps the contract of the providers."""

import pytest

from tests.runners.providers.contract import ProviderContract


class TestAws(ProviderContract):
    @pytest.fixture
    def cloud(self, ec2_cloud):
        yield ec2_cloud
        assert ec2_cloud.api.invalid_requests == []
