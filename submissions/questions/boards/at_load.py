"""Results of load curves at the load that keeps a limit, instead of at their peak."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from submissions.analysis.curves.load_curve import DEFAULT_LIMIT, LatencyLimit, at_limit
from submissions.models import IS_CURVE, LoadPoint, Submission
from submissions.pricing.cost import ops_per_usd, usd_per_million_ops


def limit_of_p99(max_ms: float) -> LatencyLimit:
    """As the pages' "Maximum p99": with the usual share of errors. A limit of 0 ms is kept by nothing."""
    return replace(DEFAULT_LIMIT, percentile="p99", max_ms=max(max_ms, 1e-9))


def loads_of_workload(workload_id: int, max_p99_ms: float) -> dict[int, LoadPoint | None]:
    """By submission, of all curves of the workload; None for one that has no load which keeps the limit. One query."""
    curves: dict[int, list[LoadPoint]] = {}
    of_workload = Submission.objects.filter(IS_CURVE, workload=workload_id)
    for point in LoadPoint.objects.filter(submission__in=of_workload).order_by("submission_id", "index"):
        curves.setdefault(point.submission_id, []).append(point)
    limit = limit_of_p99(max_p99_ms)
    return {pk: _kept(points, limit) for pk, points in curves.items()}


def _kept(points: list[LoadPoint], limit: LatencyLimit) -> LoadPoint | None:
    index = at_limit(points, limit).index
    return None if index is None else points[index]


def at_load(row: Submission, point: LoadPoint) -> Submission:
    """The row with the figures of this load; its p99 is that of its worst trial. For display, not to be saved.

    The costs of its operations follow the load, at the hourly cost that the row has.
    """
    row.shown_load = point
    row.throughput_ops_s = point.throughput_ops_s
    row.throughput_low_ops_s, row.throughput_high_ops_s = point.throughput_low_ops_s, point.throughput_high_ops_s
    row.trials_count, row.threads = point.trials_count, point.threads
    row.fixed_rate_ops_s = point.offered_ops_s
    for name in ("latency_kind", "latency_mean_ms", "latency_p50_ms", "latency_p95_ms", "latency_p999_ms"):
        setattr(row, name, getattr(point, name))
    row.latency_p99_ms, row.latency_max_ms = point.worst_p99_ms, point.latency_max_ms
    row.latency_p99_at_most_ms, row.latency_p99_is_bound = point.worst_p99_ms, point.is_of_slowest
    row.latency_p99_bound_of = ""
    row.ops_per_usd = row.usd_per_million_ops = None
    if row.hourly_usd is not None:
        row.ops_per_usd = ops_per_usd(hourly_usd=row.hourly_usd, throughput_ops_s=point.throughput_ops_s)
        row.usd_per_million_ops = usd_per_million_ops(
            hourly_usd=row.hourly_usd, throughput_ops_s=point.throughput_ops_s
        )
    return row


def with_loads(rows: Iterable[Submission], loads: Mapping[int, LoadPoint | None]) -> list[Submission]:
    """The rows, those of curves at their load."""
    return [at_load(row, point) if (point := loads.get(row.pk)) else row for row in rows]
