"""The points of load curves: what the trials of a submission did at each of its loads."""

from typing import Any

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, When

from submissions.choices import LoadMode
from submissions.metrics import ERROR_SHARE
from submissions.models.aggregate import queue_dependent_triggers
from submissions.models.results.latency_columns import LatencyColumns
from submissions.models.results.submission import Submission
from submissions.models.results.trial import Trial
from submissions.models.versions.data_version import changed_triggers

IS_CURVE = Q(load_mode=LoadMode.CURVE)


class LoadPointQuerySet(models.QuerySet["LoadPoint"]):
    def highest_keeping(self, *, percentile: str, max_ms: float, max_error_share: float) -> "LoadPointQuerySet":
        """Of each submission the point that `analysis.load_curve.at_limit` gives, where there is one."""
        limit = (f"worst_{percentile}_ms", max_ms, max_error_share)
        broken_below = LoadPoint.objects.filter(_breaks(*limit), submission=OuterRef("submission"))
        kept = self.filter(_keeps(*limit)).exclude(Exists(broken_below.filter(index__lt=OuterRef("index"))))
        return kept.order_by("submission_id", "-throughput_ops_s", "index").distinct("submission_id")


def _keeps(column: str, max_ms: float, max_error_share: float) -> Q:
    within = Q(**{f"{column}__lte": max_ms}, error_share__lte=max_error_share)
    return Q(is_sustained=True, is_comparable=True) & within


def _breaks(column: str, max_ms: float, max_error_share: float) -> Q:
    beyond = Q(**{f"{column}__gt": max_ms}) | Q(error_share__gt=max_error_share)
    return Q(is_sustained=False) | (Q(is_comparable=True) & beyond)


def has_p99_of(kind: str) -> Q:
    """Submissions with a p99 of this kind that a limit can be compared with; of a curve one of its loads has it."""
    points = LoadPoint.objects.filter(submission=OuterRef("pk"), is_comparable=True, latency_kind=kind)
    of_curve = IS_CURVE & Q(Exists(points.filter(worst_p99_ms__isnull=False)))
    return (~IS_CURVE & Q(latency_kind=kind, latency_p99_at_most_ms__isnull=False)) | of_curve


def keeps_p99(kind: str, max_ms: float) -> Q:
    """Submissions that keep a p99 of this kind; of a curve the load that `rate_at` gives."""
    return (~IS_CURVE & Q(latency_kind=kind, latency_p99_at_most_ms__lte=max_ms)) | (
        IS_CURVE & Q(Exists(_highest_keeping_p99(kind, max_ms)))
    )


def rate_at(kind: str, max_ms: float) -> Case:
    """ops/s of a submission at the highest load that keeps a p99; null for a curve that has none."""
    rate = Subquery(_highest_keeping_p99(kind, max_ms).values("throughput_ops_s")[:1])
    return Case(When(IS_CURVE, then=rate), default=F("throughput_ops_s"), output_field=models.FloatField())


def _highest_keeping_p99(kind: str, max_ms: float) -> "LoadPointQuerySet":
    points = LoadPoint.objects.filter(submission=OuterRef("pk"), latency_kind=kind)
    return points.highest_keeping(percentile="p99", max_ms=max_ms, max_error_share=ERROR_SHARE)


class LoadPoint(LatencyColumns):
    """The trials of a load curve at one load; only curves have rows here.

    The latency columns are what a reader is shown: of merged histograms, else the median of the trials. A limit is
    compared with the `worst_` ones, the highest of the trials: null where one of them is unknown.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="load_points")
    index = models.PositiveSmallIntegerField()  # in order of load, from 0
    offered_ops_s = models.FloatField(null=True)  # null: as many as the threads could
    threads = models.PositiveIntegerField(null=True)  # of one client
    trials_count = models.PositiveIntegerField()
    throughput_ops_s = models.FloatField()  # mean over the trials
    throughput_low_ops_s = models.FloatField(null=True)  # 95 % t-interval; null with one trial
    throughput_high_ops_s = models.FloatField(null=True)
    worst_p50_ms = models.FloatField(null=True)
    worst_p95_ms = models.FloatField(null=True)
    worst_p99_ms = models.FloatField(null=True)
    worst_p999_ms = models.FloatField(null=True)
    error_share = models.FloatField(null=True)  # the highest of the trials, a fraction
    operations = models.BigIntegerField(null=True)  # successful, all trials
    fewest_operations = models.BigIntegerField(null=True)  # of a trial
    is_sustained = models.BooleanField()  # every trial reached its offered rate, and none failed
    # false: service times, where other points of the curve have response times: neither keeps nor breaks a limit
    is_comparable = models.BooleanField()
    # its worst latencies are those of the slowest type of operation: over all types none are known
    is_of_slowest = models.BooleanField(default=False)
    is_peak = models.BooleanField()

    objects = LoadPointQuerySet.as_manager()

    class Meta:
        ordering = ["submission_id", "index"]
        triggers = [*changed_triggers(), *queue_dependent_triggers()]
        constraints = [
            models.UniqueConstraint(fields=["submission", "index"], name="one_load_point_an_index"),
            models.UniqueConstraint(fields=["submission"], condition=Q(is_peak=True), name="one_peak_a_curve"),
        ]

    def __str__(self) -> str:
        return f"load point {self.index} of submission {self.submission_id}"

    def has(self, trial: Trial) -> bool:
        """Whether a trial of its submission is one of its own."""
        return (trial.offered_ops_s, trial.threads) == (self.offered_ops_s, self.threads)

    def worst_ms(self, percentile: str) -> float | None:
        """Of p50, p95, p99 or p999."""
        value: Any = getattr(self, f"worst_{percentile}_ms")
        return None if value is None else float(value)
