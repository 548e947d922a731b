"""API tokens: hashed by knox, with scopes, a name and an owner."""

from contextlib import suppress
from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, OperationalError, models
from django.db.models.functions import Now
from django.utils import timezone
from knox.models import AbstractAuthToken

from submissions.models.compiled import CompiledQuery


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

    @classmethod
    def by_digest(cls, digest: str) -> "ApiToken | None":
        """With its user, in one query; None also where one of the user's tokens has expired and is to be deleted."""
        return next(iter(_TOKENS.instances(is_prepared=True, digest=digest)), None)

    def note_use(self) -> None:
        """Remember that it was used now, to a few minutes."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at <= now - self.USE_NOTED_EVERY:
            # by name: what is only noted makes no reader a writer, who would have to read from the primary
            with suppress(OperationalError):  # without the primary, replicas are read
                ApiToken.objects.using(DEFAULT_DB_ALIAS).filter(pk=self.pk).update(last_used_at=now)


def _tokens(digest: str) -> models.QuerySet[ApiToken]:
    expired = ApiToken.objects.filter(user=models.OuterRef("user"), expiry__lt=Now())
    rows: models.QuerySet[ApiToken] = ApiToken.objects.filter(~models.Exists(expired), digest=digest)
    return rows.select_related("user").order_by()


_TOKENS = CompiledQuery(_tokens, digest="digest")
