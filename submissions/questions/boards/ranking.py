"""Submissions of one workload ranked with ties, from their runs and trials."""

from collections.abc import Iterable, Mapping, Sequence

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.ranking import Entry, RankedEntry, ranked
from submissions.analysis.comparison.verdicts import Side
from submissions.choices import LatencyKind
from submissions.ingest.checks.noise import NO_RUNS, ConfigurationRuns, configuration_runs
from submissions.metrics import LATENCY_P99, THROUGHPUT, Metric
from submissions.models import Submission, Trial
from submissions.questions.boards.noise import series_of, workload_noise

Interval = tuple[float, float]


def rank_submissions(rows: Mapping[str, Submission], metric: Metric, *, has_more: bool = False) -> list[RankedEntry]:
    """Submissions of one workload by a key of the caller's, best first; at most MOST_RANKED.

    Five queries, three while the noise of the workload is cached, none without rows. The operations per dollar are
    those of the rows: a row may have been priced again. A p99 is of one kind in all rows.
    `has_more`: there are others, which are worse or as good.
    """
    if not rows:
        return []
    first = next(iter(rows.values()))
    kind = LatencyKind(first.latency_kind) if metric == LATENCY_P99 else LatencyKind.UNKNOWN
    book = workload_noise(first.workload_id, kind)
    runs = configuration_runs(rows.values(), kind)
    trials = _trials(rows.values())
    entries = [
        # the runs of a configuration are those of the peaks
        Entry(key, _side(row, trials[row.pk], metric, runs[row.pk] if row.shown_load is None else NO_RUNS))
        for key, row in rows.items()
    ]

    def noise_of(one: str, other: str) -> WorkloadNoise:
        noise = book.of_pair(rows[one].trust_filter, rows[other].trust_filter)
        return noise.latency_p99 if metric == LATENCY_P99 else noise.throughput

    return ranked(entries, noise_of, higher_is_better=metric.higher_is_better, has_more=has_more)


def _trials(rows: Iterable[Submission]) -> dict[int, list[Trial]]:
    """One query."""
    trials: dict[int, list[Trial]] = {row.pk: [] for row in rows}
    loads = {row.pk: load for row in rows if (load := row.shown_load)}
    columns = ("throughput_ops_s", "latency_kind", "latency_p99_ms", "started_at", "is_at_peak")
    wanted = Trial.objects.filter(submission__in=trials).only(
        "submission_id", "index", "threads", "offered_ops_s", *columns
    )
    for trial in wanted.order_by("submission_id", "index"):
        load = loads.get(trial.submission_id)
        if trial.is_at_peak if load is None else load.has(trial):
            trials[trial.submission_id].append(trial)
    return trials


def _side(row: Submission, trials: Sequence[Trial], metric: Metric, runs: ConfigurationRuns) -> Side:
    """A price has no noise: operations per dollar vary as the throughput does."""
    of_configuration = _runs_of(row, metric, runs)
    figures = _figures(row, trials, metric)
    series = series_of(row, trials) if len(figures) == len(trials) else None
    figure = float(getattr(row, metric.column))
    bound_of = p99_bound_of(row) if metric == LATENCY_P99 else ""
    return Side(figure, figures, of_configuration, row.configuration, series, row.averaged_over, bound_of)


def p99_bound_of(row: Submission) -> str | None:
    """What its p99 is of where it is a bound: two of one tool and one type of operation are alike. None: unknown."""
    if not row.latency_p99_is_bound:
        return ""
    return f"{row.tool} {row.latency_p99_bound_of}" if row.latency_p99_bound_of else None


def _runs_of(row: Submission, metric: Metric, runs: ConfigurationRuns) -> Runs | None:
    if metric == LATENCY_P99:
        return None if row.latency_p99_is_bound else runs.latency_p99  # theirs are over all types of operation
    if metric == THROUGHPUT or runs.throughput is None:
        return runs.throughput
    return runs.throughput.scaled(_dollars(row))


def _dollars(row: Submission) -> float:
    """Operations per dollar for each operation a second."""
    return float(row.ops_per_usd or 0) / (row.throughput_ops_s or 1)


def interval_of(row: Submission, metric: Metric) -> Interval | None:
    """The 95 % interval of a submission's figure; None where it has none.

    That is with one trial, with means that a source took over trials which it does not give, with equal trials, and
    for a p99: percentiles are not averaged.
    """
    low, high = row.throughput_low_ops_s, row.throughput_high_ops_s
    if metric == LATENCY_P99 or low is None or high is None or row.throughput_ops_s is None:
        return None
    if row.averaged_over is not None or low == high:
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
        return known if len(known) == len(trials) and known else (row.latency_p99_at_most_ms or 0.0,)
    rates = tuple(trial.throughput_ops_s for trial in trials if trial.throughput_ops_s)
    if metric == THROUGHPUT:
        return rates
    return tuple(rate * _dollars(row) for rate in rates)
