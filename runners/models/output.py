"""The output of a detached command so far, and the raw file once it is stored."""

from collections.abc import Iterator

from django.db import models

from submissions.models.results.artifact import Artifact, storage_name


class RunOutput(models.Model):
    """One output file on one node. `offset_bytes` is how far it has been tailed.

    `sha256` is set once the whole file is in the storage: only then may its node be deleted.
    """

    run = models.ForeignKey("runners.Run", on_delete=models.CASCADE, related_name="outputs")
    node = models.ForeignKey("runners.RunNode", on_delete=models.CASCADE, related_name="outputs")
    trial = models.PositiveSmallIntegerField(null=True)  # from 0; null: of no trial (bootstrap, fio)
    kind = models.CharField(max_length=20)  # an OutputKind
    path = models.CharField(max_length=500)  # on the host
    offset_bytes = models.BigIntegerField(default=0)
    tail = models.TextField(blank=True)  # the last lines, for the live page
    series = models.JSONField(default=list)  # [[elapsed_s, ops_s, p99_ms], ...] so far
    name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, null=True)
    size_bytes = models.BigIntegerField(null=True)
    original_sha256 = models.CharField(max_length=64, null=True)  # before secrets were masked; null: as it was

    texts_from_outside = ("tail",)

    class Meta:
        ordering = ["run_id", "trial", "id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "node", "path"], name="one_output_a_path"),
        ]

    def __str__(self) -> str:
        return f"{self.path} on {self.node_id}"

    @classmethod
    def stored_files(cls) -> Iterator[tuple[str, str]]:
        """(name in the storage, sum) of every file to which a row points, but what a moderator has taken away."""
        removed = Artifact.objects.filter(removed_at__isnull=False).values("sha256")
        stored = cls.objects.order_by().filter(sha256__isnull=False).exclude(sha256__in=removed)
        for sha256 in stored.values_list("sha256", flat=True).iterator():
            yield storage_name(sha256 or ""), sha256 or ""
