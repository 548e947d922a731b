"""Counted figures of workloads, stored so that no page reads all rows, and the queue of what changed since.

`submissions.aggregates` is the only writer; triggers fill the queue (`migrations/sql/submissions_queue_*.sql`).
"""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F
from django.db.models.lookups import GreaterThan

from submissions.models.versions.data_version import is_shown_otherwise

_NEW_ROWS = pgtrigger.Referencing(new="new_rows")  # type: ignore[no-untyped-call]


class QueuedChange(models.Model):
    """A submission that was stored or changed since the figures of its workload were counted; null: count all again.

    Without foreign keys, and with an index alone, so that it costs an upload next to nothing. Who counts deletes it in
    the same transaction, so that each is counted once.
    """

    workload_id = models.BigIntegerField()
    submission_id = models.BigIntegerField(null=True)
    is_new = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["workload_id"], name="queue_of_a_workload")]

    def __str__(self) -> str:
        return f"{'new' if self.is_new else 'changed'}: submission {self.submission_id}"


# What pages open on, of the workloads with a raw log: several machine types before one, then the newest measurement
HAS_SEVERAL = GreaterThan(F("machine_types"), 1)
NEWEST_FIRST = (HAS_SEVERAL.desc(), F("newest").desc(nulls_last=True), F("workload_id").desc())


class WorkloadFigures(models.Model):
    """One row a workload: what selectors order by. Who counts the workload holds it until the transaction ends.

    `version` changes with any figure of the workload. `valued` and `machine_types` are of the default trust filter:
    priced results that are ranked, and their machine types.
    """

    workload = models.OneToOneField(
        "submissions.Workload", models.CASCADE, db_constraint=False, related_name="figures", primary_key=True
    )
    version = models.UUIDField()
    code = models.CharField(max_length=12)  # of the code that counted
    counted_at = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)  # when the first of its embargoes and waits ends
    published = models.IntegerField(db_default=0)
    providers = models.IntegerField(db_default=0)  # of the published ones, as the next two
    instance_types = models.IntegerField(db_default=0)
    newest = models.DateTimeField(null=True)  # of the dated measurements
    proven = models.IntegerField(db_default=0)  # ranked ones with a raw log
    valued = models.IntegerField(db_default=0)
    machine_types = models.IntegerField(db_default=0)
    # priced ones that are ranked, by their trust
    priced_historical = models.IntegerField(db_default=0)
    priced_uploaded = models.IntegerField(db_default=0)
    priced_log_verified = models.IntegerField(db_default=0)
    priced_run_by_owner = models.IntegerField(db_default=0)
    priced_run_by_us = models.IntegerField(db_default=0)
    priced_reproduced = models.IntegerField(db_default=0)

    class Meta:
        indexes = [
            models.Index(
                fields=["valid_until"], condition=models.Q(valid_until__isnull=False), name="figures_valid_until"
            ),
            models.Index(F("valued").desc(), name="figures_valued"),
            models.Index(*NEWEST_FIRST, condition=models.Q(proven__gt=0), name="figures_newest_first"),
        ]

    def __str__(self) -> str:
        return f"figures of workload {self.workload_id}"


class Aggregate(models.Model):
    """The state of one kind of figures of one workload."""

    pk = models.CompositePrimaryKey("workload_id", "kind")
    workload = models.ForeignKey(
        "submissions.Workload", models.CASCADE, db_constraint=False, db_index=False, related_name="aggregates"
    )
    kind = models.CharField(max_length=40)
    state = models.TextField()  # JSON: see the kind
    # what selectors show of it, and order by, for each trust filter; labels beside them
    numbers = ArrayField(models.BigIntegerField(), default=list)
    orders = ArrayField(models.BigIntegerField(), default=list)
    labels = models.JSONField(default=list)

    class Meta:
        indexes = [
            models.Index("kind", F("orders__0").desc(), name="aggregates_by_order"),
            models.Index("kind", F("numbers__0").desc(), F("orders__0").desc(), name="aggregates_by_number"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of workload {self.workload_id}"


class SiteCount(models.Model):
    """Counts over all workloads: the rows of one key add up, since each count of a workload appends its difference.

    A worker folds them now and then.
    """

    kind = models.CharField(max_length=40)
    key = models.TextField()
    n = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["kind", "key"], name="site_counts_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.n} of {self.kind} {self.key}"


def queue_triggers() -> list[pgtrigger.Trigger]:
    """Of submissions. A superseded one is shown or not by its successor: what changes that one changes it too."""
    return [
        pgtrigger.Trigger(
            name="queue_new",
            level=pgtrigger.Statement,
            when=pgtrigger.After,
            operation=pgtrigger.Insert,
            referencing=_NEW_ROWS,
            func="PERFORM submissions_queue_new(array_agg(id), array_agg(supersedes_id)) FROM new_rows; RETURN NULL;",
        ),
        _queue_row_on(
            pgtrigger.Update,
            "ARRAY[NEW.id, OLD.supersedes_id, NEW.supersedes_id], OLD.workload_id",
            is_shown_otherwise(),
        ),
        _queue_row_on(pgtrigger.Delete, "ARRAY[OLD.supersedes_id], OLD.workload_id"),
    ]


def queue_workload_trigger() -> pgtrigger.Trigger:
    """Of workloads: a title is shown beside the figures."""
    return _queue_row_on(pgtrigger.Update, "'{}', NEW.id", pgtrigger.AnyChange())


def queue_dependent_triggers() -> list[pgtrigger.Trigger]:
    """Of rows that belong to a submission, and are counted with it."""
    inserted = pgtrigger.Trigger(
        name="queue_insert",
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=pgtrigger.Insert,
        referencing=_NEW_ROWS,
        func="PERFORM submissions_queue_changes(array_agg(DISTINCT submission_id)) FROM new_rows; RETURN NULL;",
    )
    changed = _queue_row_on(pgtrigger.Update, "ARRAY[OLD.submission_id, NEW.submission_id]", pgtrigger.AnyChange())
    return [inserted, changed, _queue_row_on(pgtrigger.Delete, "ARRAY[OLD.submission_id]")]


def _queue_row_on(
    operation: pgtrigger.Operation, changed: str, condition: pgtrigger.Condition | None = None
) -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name=f"queue_{str(operation).lower()}",
        level=pgtrigger.Row,
        when=pgtrigger.After,
        operation=operation,
        condition=condition,
        func=f"PERFORM submissions_queue_changes({changed}); RETURN NULL;",
    )
