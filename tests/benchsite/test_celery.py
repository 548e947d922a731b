"""Tasks go through a real broker to a real worker, as JSON only."""

import logging
import time

import pytest
from django.core.cache import cache
from kombu.exceptions import EncodeError

from benchsite.celery import app


@app.task(name="tests.remember")
def remember(key, value):
    cache.set(key, value)


def test_a_worker_takes_a_task_from_the_broker(celery_worker):
    remember.delay("said", {"to": "a worker"})

    deadline = time.monotonic() + 20
    while cache.get("said") is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert cache.get("said") == {"to": "a worker"}


def test_a_message_is_json_or_refused(redis_client):
    with pytest.raises(EncodeError):
        remember.delay("said", object())


def test_two_test_workers_do_not_read_each_others_messages(redis_client, settings):
    remember.delay("said", "nobody listens")

    keys = [key.decode() for key in redis_client.keys(f"{settings.REDIS_PREFIX}:*")]

    assert f"{settings.REDIS_PREFIX}:celery" in keys


def test_a_worker_leaves_the_log_as_the_settings_have_it(monkeypatch):
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    monkeypatch.setattr(app.log, "already_setup", False)

    app.log.setup(loglevel="ERROR")

    assert (root.level, root.handlers) == before
