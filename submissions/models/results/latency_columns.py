"""Latencies of a submission, a trial or a load point."""

from django.db import models

from submissions.choices import LatencyKind


class LatencyColumns(models.Model):
    """Milliseconds, all of `latency_kind`; null where unknown."""

    latency_kind = models.CharField(max_length=20, choices=LatencyKind.pairs, default=LatencyKind.UNKNOWN)
    latency_mean_ms = models.FloatField(null=True)
    latency_p50_ms = models.FloatField(null=True)
    latency_p95_ms = models.FloatField(null=True)
    latency_p99_ms = models.FloatField(null=True)
    latency_p999_ms = models.FloatField(null=True)
    latency_max_ms = models.FloatField(null=True)

    class Meta:
        abstract = True
