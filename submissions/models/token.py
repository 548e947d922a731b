"""API tokens: hashed by knox, with scopes, a name and an owner."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, OperationalError, models, router
from django.db.models.functions import Now
from django.utils import timezone
from knox.models import AbstractAuthToken

from submissions.models.compiled import CompiledQuery
from submissions.models.data_version import DataVersion, Subject


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
    prices_version: tuple[object, ...] | None = None  # of the price book, read with the token: see `by_digest`
    is_believed = False  # not read for this request: submissions/api/believed.py

    class Meta:
        ordering = ["-created"]

    @classmethod
    def by_digest(cls, digest: str) -> "ApiToken | None":
        """With its user, in one query; None also where one of the user's tokens has expired and is to be deleted.

        With the version of the price book, which most of those who send a token need next.
        """
        row = cls.row_of(digest)
        return cls.of_row(row) if row else None

    @classmethod
    def row_of(cls, digest: str) -> "tuple[Any, ...] | None":
        """What `by_digest` reads."""
        rows = _TOKENS.rows(digest=digest)
        return rows[0] if rows else None

    @classmethod
    def of_row(cls, row: tuple[Any, ...]) -> "ApiToken":
        *values, prices = row
        alias = router.db_for_read(cls)
        token: ApiToken = cls.from_db(alias, _COLUMNS_OF_TOKEN, values[: len(_COLUMNS_OF_TOKEN)])
        user: Any = User.from_db(alias, _COLUMNS_OF_USER, values[len(_COLUMNS_OF_TOKEN) :])
        token.user = user
        token.prices_version = tuple(prices)
        return token

    def note_use(self) -> None:
        """Remember that it was used now, to a few minutes."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at <= now - self.USE_NOTED_EVERY:
            # by name: what is only noted makes no reader a writer, who would have to read from the primary
            with suppress(OperationalError):  # without the primary, replicas are read
                ApiToken.objects.using(DEFAULT_DB_ALIAS).filter(pk=self.pk).update(last_used_at=now)


_COLUMNS_OF_TOKEN = [field.attname for field in ApiToken._meta.concrete_fields]
_COLUMNS_OF_USER = [field.attname for field in User._meta.concrete_fields]


def _tokens(digest: str) -> models.QuerySet[ApiToken, Any]:
    expired = ApiToken.objects.filter(user=models.OuterRef("user"), expiry__lt=Now())
    users = [f"user__{name}" for name in _COLUMNS_OF_USER]
    rows = ApiToken.objects.filter(~models.Exists(expired), digest=digest).order_by()
    versions = DataVersion.objects.filter(subject=Subject.PRICES).order_by("pk").values("token")
    return rows.values_list(*_COLUMNS_OF_TOKEN, *users, ArraySubquery(versions))  # type: ignore[no-any-return]


_TOKENS = CompiledQuery(_tokens, digest="digest")
