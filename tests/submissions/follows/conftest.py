"""A site that can send mails and call a webhook on loopback; messages to workers are taken at once."""

import pytest

from benchsite.celery import app


@pytest.fixture
def sends(settings):
    settings.EMAIL_HOST = "mail.example.org"
    settings.SITE_URL = "https://bench.example.org"
    settings.WEBHOOK_PRIVATE = True
    app.conf.task_always_eager = True
    yield settings
    app.conf.task_always_eager = False
