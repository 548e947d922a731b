"""Gives every test the real services: an embedded PostgreSQL and Redis, a Celery worker, a folder for artifacts.

The environment is set here, before Django reads its settings. TEST_DATA_DIR chooses the folder of the services;
two test runs at the same time need two of them, the workers of one run (pytest -n) share one.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")

for name in ("DATABASE_URL", "REDIS_URL", "S3_BUCKET", "ALLOWED_HOSTS", "HTTPS", "DEBUG", "EMAIL_HOST"):
    os.environ.pop(name, None)
os.environ.update(
    DJANGO_SETTINGS_MODULE="benchsite.settings",
    DATA_DIR=os.environ.get("TEST_DATA_DIR", str(ROOT / ".data-test")),
    EMBEDDED_DURABLE="0",
    REDIS_PREFIX=f"test-{WORKER}",
    STATIC_MANIFEST="0",
    LOG_LEVEL="WARNING",
    SECRET_KEY="a key for tests only, never used by a site",
    THROTTLE_ANON="1000000/min",
    THROTTLE_USER="1000000/min",
    THROTTLE_UPLOAD="1000000/min",
)

import pytest  # noqa: E402
from django.conf import settings  # noqa: E402

from benchsite import embedded  # noqa: E402

embedded.use_configured()
settings.STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns when it is missing


@pytest.fixture(autouse=True)
def artifacts_folder(tmp_path, settings):
    """Raw files of a test go to a folder of its own."""
    folder = tmp_path / "artifacts"
    storage = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    return folder


@pytest.fixture
def redis_client():
    """The broker and cache itself, emptied of what this test worker keeps there."""
    import redis

    client = redis.Redis.from_url(settings.REDIS_URL)
    yield client
    for key in client.scan_iter(f"*{settings.REDIS_PREFIX}:*"):
        client.delete(key)
    client.close()


@pytest.fixture
def clear_cache():
    """No throttle count or cached page of another test."""
    from django.core.cache import cache

    cache.clear()
    return cache


@pytest.fixture
def celery_worker(transactional_db, redis_client):
    """A worker thread on the real broker; it sees what the test has committed."""
    from celery.contrib.testing.worker import start_worker

    from benchsite.celery import app

    app.loader.import_default_modules()
    with start_worker(app, pool="threads", concurrency=2, perform_ping_check=False, shutdown_timeout=30) as worker:
        yield worker
