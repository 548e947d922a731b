"""What owners changed after a submission was stored."""

from django.conf import settings
from django.db import models

from submissions.models.versions.data_version import Subject, any_write_triggers


class Change(models.Model):
    """Who changed what, and when; rows are only added.

    `values` has [old, new] by what was changed: "visibility", or the place of a fact in the document ("#/jdk/version").
    """

    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="changes")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    changed_at = models.DateTimeField(auto_now_add=True)
    values = models.JSONField()
    document = models.JSONField(null=True)  # as it was before facts were added; null: it was not changed

    texts_from_outside = ("values", "document")

    class Meta:
        ordering = ["submission_id", "id"]
        triggers = any_write_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return f"{self.submission_id}: {', '.join(sorted(self.values))}"
