"""Which submissions of two accounts agree."""

from django.db import models
from django.db.models import F, Q

from submissions.models.versions.data_version import Subject, any_write_triggers


class Reproduction(models.Model):
    """Two accounts measured the same workload on equal clusters, and agree: each reproduces the other.

    The pair is kept when one of the two is retracted; it counts only while both are published.
    """

    first = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="agreeing_later")
    second = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="agreeing_before")
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["first_id", "second_id"]
        triggers = any_write_triggers(Subject.PAGES)
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="one_reproduction_a_pair"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="first_was_stored_before_second"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"
