"""A user's own cloud account in which the site may act; the cloud grants access, no secret is stored."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from runners.choices import RunStatus
from runners.models.run import Run


class CloudAccessQuerySet(models.QuerySet["CloudAccess"]):
    def active(self) -> "CloudAccessQuerySet":
        return self.filter(removed_at=None)

    def to_sweep(self) -> "CloudAccessQuerySet":
        """Where machines may be left over: runs were started there, and the site still has access.

        An account that was removed while a run was being confirmed is included until that run has ended.
        """
        started = Run.objects.filter(cloud_access=OuterRef("pk"), confirmed_at__isnull=False)
        return self.filter(Exists(started)).filter(
            Q(removed_at=None) | Exists(started.exclude(status__in=RunStatus.FINAL))
        )


class CloudAccess(models.Model):
    """`principal` is the ARN of a role (AWS) or the address of a service account (GCE).

    A removed account keeps its row, with `removed_at`: a run never changes the account of its machines.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="cloud_accesses")
    provider = models.CharField(max_length=50)
    principal = models.CharField(max_length=600)
    external_id = models.CharField(max_length=40)  # of the owner: see runners/accounts/cloud_accounts.py
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)

    objects = CloudAccessQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "provider"], name="one_account_a_cloud", condition=Q(removed_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} account of user {self.owner_id}"
