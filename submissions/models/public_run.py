"""Which of the published benchmark runs that come with the site are loaded."""

from django.db import models

from submissions.models.data_version import Subject, any_write_triggers


class PublicRun(models.Model):
    """A result of the pack (submissions/data/public_runs) that was loaded, or refused with `problem`."""

    key = models.CharField(max_length=200, unique=True)
    version = models.CharField(max_length=64)  # of the pack from which it was loaded
    submission = models.ForeignKey(
        "submissions.Submission", on_delete=models.SET_NULL, null=True, related_name="public_runs"
    )
    problem = models.TextField(default="")
    loaded_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        triggers = any_write_triggers(Subject.PAGES)

    def __str__(self) -> str:
        return self.key
