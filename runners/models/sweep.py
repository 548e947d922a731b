"""What the latest sweep of an account found, and where it could not look."""

from django.db import models


class Sweep(models.Model):
    """One row an account; written by every sweep."""

    account = models.CharField(max_length=700, unique=True)  # the provider; in a user's account, also the principal
    at = models.DateTimeField()
    found = models.PositiveIntegerField()
    removed = models.JSONField(default=list)  # tags
    remaining = models.JSONField(default=list)  # tags whose resources could not be deleted yet
    unseen = models.JSONField(default=dict)  # place that did not answer -> reason
    error = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["account"]

    def __str__(self) -> str:
        return f"{self.account} at {self.at:%Y-%m-%d %H:%M}"
