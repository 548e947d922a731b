"""Which trials of a document are points of a load curve, and which of them its figures are made of."""

from collections.abc import Sequence

from submissions.analysis.curves.load_curve import TAIL_SHARES, LoadPoint, LoadTrial, load_points, peak
from submissions.choices import LoadMode
from submissions.ingest.document.load import load_mode
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.logs.trial_results import TrialResult


def curve_of(document: SubmissionDocument, trials: Sequence[TrialResult]) -> tuple[LoadPoint, ...]:
    """The points in order of load; none where all trials are repetitions of one load.

    Where a source gives only ratios, they show which point is the peak.
    """
    if load_mode(document) != LoadMode.CURVE:
        return ()
    return points_of(trials)


def points_of(trials: Sequence[TrialResult]) -> tuple[LoadPoint, ...]:
    """One for each load."""
    return tuple(load_points(load_trial(index, trial) for index, trial in enumerate(trials)))


def at_peak(trials: Sequence[TrialResult], points: Sequence[LoadPoint]) -> tuple[TrialResult, ...]:
    """The trials that a submission's figures are made of: all, but of a curve those of its peak."""
    return tuple(trials[trial.index] for trial in peak(points).trials) if points else tuple(trials)


def load_trial(index: int, trial: TrialResult) -> LoadTrial:
    """A trial as points are judged by; percentiles of the slowest type of operation where none are known over all."""
    latencies = {name: getattr(trial.latency, name) for name in TAIL_SHARES}
    of_slowest = {} if any(value is not None for value in latencies.values()) else _of_slowest(trial)
    return LoadTrial(
        index=index,
        offered_ops_s=trial.offered_ops_s,
        threads=trial.threads,
        throughput_ops_s=trial.relative_throughput if trial.throughput_ops_s is None else trial.throughput_ops_s,
        latency_ms=of_slowest or latencies,
        latency_kind=trial.latency_kind,
        operations=trial.operations,
        errors=None if trial.errors is None else trial.errors - trial.not_found,  # that it is not there is an answer
        is_failed=trial.is_failed,
        is_of_slowest=bool(of_slowest),
    )


def _of_slowest(trial: TrialResult) -> dict[str, float]:
    """Each percentile of the type of operation that has the highest; one that a type lacks is left out.

    Load tools such as YCSB print none over all types, and no average of those of the types is one. That of all types
    is never above this.
    """
    measured = [each.latency for each in trial.by_operation if each.operations != 0]
    of_types = {name: [getattr(latency, name) for latency in measured] for name in TAIL_SHARES}
    return {name: max(values) for name, values in of_types.items() if values and None not in values}
