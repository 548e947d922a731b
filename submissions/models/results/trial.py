"""Repetitions of a workload: what a submission's figures are made of."""

from django.db import models

from submissions.metrics import has_many_errors
from submissions.models.aggregate import queue_dependent_triggers
from submissions.models.results.latency_columns import LatencyColumns
from submissions.models.results.submission import Submission
from submissions.models.versions.data_version import changed_triggers


class TrialQuerySet(models.QuerySet["Trial"]):
    def repetitions(self) -> "TrialQuerySet":
        """Those that a submission's figures are made of: of a load curve the ones of its peak, else all."""
        return self.filter(is_at_peak=True)


class Trial(LatencyColumns):
    """One repetition of the workload; several clients that ran together are one trial.

    `latencies` holds what is known per kind: {"service_time": {"mean": ..., "p99": ...}, ...} (ms).
    `latency_ranges` holds min..max over clients whose summaries cannot be merged:
    {"p99": [3.1, 4.0]}; the columns then hold the max. `by_operation` is a list of
    {"name", "operations", "errors", "throughput_ops_s", "latency_ms"}.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="trials")
    index = models.PositiveSmallIntegerField()
    throughput_ops_s = models.FloatField(null=True)
    relative_throughput = models.FloatField(null=True)
    operations = models.BigIntegerField(null=True)
    errors = models.BigIntegerField(null=True)
    duration_s = models.FloatField(null=True)
    started_at = models.DateTimeField(null=True)
    threads = models.PositiveIntegerField(null=True)  # of one client
    offered_ops_s = models.FloatField(null=True)  # arrival rate of an open-loop load, all clients together
    client_count = models.PositiveIntegerField(null=True)
    averaged_over = models.PositiveIntegerField(null=True)  # repetitions, where the source gives their mean
    is_truncated = models.BooleanField(default=False)
    # false: of a load curve, at another load than its peak; of other submissions all are true
    is_at_peak = models.BooleanField(default=True, db_default=True)
    latencies = models.JSONField(default=dict)
    latency_ranges = models.JSONField(default=dict)
    by_operation = models.JSONField(default=list)
    histograms = models.JSONField(default=list)  # [{"operation", "kind", "encoded"}]

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering = ["submission_id", "index"]
        triggers = [*changed_triggers(), *queue_dependent_triggers()]
        constraints = [
            models.UniqueConstraint(fields=["submission", "index"], name="one_trial_an_index"),
        ]

    def __str__(self) -> str:
        return f"trial {self.index} of submission {self.submission_id}"

    @property
    def latency_distorted_by_errors(self) -> bool:
        return has_many_errors(self.operations, self.errors)
