"""Submissions of one workload overlaid: percentile curves of one kind, series on one time axis."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from submissions.analysis.curves.interval_curves import WarmUpTest
from submissions.choices import LatencyKind
from submissions.models import Submission, Trial
from submissions.records.curves.interval_record import RecordedTrial, curves_by_submission, recorded_trials
from submissions.records.curves.interval_series import IntervalView, overlay_view
from submissions.records.curves.interval_window import Window, WindowResult, warm_up_s, window_result
from submissions.records.curves.percentile_chart import PercentileLine
from submissions.records.curves.percentile_curves import KINDS, Curve, curve_table, total_curve


@dataclass(frozen=True, slots=True)
class CurvesOfKind:
    """One kind of latency: the curves of those that have one, over all their operations."""

    kind: LatencyKind
    named: tuple[tuple[str, int, Curve], ...]  # name, place among the submissions, curve
    without: tuple[str, ...]  # the names of the others

    @property
    def key(self) -> str:
        """Of its chart: "percentiles-service-time"."""
        return f"percentiles-{self.kind.value.replace('_', '-')}"

    @property
    def lines(self) -> list[PercentileLine]:
        return [PercentileLine(name, curve.points, group=place, dash=place) for name, place, curve in self.named]

    @property
    def table(self) -> dict[str, Any]:
        return curve_table([(name, curve.points) for name, _, curve in self.named])


@dataclass(frozen=True, slots=True)
class Run:
    """A submission whose intervals are drawn."""

    submission: Submission
    name: str
    recorded: tuple[RecordedTrial, ...]
    warm_up: WarmUpTest | None

    def windowed(self, window: Window) -> WindowResult | None:
        return window_result(self.recorded, self.submission.trials_count, window)


@dataclass(frozen=True, slots=True)
class Overlay:
    """`view` is None where none of the submissions has intervals; `without` names those that have none."""

    view: IntervalView | None
    runs: tuple[Run, ...]
    without: tuple[str, ...]

    @property
    def ends_s(self) -> list[float]:
        return [trial.end_s for run in self.runs for trial in run.recorded]

    @property
    def warm_ups(self) -> list[tuple[str, float]]:
        """The name and the seconds of each result for which a warm-up is proposed."""
        ends = [(run.name, warm_up_s(run.warm_up)) for run in self.runs]
        return [(name, end) for name, end in ends if end]


def curves(named: Sequence[tuple[str, Submission]]) -> list[CurvesOfKind]:
    """Of each kind that any of them has a curve of; one query."""
    trials = defaultdict(list)
    rows = Trial.objects.filter(reduce(or_, (_shown(submission) for _, submission in named), Q(pk__in=())))
    for pk, histograms in rows.order_by("index").values_list("submission_id", "histograms"):
        trials[pk].append(histograms)
    found = []
    for kind in KINDS:
        of_each = [
            (name, place, total_curve(trials[submission.pk], kind)) for place, (name, submission) in enumerate(named)
        ]
        known = tuple((name, place, curve) for name, place, curve in of_each if curve is not None)
        if known:
            found.append(CurvesOfKind(kind, known, tuple(name for name, _, curve in of_each if curve is None)))
    return found


def _shown(submission: Submission) -> Q:
    """The trials that its figures are made of; of a curve those of its peak, or of the load that it is shown at."""
    load = submission.shown_load
    if load is None:
        return Q(submission=submission, is_at_peak=True)
    return Q(submission=submission, offered_ops_s=load.offered_ops_s, threads=load.threads)


def intervals(named: Sequence[tuple[str, Submission]]) -> Overlay:
    """The interval series of each; one query."""
    printed = curves_by_submission([submission for _, submission in named])
    having = [(name, one, printed[one.pk]) for name, one in named if one.pk in printed]
    return Overlay(
        view=overlay_view([(name, curves.trials) for name, _, curves in having]),
        runs=tuple(
            Run(submission, name, recorded_trials(curves.trials), curves.warm_up) for name, submission, curves in having
        ),
        without=tuple(name for name, submission in named if submission.pk not in printed),
    )
