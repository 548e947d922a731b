"""The GCE API of the lab for the tests of the GCE provider; requests and answers are checked by its description."""

from collections.abc import Iterator

import pytest

from tests.runners.providers.contract import order_for
from tests.runners.providers.gce_cloud import Api, GceCloud


@pytest.fixture(scope="session")
def gce_server() -> Iterator[Api]:
    api = Api()
    yield api
    api.close()


@pytest.fixture
def api(gce_server: Api) -> Iterator[Api]:
    """An empty project."""
    gce_server.reset()
    yield gce_server
    assert gce_server.invalid_requests == []
    assert gce_server.invalid_answers == []


@pytest.fixture
def cloud(api: Api) -> GceCloud:
    return GceCloud(api)


@pytest.fixture
def order(cloud):
    return order_for(cloud)


@pytest.fixture
def provider(cloud):
    return cloud.provider()


@pytest.fixture
def place(cloud, provider):
    return provider.place(cloud.region)
