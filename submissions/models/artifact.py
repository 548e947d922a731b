"""Raw files: what was uploaded, kept for ever, and what is being uploaded just now."""

import uuid

from django.conf import settings
from django.db import models

from submissions.choices import ArtifactKind


class Artifact(models.Model):
    """A file of a submission. Its bytes stand once in the storage, under its sum."""

    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="artifacts")
    trial_index = models.PositiveSmallIntegerField(null=True)  # null: of the whole submission
    kind = models.CharField(max_length=20, choices=ArtifactKind.pairs)
    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, db_index=True)
    size_bytes = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["submission_id", "trial_index", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def storage_name(self) -> str:
        return storage_name(self.sha256)


def storage_name(sha256: str) -> str:
    """Where the bytes of this sum stand in the storage."""
    return f"{sha256[:2]}/{sha256}"


class Upload(models.Model):
    """Files on their way to a submission: waiting for the uploader's facts, or for a worker.

    `files` is a list of {"name", "sha256", "size_bytes", "trial"}; the bytes stand in the storage.
    `errors` has the API's form: [{"pointer", "detail"}].
    """

    class Status(models.TextChoices):
        STAGED = "staged"  # the form shows what was understood; nothing is stored yet
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    status = models.CharField(max_length=10, choices=Status, default=Status.STAGED)
    metadata = models.JSONField(default=dict)
    files = models.JSONField(default=list)
    submissions = models.ManyToManyField("submissions.Submission", blank=True)
    errors = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.id} ({self.status})"
