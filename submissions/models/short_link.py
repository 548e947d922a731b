"""Short addresses of views."""

from contextlib import suppress
from datetime import date, timedelta

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

LONGEST_PATH = 2000  # of a view with its query; browsers and proxies take at least that
UNUSED_DAYS = 365


class ShortLinkQuerySet(models.QuerySet["ShortLink"]):
    def forgotten(self, today: date) -> "ShortLinkQuerySet":
        """Of nobody's account, and not used for a year."""
        return self.filter(created_by=None, last_used_on__lt=today - timedelta(days=UNUSED_DAYS))


class ShortLink(models.Model):
    """A view's address on this site, under a key made of its hash; never changed.

    That of an account stays for ever, that of a visitor until nobody has used it for a year.
    """

    key = models.CharField(max_length=52, unique=True)  # base32 of a SHA-256 has 52 digits
    path = models.CharField(max_length=LONGEST_PATH, unique=True)  # with its query, percent-encoded
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    last_used_on = models.DateField(db_default=Now())  # UTC

    objects = ShortLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            # "//host" and "/\host" are other sites to a browser
            models.CheckConstraint(condition=Q(path__regex=r"^/([^/\\][^\\]*)?$"), name="short_link_stays_here"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.path}"

    def note_use(self) -> None:
        """Remember that it was used today: at most a write a day."""
        today = timezone.now().date()
        if self.last_used_on < today:
            # by name, and not without the primary: as a token's use (ApiToken.note_use)
            with suppress(OperationalError):
                ShortLink.objects.using(DEFAULT_DB_ALIAS).filter(pk=self.pk).update(last_used_on=today)

    def get_absolute_url(self) -> str:
        return reverse("submissions:short_link", args=[self.key])
