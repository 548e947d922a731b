"""What is cleared up once a day."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from benchsite.tasks import clear_sessions


@pytest.mark.django_db
def test_expired_sessions_go_and_others_stay():
    for key, days in (("old", -1), ("new", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=timezone.now() + timedelta(days=days))

    clear_sessions()

    assert [session.session_key for session in Session.objects.all()] == ["new"]
