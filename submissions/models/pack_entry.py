"""Which results of the packs that come with the site are loaded, and which packs an operator has removed."""

from django.db import models

from submissions.models.versions.data_version import Subject, any_write_triggers


class PackEntry(models.Model):
    """A result of a pack (submissions/data/packs) that was loaded, or refused with `problem`."""

    pack = models.CharField(max_length=50)
    key = models.CharField(max_length=200)
    version = models.CharField(max_length=64)  # of the pack from which it was loaded; "": removed with the pack
    submission = models.ForeignKey(
        "submissions.Submission", on_delete=models.SET_NULL, null=True, related_name="pack_entries"
    )
    problem = models.TextField(default="")
    loaded_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="pack_entry_once")]
        triggers = any_write_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return f"{self.pack}: {self.key}"


class RemovedPack(models.Model):
    """A pack that stays removed, whatever PACKS names, until it is loaded by hand."""

    name = models.CharField(max_length=50, unique=True)
    removed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        triggers = any_write_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return self.name
