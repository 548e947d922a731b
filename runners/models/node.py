"""Each machine that a run ever ordered, identified by (run, name) after any crash."""

from django.db import models

from runners.choices import NodeState
from submissions.choices import Role


class RunNode(models.Model):
    run = models.ForeignKey("runners.Run", on_delete=models.CASCADE, related_name="nodes")
    name = models.CharField(max_length=50)  # "db-0", "client-1", or "db-0b" in its place; the name tag in the cloud
    role = models.CharField(max_length=20, choices=Role.pairs)
    index = models.PositiveIntegerField()  # within the role
    zone = models.CharField(max_length=50, null=True)
    instance_type = models.CharField(max_length=100)
    state = models.CharField(max_length=20, choices=NodeState.pairs, default=NodeState.REQUESTED)
    provider_id = models.CharField(max_length=200, null=True)
    address = models.CharField(max_length=100, null=True)  # for the worker
    private_address = models.CharField(max_length=100, null=True)  # for the other nodes
    volume_links = models.JSONField(default=list)  # of its volumes, in the order of the plan: scripts/disks.py
    facts = models.JSONField(default=dict)  # lscpu, memory, disks, java, kernel
    hourly_usd = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    requested_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True)
    terminated_at = models.DateTimeField(null=True)
    replaced_at = models.DateTimeField(null=True)  # it failed before the load: another machine has its role and index

    class Meta:
        ordering = ["run_id", "role", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "name"], name="one_node_a_name"),
            models.UniqueConstraint(
                fields=["run", "provider_id"],
                name="one_node_a_machine",
                condition=models.Q(provider_id__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["run", "role", "index"], name="one_node_a_place", condition=models.Q(replaced_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of run {self.run_id}"
