"""Compared submissions under a limit of their p99: load curves at the load that keeps it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from submissions.analysis.curves.load_curve import AtLimit, at_limit
from submissions.choices import Choice, LatencyKind, LoadMode
from submissions.load_curves.at_slo import AtSlo, at_slo
from submissions.models import LoadPoint, Submission, Trial
from submissions.questions.boards.at_load import at_load, limit_of_p99

USUAL_MAX_P99_MS = 10.0  # of the row of figures without a limit

Points: TypeAlias = dict[int, list[LoadPoint]]


class Breach(Choice):
    """Why a submission is not compared at a limit."""

    NOT_KEPT = "not_kept"
    UNKNOWN = "unknown"
    OTHER_KIND = "other_kind"  # than the first one: limits of two kinds of latency are different limits


@dataclass(frozen=True, slots=True)
class Limited:
    """A submission at the limit. `is_bounded`: a higher load of its curve broke the limit."""

    breach: Breach | None = None
    is_bounded: bool = False


def points_of(submissions: Sequence[Submission]) -> Points:
    """Of those that are curves, in order of load. One query, none without a curve."""
    curves = [row.pk for row in submissions if row.load_mode == LoadMode.CURVE]
    points: Points = {}
    if curves:
        for point in LoadPoint.objects.filter(submission__in=curves).order_by("submission_id", "index"):
            points.setdefault(point.submission_id, []).append(point)
    return points


def at_slos(submissions: Sequence[Submission], points: Points, max_p99_ms: float | None) -> list[AtSlo | None]:
    """At one limit for all, at the hourly cost of each; None without a curve."""
    limit = limit_of_p99(USUAL_MAX_P99_MS if max_p99_ms is None else max_p99_ms)
    return [at_slo(points.get(row.pk, ()), limit, hourly_usd=row.hourly_usd) for row in submissions]


def limited(submissions: Sequence[Submission], points: Points, max_p99_ms: float | None) -> list[Limited]:
    """Takes each curve to its load that keeps the limit; one that has none remains at its peak."""
    if max_p99_ms is None:
        return [Limited()] * len(submissions)
    found = [at_limit(points[row.pk], limit_of_p99(max_p99_ms)) if row.pk in points else None for row in submissions]
    for row, own in zip(submissions, found, strict=True):
        if own is not None and own.index is not None:
            at_load(row, points[row.pk][own.index])
    kind = submissions[0].latency_kind
    return [
        Limited(_breach(row, own, max_p99_ms, kind), own is not None and own.bracket[1] is not None)
        for row, own in zip(submissions, found, strict=True)
    ]


def _breach(row: Submission, found: AtLimit | None, max_p99_ms: float, kind: str) -> Breach | None:
    p99 = row.latency_p99_at_most_ms
    if found is not None and found.index is None:
        return Breach.NOT_KEPT if found.bracket[1] is not None else Breach.UNKNOWN
    if p99 is None or row.latency_kind == LatencyKind.UNKNOWN:
        return Breach.UNKNOWN
    if p99 > max_p99_ms:
        return Breach.NOT_KEPT
    return Breach.OTHER_KIND if row.latency_kind != kind else None


def trials_of(submissions: Sequence[Submission]) -> dict[int, list[Trial]]:
    """What the figures of each are made of: of a curve the trials of its load. One query where such a load is shown."""
    loads = {row.pk: row.shown_load for row in submissions if row.shown_load}
    trials = {row.pk: [] if row.pk in loads else list(row.trials.all()) for row in submissions}
    if loads:
        for trial in Trial.objects.filter(submission__in=loads).defer("histograms").order_by("submission_id", "index"):
            if loads[trial.submission_id].has(trial):
                trials[trial.submission_id].append(trial)
    return trials
