"""What each account has stored, kept by PostgreSQL itself: migrations/sql/submissions_usage*.sql."""

from datetime import timedelta

from django.conf import settings
from django.db import models

SPAN = timedelta(minutes=10)  # as submissions_usage_span() of the database


class AccountUsage(models.Model):
    """What an account had stored when SPAN from `since` was over; the last row is what it has stored now.

    What it stored in a day is the difference of two rows. Older rows than a day's go when a new one comes.
    """

    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    since = models.DateTimeField()
    bytes = models.BigIntegerField()  # of documents and files; what is erased or taken away is subtracted
    results = models.BigIntegerField()  # without those of runs of this site, with those that were erased

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "since"], name="one_usage_a_span")]

    def __str__(self) -> str:
        return f"{self.account_id} since {self.since}: {self.bytes} bytes, {self.results} results"
