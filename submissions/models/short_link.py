"""Short permanent addresses of views."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

LONGEST_PATH = 2000  # of a view with its query; browsers and proxies take at least that


class ShortLink(models.Model):
    """A view's address on this site, under a key made of its hash; never changed, never deleted."""

    key = models.CharField(max_length=52, unique=True)  # base32 of a SHA-256 has 52 digits
    path = models.CharField(max_length=LONGEST_PATH, unique=True)  # with its query, percent-encoded
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        constraints = [
            # "//host" and "/\host" are other sites to a browser
            models.CheckConstraint(condition=Q(path__regex=r"^/([^/\\][^\\]*)?$"), name="short_link_stays_here"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.path}"

    def get_absolute_url(self) -> str:
        return reverse("submissions:short_link", args=[self.key])
