"""Invitations that still let somebody in."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.models import Invitation


@pytest.mark.django_db
def test_an_invitation_is_open_until_it_is_used_or_expires():
    now = timezone.now()
    usable = Invitation.objects.create(digest="usable", expires_at=now + timedelta(days=1))
    Invitation.objects.create(digest="used", expires_at=now + timedelta(days=1), used_at=now)
    Invitation.objects.create(digest="expired", expires_at=now)

    assert list(Invitation.objects.open(now)) == [usable]
