"""The lab for tests: one network a process, a clean cloud a test; skipped, with the reason, where it cannot be.

A plugin of all tests (tests/conftest.py names it): whoever asks for `ec2`, `gce`, `mirror` or `lab_network` gets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the clouds are heavy, and most tests need none
    from tests.lab.ec2 import Ec2
    from tests.lab.gce import Gce
    from tests.lab.mirror import Mirror
    from tests.lab.network import Network


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test on the lab is marked `lab`, and may connect to the lab's hosts beside loopback, and to nothing else."""
    from tests.lab.network import POOL

    for item in items:
        if "lab_network" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.lab)
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1", "::1", str(POOL)]))


@pytest.fixture(scope="session")
def lab_network() -> Iterator[Network]:
    """The bridge that the hosts of this test process are on."""
    from tests.lab import image
    from tests.lab.network import Network

    if reason := image.unusable():
        pytest.skip(reason)
    image.root_image()
    network = Network()
    yield network
    network.close()


@pytest.fixture(scope="session")
def lab_ec2(lab_network: Network) -> Iterator[Ec2]:
    from tests.lab.ec2 import Ec2

    ec2 = Ec2(lab_network)
    yield ec2
    ec2.close()


@pytest.fixture
def ec2(lab_ec2: Ec2, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ec2]:
    """An AWS account with nothing in it; boto3 finds it by the environment, in this process and in those it starts."""
    from tests.lab.ec2 import REGION

    monkeypatch.setenv("AWS_ENDPOINT_URL", lab_ec2.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "lab")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    lab_ec2.reset()
    yield lab_ec2
    errors = list(lab_ec2.instances.errors)
    lab_ec2.reset()
    assert not errors


@pytest.fixture(scope="session")
def lab_gce(lab_network: Network) -> Iterator[Gce]:
    from tests.lab.gce import Gce

    gce = Gce(lab_network)
    yield gce
    gce.close()


@pytest.fixture
def gce(lab_gce: Gce) -> Iterator[Gce]:
    """A project "lab" of Compute Engine with nothing in it; `gce.endpoint` is its address."""
    lab_gce.reset()
    yield lab_gce
    wrong = [*lab_gce.machines.errors, *lab_gce.invalid_answers]
    lab_gce.reset()
    assert not wrong


@pytest.fixture
def mirror(lab_network: Network) -> Iterator[Mirror]:
    """A download site that the hosts reach; `mirror.add_cassandra()` puts Cassandra on it."""
    from tests.lab.mirror import Mirror

    mirror = Mirror(lab_network)
    yield mirror
    mirror.close()
