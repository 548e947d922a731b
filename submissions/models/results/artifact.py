"""Raw files: those of submissions, which stay, and uploads that are not submissions yet."""

import uuid
from collections.abc import Iterator

from django.conf import settings
from django.db import models

from submissions.choices import ArtifactKind
from submissions.models.versions.data_version import Subject, changed_triggers


class Artifact(models.Model):
    """A file of a submission. Its bytes are in the storage once, under their sum."""

    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="artifacts")
    trial_index = models.PositiveSmallIntegerField(null=True)  # null: of the whole submission
    kind = models.CharField(max_length=20, choices=ArtifactKind.pairs)
    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, db_index=True)
    size_bytes = models.BigIntegerField()
    original_sha256 = models.CharField(max_length=64, null=True)  # before secrets were masked; null: as uploaded
    # Of a log: lines that begin like a result of its tool and could not be read, and the first of them
    lines_not_read = models.PositiveIntegerField(default=0)
    first_lines_not_read = models.JSONField(default=list)
    removed_at = models.DateTimeField(null=True)  # when a moderator took the bytes away; the row and its sum stay
    created_at = models.DateTimeField(auto_now_add=True)

    texts_from_outside = ("name", "first_lines_not_read")

    class Meta:
        ordering = ["submission_id", "trial_index", "id"]
        triggers = changed_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return self.name

    @property
    def storage_name(self) -> str:
        return storage_name(self.sha256)

    @classmethod
    def stored_files(cls) -> Iterator[tuple[str, str]]:
        """(name in the storage, sum) of every file to which a row points."""
        there = cls.objects.order_by().filter(removed_at__isnull=True)
        for sha256 in there.values_list("sha256", flat=True).distinct().iterator():
            yield storage_name(sha256), sha256


def storage_name(sha256: str) -> str:
    """Where the bytes of this sum are in the storage."""
    return f"{sha256[:2]}/{sha256}"


class Upload(models.Model):
    """Files on their way to a submission: waiting for the uploader's facts, or for a worker.

    `files` is a list of a log each: {"name", "sha256", "original_sha256", "size_bytes", "trial", "encoding", "is_gzip",
    "warnings", "modified_at"}; the bytes are in the storage.
    `errors` has the API's form: [{"pointer", "detail"}].

    Many logs at once are an upload without files whose `metadata` counts for all, and a part for each log: its
    `metadata` is what differs for the result that it is the first log of. A part without files is a file that could
    not be opened; its name is its metadata's `name`.
    """

    class Status(models.TextChoices):
        STAGED = "staged"  # read; the form shows a preview and nothing is stored yet
        QUEUED = "queued"  # for a worker
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    status = models.CharField(max_length=10, choices=Status, default=Status.STAGED)
    for_preview = models.BooleanField(default=False)  # a worker reads it and stores nothing: the uploader saves
    metadata = models.JSONField(default=dict)
    files = models.JSONField(default=list)
    submissions = models.ManyToManyField("submissions.Submission", blank=True)
    errors = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)  # how often a worker began to read it
    # running: the last sign of life of its worker; queued: when it was last sent again (null: since it is queued)
    heartbeat_at = models.DateTimeField(null=True, editable=False)
    batch = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="parts")
    position = models.PositiveSmallIntegerField(default=0)  # in its batch
    result = models.PositiveSmallIntegerField(null=True)  # parts of the same number are published as one result
    is_chosen = models.BooleanField(default=True)  # False: the uploader leaves it out
    created_at = models.DateTimeField(auto_now_add=True)

    texts_from_outside = ("metadata", "errors", "files")

    class Meta:
        ordering = ["-created_at"]
        indexes = [  # looked for twice a minute among all that were ever read
            models.Index("created_at", name="upload_waiting", condition=models.Q(status__in=["queued", "running"])),
        ]

    def __str__(self) -> str:
        return f"{self.id} ({self.status})"

    @property
    def is_waiting(self) -> bool:
        """Whether a worker has it."""
        return self.status in (self.Status.QUEUED, self.Status.RUNNING)

    @property
    def size_bytes(self) -> int:
        """As stored: a gzipped log counts packed."""
        return sum(entry["size_bytes"] for entry in self.files)

    @classmethod
    def stored_files(cls) -> Iterator[tuple[str, str]]:
        """(name in the storage, sum) of every file that waits; those of a finished upload are artifacts."""
        waiting = cls.objects.order_by().exclude(status=cls.Status.DONE)
        for files in waiting.values_list("files", flat=True).iterator():
            for entry in files:
                yield storage_name(entry["sha256"]), entry["sha256"]
