"""Runs on the fake cloud. Django is imported inside the fixtures: it is not ready when this file is read."""

import pytest


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
