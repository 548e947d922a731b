"""What was asked of the system; submissions of one workload may share a chart."""

from django.db import models


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

    texts_from_outside = ("canonical", "title")

    class Meta:
        ordering = ["title", "fingerprint"]

    def __str__(self) -> str:
        return self.title
