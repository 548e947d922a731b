"""Invitations to a site where not everybody may sign up."""

from datetime import datetime

from django.conf import settings
from django.db import models


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, now: datetime) -> "InvitationQuerySet":
        """Neither used nor expired."""
        return self.filter(used_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """A link that lets one person sign up, once; only the digest of its key is stored."""

    digest = models.CharField(max_length=64, unique=True, editable=False)
    note = models.CharField(max_length=200, blank=True, help_text="Who it is for. Only operators see it.")
    email = models.EmailField(blank=True, help_text="Where the link is sent, if this site can send mail.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="invitations"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(editable=False)
    used_at = models.DateTimeField(null=True, editable=False)
    used_by = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="invitation"
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"
