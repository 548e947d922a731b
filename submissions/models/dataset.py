"""The dumps of everything public."""

from collections.abc import Iterator

from django.db import models

from submissions.models.versions.data_version import Subject, any_write_triggers


class Dataset(models.Model):
    """One dump of everything public; its row is written once all of its files are stored.

    `files` is a list of {"name", "stored_as", "size_bytes", "sha256", "rows"}; `rows` is null for
    what is no table. `licenses` counts its results: [{"license", "attribution", "rows"}], most rows first.
    """

    made_at = models.DateTimeField(unique=True)  # the moment whose rows it holds
    folder = models.CharField(max_length=100, unique=True)  # in the storage
    files = models.JSONField()
    licenses = models.JSONField(default=list, db_default=[])  # empty: of a version that did not count them

    class Meta:
        ordering = ["-made_at"]
        triggers = any_write_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return f"dataset of {self.made_at:%Y-%m-%d}"

    @property
    def stamp(self) -> str:
        """How its addresses name it."""
        return self.folder.rpartition("/")[2]

    @classmethod
    def stored_files(cls) -> Iterator[tuple[str, str]]:
        """(name in the storage, sum) of every file to which a row points."""
        for files in cls.objects.order_by().values_list("files", flat=True):
            for entry in files:
                yield entry["stored_as"], entry["sha256"]
