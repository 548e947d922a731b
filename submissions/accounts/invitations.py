"""Inviting people: a link that expires and works once."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from submissions.models import Invitation

VALID_FOR = timedelta(days=7)
_SESSION_KEY = "invitation"


def invite(invitation: Invitation, *, valid_for: timedelta = VALID_FOR) -> str:
    """Save a new invitation; its link, which is known only now."""
    key = secrets.token_urlsafe(32)
    invitation.digest = _digest(key)
    invitation.expires_at = timezone.now() + valid_for
    invitation.save()
    return f"{settings.SITE_URL}{reverse('submissions:accept_invitation', args=[key])}"


def send(invitation: Invitation, link: str) -> bool:
    """Mail the link where there is an address and a mail server; whether it was sent."""
    if not (invitation.email and settings.EMAIL_HOST):
        return False
    body = (
        f"You are invited to open an account on {settings.SITE_URL}.\n\n{link}\n\n"
        f"The link works once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.\n"
    )
    send_mail("Your invitation to Benchsite", body, None, [invitation.email])
    return True


def accept(request: HttpRequest, key: str) -> Invitation | None:
    """Remember in the session that its holder may sign up; None where the link is not valid any more."""
    invitation = Invitation.objects.open(timezone.now()).filter(digest=_digest(key)).first()
    if invitation is not None:
        request.session[_SESSION_KEY] = invitation.pk
    return invitation


def is_invited(request: HttpRequest) -> bool:
    return Invitation.objects.open(timezone.now()).filter(pk=request.session.get(_SESSION_KEY, 0)).exists()


def use(request: HttpRequest, user: User) -> bool:
    """Spend the invitation of the session on a new account; False where another was faster."""
    with transaction.atomic():
        invitations = Invitation.objects.open(timezone.now()).filter(pk=request.session.pop(_SESSION_KEY, 0))
        return bool(invitations.update(used_at=timezone.now(), used_by=user))


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
