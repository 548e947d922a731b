"""The EC2 API of the lab for the tests of the AWS provider; the contract as a file whose assertions are explained."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.runners.providers.ec2_cloud import Api, Ec2Cloud

pytest.register_assert_rewrite("tests.runners.providers.contract")


@pytest.fixture(scope="session")
def ec2_server() -> Iterator["Api"]:
    from tests.runners.providers.ec2_cloud import Api

    api = Api()
    yield api
    api.close()


@pytest.fixture
def ec2_api(ec2_server: "Api", monkeypatch: pytest.MonkeyPatch) -> "Api":
    """An empty account, found by the SDK's own chain."""
    ec2_server.reset()
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", ec2_server.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTONLY")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret of the tests")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    return ec2_server


@pytest.fixture
def ec2_cloud(ec2_api: "Api") -> "Ec2Cloud":
    from tests.runners.providers.ec2_cloud import Ec2Cloud

    return Ec2Cloud(ec2_api)
