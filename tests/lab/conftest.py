"""The lab for tests: one network a process, a clean cloud a test; skipped, with the reason, where it cannot be."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import image
from tests.lab.ec2 import REGION, Ec2
from tests.lab.network import POOL, Network

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here is marked `lab` and may connect to the lab's hosts, and to nothing else outside of loopback."""
    for item in items:
        if HERE in Path(item.path).parents:
            item.add_marker(pytest.mark.lab)
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1", "::1", str(POOL)]))


@pytest.fixture(scope="session")
def lab_network() -> Iterator[Network]:
    """The bridge that the hosts of this test process are on."""
    if reason := image.unusable():
        pytest.skip(reason)
    network = Network()
    image.root_image()
    yield network
    network.close()


@pytest.fixture(scope="session")
def _ec2(lab_network: Network) -> Iterator[Ec2]:
    ec2 = Ec2(lab_network)
    yield ec2
    ec2.close()


@pytest.fixture
def ec2(_ec2: Ec2, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ec2]:
    """An AWS account with nothing in it; boto3 finds it by the environment, in this process and in those it starts."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", _ec2.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "lab")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    _ec2.reset()
    yield _ec2
    _ec2.reset()
    assert not _ec2.instances.errors
