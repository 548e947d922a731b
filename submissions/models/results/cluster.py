"""The machines of a submission."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from submissions.choices import NodeKind, PricingModel, Role
from submissions.models.aggregate import queue_dependent_triggers
from submissions.models.versions.data_version import changed_triggers


class NodeGroup(models.Model):
    """`count` equal nodes of one role.

    `node_hourly_usd` and `storage_hourly_usd` are USD per node and hour, frozen when the
    submission was stored; null where the price was not known.
    """

    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="node_groups")
    position = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=20, choices=Role.pairs)
    count = models.PositiveIntegerField()
    kind = models.CharField(
        max_length=20, choices=NodeKind.pairs, default=NodeKind.MACHINES.value, db_default=NodeKind.MACHINES.value
    )
    instance_type = models.CharField(max_length=100)
    cpu_model = models.CharField(max_length=200, null=True)
    vcpus = models.PositiveIntegerField(null=True)
    memory_gib = models.FloatField(null=True)
    disks = models.JSONField(default=list)
    pricing_model = models.CharField(max_length=20, choices=PricingModel.pairs)
    node_hourly_usd = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    storage_hourly_usd = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    is_price_stated = models.BooleanField(default=False)  # by the submitter, not the price book
    price_source = models.CharField(max_length=200, null=True)
    price_date = models.DateField(null=True)
    price_last_seen = models.DateField(null=True)

    class Meta:
        ordering = ["submission_id", "position"]
        triggers = [*changed_triggers(), *queue_dependent_triggers()]
        constraints = [
            models.UniqueConstraint(fields=["submission", "position"], name="one_group_a_position"),
            models.CheckConstraint(condition=Q(count__gte=1), name="group_has_nodes"),
        ]

    def __str__(self) -> str:
        return f"{self.count}× {self.instance_type} ({self.role})"


def has_mixed_machines() -> Q:
    """Submissions with database nodes of another instance type beside those of the largest group."""
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role=Role.DATABASE)
    return Q(Exists(groups.exclude(instance_type=OuterRef("instance_type"))))
