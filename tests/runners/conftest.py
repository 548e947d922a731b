"""Runs on the fake cloud. Django is imported inside the fixtures: it is not ready when this file is read."""

import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def open_folder(settings):
    """A folder in which another account may work: pytest closes its own to all but us, again and again."""
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=settings.DATA_DIR))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def cloud(monkeypatch, settings):
    from tests.runners.fake_runs import prepare_cloud

    return prepare_cloud(monkeypatch, settings)


@pytest.fixture
def make_run(cloud, db):
    from tests.runners.fake_runs import queued_run, record_prices

    record_prices()
    return queued_run


@pytest.fixture
def drive():
    from tests.runners.fake_runs import drive_until

    return drive_until


@pytest.fixture
def later():
    from tests.runners.fake_runs import pretend_later

    return pretend_later
