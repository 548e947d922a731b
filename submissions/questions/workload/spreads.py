"""How much the trials of equal submissions vary within one workload, read from the database."""

from django.db.models import Count, Q
from django.db.models.aggregates import Variance
from django.db.models.functions import Ln

from submissions.analysis.compare import Spreads
from submissions.analysis.significance import pooled_from_variances
from submissions.choices import LatencyKind, Trust
from submissions.models import Submission, Trial
from submissions.records.cache import cached


def workload_spreads(workload_id: int, kind: LatencyKind, trust: Trust | None = None) -> Spreads:
    """Pooled over the submissions of a shelf with two trials or more; p99 of `kind` alone.

    Two queries, one while cached.
    """
    return cached(("spreads", workload_id, kind, trust), lambda: _spreads(workload_id, kind, trust))


def _spreads(workload_id: int, kind: LatencyKind, trust: Trust | None) -> Spreads:
    has_rate = Q(throughput_ops_s__gt=0)
    has_p99 = Q(latency_kind=kind, latency_p99_ms__gt=0)
    repeated = (
        Submission.objects.rankable()
        .on_shelf(trust)
        .filter(workload=workload_id, trials_count__gt=1, averaged_over=None)
    )
    rows = list(
        Trial.objects.filter(submission__in=repeated.values("pk"))
        .order_by()
        .values("submission")
        .annotate(
            rates=Count("pk", filter=has_rate),
            rate_variance=Variance(Ln("throughput_ops_s"), sample=True, filter=has_rate),
            p99s=Count("pk", filter=has_p99),
            p99_variance=Variance(Ln("latency_p99_ms"), sample=True, filter=has_p99),
        )
    )
    return Spreads(
        throughput=pooled_from_variances(
            (row["rates"] - 1, row["rate_variance"]) for row in rows if row["rate_variance"] is not None
        ),
        latency_p99=None
        if kind == LatencyKind.UNKNOWN
        else pooled_from_variances(
            (row["p99s"] - 1, row["p99_variance"]) for row in rows if row["p99_variance"] is not None
        ),
    )
