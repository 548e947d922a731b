"""What is cleared up once a day, and what beat sends."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from benchsite.celery import app
from benchsite.tasks import clear_sessions


@pytest.mark.django_db
def test_expired_sessions_go_and_others_stay():
    for key, days in (("old", -1), ("new", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=timezone.now() + timedelta(days=days))

    clear_sessions()

    assert [session.session_key for session in Session.objects.all()] == ["new"]


def test_what_beat_sends_is_known_to_the_workers():
    app.loader.import_default_modules()
    sent = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}

    assert sent <= set(app.tasks)
    assert {task for task in app.tasks if task.startswith("benchsite.tasks.")} <= sent
