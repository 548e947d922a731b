"""API tokens: hashed by knox, with scopes, a name and an owner."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A key to the API; only its digest is stored."""

    MAX_PER_ACCOUNT = 50

    class Scope(models.TextChoices):
        SUBMIT = "submit"
        RUN = "run"

    name = models.CharField(max_length=100, default="token")
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope), default=list)

    class Meta:
        ordering = ["-created"]
