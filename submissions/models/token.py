"""API tokens: hashed by knox, with scopes, a name and an owner."""

from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A key to the API; only its digest is stored. `expiry` is null for one that does not expire."""

    MAX_PER_ACCOUNT = 50
    MOST_DAYS = 3650
    USE_NOTED_EVERY = timedelta(minutes=10)  # not a write for each request

    class Scope(models.TextChoices):
        SUBMIT = "submit"
        RUN = "run"

    name = models.CharField(max_length=100, default="token")
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope), default=list)

    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created"]

    def note_use(self) -> None:
        """Remember that it was used now, to a few minutes."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at <= now - self.USE_NOTED_EVERY:
            ApiToken.objects.filter(pk=self.pk).update(last_used_at=now)
