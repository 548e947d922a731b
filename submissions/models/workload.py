"""What was asked of the system; submissions of one workload may share a chart."""

from django.db import models
from django.db.models import Exists, OuterRef

from submissions.models.publication import is_public
from submissions.models.submission import Submission


class WorkloadQuerySet(models.QuerySet["Workload"]):
    def open(self) -> "WorkloadQuerySet":
        """Those that anybody may know of: all but the ones of which nothing is public."""
        rows = Submission.objects.filter(is_public(), hidden_at=None, workload=OuterRef("pk"))
        return self.filter(Exists(rows))


class Workload(models.Model):
    """A workload's canonical form, found by its fingerprint.

    `canonical` holds what ingest/fingerprint.py hashed, so that two workloads can be told apart
    in words.
    """

    fingerprint = models.CharField(max_length=16, unique=True)
    canonical = models.JSONField()
    title = models.CharField(max_length=300)  # "cassandra-stress write, LOCAL_ONE, RF 3, 200 threads"
    service = models.CharField(max_length=100, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WorkloadQuerySet.as_manager()

    texts_from_outside = ("canonical", "title")

    class Meta:
        ordering = ["title", "fingerprint"]

    def __str__(self) -> str:
        return self.title
