"""The latencies of a submission by kind: service time and response time never share a row."""

from collections.abc import Sequence
from statistics import median

from submissions.choices import LatencyKind
from submissions.metrics import LATENCIES
from submissions.models import Submission, Trial


def latencies_by_kind(
    submission: Submission, repetitions: Sequence[Trial] | None = None
) -> dict[LatencyKind, dict[str, float]]:
    """Latencies in ms, by kind and metric: the headline, and what all trials know of another kind.

    With several repetitions the figure of another kind is the median of the trials' (the highest for the maximum),
    computed as the headline is. The trials are prefetched; `repetitions` are those that its figures are made of.
    """
    headline = {metric.key: value for metric in LATENCIES if (value := getattr(submission, metric.key)) is not None}
    known = {LatencyKind(submission.latency_kind): headline} if headline else {}
    if repetitions is None:
        repetitions = [trial for trial in submission.trials.all() if trial.is_at_peak]
    for kind in (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME):
        if kind not in known and (figures := _of_trials(repetitions, kind)):
            known[kind] = figures
    order = list(LatencyKind)
    return {kind: known[kind] for kind in sorted(known, key=order.index)}


def _of_trials(trials: Sequence[Trial], kind: LatencyKind) -> dict[str, float]:
    figures = {}
    for metric in LATENCIES:
        short = metric.key.removeprefix("latency_").removesuffix("_ms")  # its name inside Trial.latencies
        values = [trial.latencies.get(kind, {}).get(short) for trial in trials]
        if values and None not in values:
            figures[metric.key] = max(values) if short == "max" else median(values)
    return figures
