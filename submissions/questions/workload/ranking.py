"""Submissions of one workload ranked with ties, from their trials."""

from collections.abc import Mapping, Sequence

from submissions.analysis.ranking import Entry, RankedEntry, ranked
from submissions.analysis.significance import PooledSpread
from submissions.choices import LatencyKind, Trust
from submissions.metrics import LATENCY_P99, THROUGHPUT, Metric
from submissions.models import Submission, Trial
from submissions.questions.workload.spreads import workload_spreads

Interval = tuple[float, float]


def rank_submissions(rows: Mapping[str, Submission], metric: Metric, spread: PooledSpread | None) -> list[RankedEntry]:
    """Submissions by a key of the caller's, best first; one query for their trials. At most MOST_RANKED.

    The operations per dollar are those of the rows: a row may have been priced again.
    """
    trials: dict[int, list[Trial]] = {row.pk: [] for row in rows.values()}
    wanted = Trial.objects.filter(submission__in=trials).only(
        "submission_id", "index", "throughput_ops_s", "latency_kind", "latency_p99_ms"
    )
    for trial in wanted.order_by("submission_id", "index"):
        trials[trial.submission_id].append(trial)
    entries = [
        Entry(key, float(getattr(row, metric.key)), _figures(row, trials[row.pk], metric)) for key, row in rows.items()
    ]
    return ranked(entries, spread, higher_is_better=metric.higher_is_better)


def metric_spread(
    workload_id: int, metric: Metric, latency_kind: LatencyKind | None = None, *, trust: Trust | None = None
) -> PooledSpread | None:
    """A price has no noise: operations per dollar vary as the throughput does. See `workload_spreads`."""
    spreads = workload_spreads(workload_id, latency_kind or LatencyKind.UNKNOWN, trust)
    return spreads.latency_p99 if metric == LATENCY_P99 else spreads.throughput


def interval_of(row: Submission, metric: Metric) -> Interval | None:
    """The 95 % interval of a submission's figure; None with one trial, and for a p99: percentiles are not averaged."""
    low, high = row.throughput_low_ops_s, row.throughput_high_ops_s
    if metric == LATENCY_P99 or low is None or high is None or row.throughput_ops_s is None:
        return None
    if metric == THROUGHPUT:
        return low, high
    if row.ops_per_usd is None:
        return None
    scale = float(row.ops_per_usd) / row.throughput_ops_s
    return low * scale, high * scale


def _figures(row: Submission, trials: Sequence[Trial], metric: Metric) -> tuple[float, ...]:
    """The figure of each trial, in the metric's unit; the headline alone where any trial's is unknown."""
    if metric == LATENCY_P99:
        of_kind = [trial.latency_p99_ms for trial in trials if trial.latency_kind == row.latency_kind]
        known = tuple(p99 for p99 in of_kind if p99)
        return known if len(known) == len(trials) and known else (row.latency_p99_ms or 0.0,)
    rates = tuple(trial.throughput_ops_s for trial in trials if trial.throughput_ops_s)
    if metric == THROUGHPUT:
        return rates
    scale = float(row.ops_per_usd or 0) / (row.throughput_ops_s or 1)
    return tuple(rate * scale for rate in rates)
