"""Figures of many submissions that boards read instead of the submissions, and the journal that they grow by."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class RowChange(models.Model):
    """A submission that was stored, or changed in a column that tallies read: a trigger notes it with the change.

    The columns are in `tallies/journal.py`. Without foreign keys, so that it costs an upload next to nothing.
    """

    submission_id = models.BigIntegerField()
    workload_id = models.BigIntegerField()
    is_new = models.BooleanField()
    transaction = models.BigIntegerField(db_index=True)  # its xid8: what a snapshot shows does not depend on ids

    def __str__(self) -> str:
        return f"{'new' if self.is_new else 'changed'}: submission {self.submission_id}"


class Tally(models.Model):
    """How far the parts of one kind have grown: they hold all that `snapshot` shows, and `applied`."""

    name = models.CharField(max_length=200, unique=True)
    code = models.CharField(max_length=12, blank=True)  # version of the code that counted
    cluster = models.CharField(max_length=20, blank=True)  # of PostgreSQL: a snapshot has no meaning in another one
    snapshot = models.TextField(null=True)  # pg_snapshot; null: to be counted
    applied = ArrayField(models.BigIntegerField(), default=list)  # changes beyond the snapshot that are in it
    read_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class TallyPart(models.Model):
    """The figures of one scope: a workload, or the workloads that share a grid."""

    tally = models.ForeignKey(Tally, on_delete=models.CASCADE, related_name="parts")
    scope = models.CharField(max_length=20)
    workloads = ArrayField(models.BigIntegerField(), default=list)
    # by shelf, in the order of `tallies.shelf.SHELVES`: what the choice shows, and what it is ordered by
    numbers = ArrayField(models.BigIntegerField(), default=list)
    orders = ArrayField(models.BigIntegerField(), default=list)
    labels = models.JSONField(default=list)
    state = models.TextField()  # JSON
    valid_until = models.DateTimeField(null=True, db_index=True)  # when an embargo ends, or a wait for the boards

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tally", "scope"], name="one_part_a_scope")]
        # the first of a choice, on the default shelf
        indexes = [
            models.Index("tally", models.F("orders__0").desc(), name="first_parts_by_order"),
            models.Index("tally", models.F("numbers__0").desc(), models.F("orders__0").desc(), name="first_parts"),
        ]

    def __str__(self) -> str:
        return f"{self.scope} of tally {self.tally_id}"
