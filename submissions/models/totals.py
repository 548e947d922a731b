"""Totals of each workload, so that no page reads all of its rows: kept by PostgreSQL itself, exactly.

Triggers on submissions, trials and node groups note what a transaction adds or changes; when it commits, what it added
is added to the totals; a changed row is taken out as it was counted and added as it is. After changes of many rows,
of trials or of machines a workload is counted again. The functions are in migrations/sql/totals.sql, totals_at_once.sql
and totals_revised.sql. `submissions.summaries` reads the tables, and says which workloads have totals that are true
now: a time that has passed since (`valid_until`), or a change of the open transaction itself, sends a reader to the
rows. `manage.py check_summaries` compares them with plain counts.
"""

from collections.abc import Collection
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import BooleanField, F, Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from submissions.choices import Trust
from submissions.models.aggregate import NEWEST_FIRST

_MONEY: Any = {"max_digits": 24, "decimal_places": 4}
_EXACT: Any = {"max_digits": 1000, "decimal_places": 24}
_SETTLED = "NOT EXISTS (SELECT FROM submissions_totalschange WHERE transaction = pg_current_xact_id_if_assigned())"


class OfWorkloadQuerySet(models.QuerySet[Any]):
    def current(self) -> "OfWorkloadQuerySet":
        """Of the workloads whose totals are true now."""
        return self.filter(workload_id__in=WorkloadTotals.objects.current().values("workload_id"))


def _workload() -> Any:
    # no constraint: PostgreSQL would look each one up again while it holds the totals
    return models.ForeignKey(
        "submissions.Workload", models.CASCADE, db_constraint=False, db_index=False, related_name="+"
    )


class WorkloadTotalsQuerySet(models.QuerySet["WorkloadTotals"]):
    def current(self) -> "WorkloadTotalsQuerySet":
        """Those that are true now; the rows of all other workloads are to be read."""
        return self.current_at(Now()).filter(_has_settled())

    def current_at(self, moment: Any) -> "WorkloadTotalsQuerySet":
        """The same outside of transactions that change rows, at a moment."""
        return self.filter(Q(valid_until=None) | Q(valid_until__gt=moment))


def _has_settled() -> RawSQL:
    """Whether the open transaction has changed no row since its last `settle`; no other one's changes are visible."""
    return RawSQL(_SETTLED, [], output_field=BooleanField())  # noqa: S611  no parameter


def settle() -> None:
    """Bring the totals up to date before the transaction ends, as its end does; the locks stay with it."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS submissions_totals_settle IMMEDIATE")
        cursor.execute("SET CONSTRAINTS submissions_totals_settle DEFERRED")


def recount(workload_ids: Collection[int]) -> None:
    """Count these workloads again, from their rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT submissions_totals_recount(%s::bigint[])", [sorted(workload_ids)])


def expire(workload_id: int) -> None:
    """Bring the totals of a workload up to date after a time has passed; what was never counted is counted now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT submissions_totals_expire(%s)", [workload_id])


class WorkloadTotals(models.Model):
    """One row a workload; whoever changes any of its totals holds it until the transaction ends.

    `valued` and `machine_types` are of the default shelf: priced ones that are ranked, and their machine types.
    """

    workload = models.OneToOneField(
        "submissions.Workload", models.CASCADE, db_constraint=False, related_name="totals", primary_key=True
    )
    valid_until = models.DateTimeField(null=True)  # when the first of its embargoes and waits ends
    recounts = models.BigIntegerField(
        db_default=0
    )  # how often stored rows were revised or counted again: they were not only added to
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

    objects = WorkloadTotalsQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["valid_until"], condition=models.Q(valid_until__isnull=False), name="totals_valid_until"
            ),
            models.Index(F("valued").desc(), name="totals_valued"),
            models.Index(*NEWEST_FIRST, condition=models.Q(proven__gt=0), name="totals_newest_first"),
        ]

    @staticmethod
    def has_settled() -> bool:
        """Whether the open transaction has changed no row since its last `settle`. One query."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {_SETTLED}")
            return bool(cursor.fetchone()[0])

    def __str__(self) -> str:
        return f"totals of workload {self.workload_id}"


class TraitTotals(models.Model):
    """How many submissions of a workload have equal traits: what excludes them from boards (`summaries.traits`).

    Of all that are public, not hidden and not superseded; retracted ones too. `bought` is the pricing model of all
    machines of the system, "mixed" with several, empty without any.
    """

    pk = models.CompositePrimaryKey("workload_id", "trust", "latency_kind", "bought", "traits")
    workload = _workload()
    trust = models.CharField(max_length=20, choices=Trust.pairs)
    latency_kind = models.CharField(max_length=20)
    bought = models.CharField(max_length=20)
    traits = models.IntegerField()
    n = models.IntegerField()

    objects = OfWorkloadQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.n} of workload {self.workload_id} with traits {self.traits}"


class GroupTotals(models.Model):
    """Published submissions of a workload with equal values in the columns of a grouping, and equal trust.

    `key` has these values, separated by U+001F, U+001E for null. Bests are [figure, id], of a p99 [-ms, id]: the
    greatest is the best one, of equal figures the newest. They and their numbers are of ranked submissions.
    """

    pk = models.CompositePrimaryKey("workload_id", "by", "key", "trust")
    workload = _workload()
    by = models.CharField(max_length=20)  # a GroupBy
    key = models.CharField(max_length=250)
    trust = models.CharField(max_length=20, choices=Trust.pairs)
    published = models.IntegerField()
    ranked = models.IntegerField()
    best_rate = ArrayField(models.FloatField(), null=True)
    priced = models.IntegerField()
    best_value = ArrayField(models.DecimalField(**_MONEY), null=True)
    worst_value = models.DecimalField(null=True, **_MONEY)
    service_time = models.IntegerField()  # with a p99 of this kind
    best_service_time = ArrayField(models.FloatField(), null=True)
    response_time = models.IntegerField()
    best_response_time = ArrayField(models.FloatField(), null=True)

    objects = OfWorkloadQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.by} {self.key!r} of workload {self.workload_id}"


class ConfigurationTotals(models.Model):
    """Sums over the ranked runs of one configuration: of 10^6 times the logarithm, its square, and 1 / repetitions.

    The higher levels of trust are one with `log_verified`. `kind` is empty for the throughput, else that of a p99.
    """

    pk = models.CompositePrimaryKey("workload_id", "configuration", "trust", "kind")
    workload = _workload()
    configuration = models.CharField(max_length=32)
    trust = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    n = models.IntegerField()
    total = models.DecimalField(**_EXACT)
    squares = models.DecimalField(**_EXACT)
    share = models.DecimalField(**_EXACT)

    def __str__(self) -> str:
        return f"{self.n} runs of {self.configuration}"


class NoiseTotals(models.Model):
    """Sums of the spread of ranked results, by shelf: see `analysis.noise`. Exact, whatever the order of additions.

    `kind` is empty for the throughput, else the latency kind of a p99. Runs are those of one configuration, trials
    those of one run; a square is the sum of squared deviations of 10^6 times the logarithm.
    """

    pk = models.CompositePrimaryKey("workload_id", "shelf", "kind")
    workload = _workload()
    shelf = models.CharField(max_length=20)  # the lowest trust that counts
    kind = models.CharField(max_length=20)
    configurations = models.IntegerField()  # of the shelf; with the throughput only
    freedom = models.IntegerField()  # of the runs: their number less that of configurations
    square = models.DecimalField(**_EXACT)
    trials_share = models.DecimalField(**_EXACT)  # the sum of freedom / trials
    trial_freedom = models.IntegerField()
    trial_square = models.DecimalField(**_EXACT)

    objects = OfWorkloadQuerySet.as_manager()

    def __str__(self) -> str:
        return f"noise of workload {self.workload_id}, {self.shelf} {self.kind}"
