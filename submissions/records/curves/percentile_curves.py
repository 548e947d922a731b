"""Percentile curves of a submission: its histograms added up over clients and trials, never its percentiles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from submissions.analysis.curves.histograms import CurvePoint, Merger
from submissions.analysis.curves.histograms import curve as curve_points
from submissions.choices import LatencyKind
from submissions.formatting.text import HAS, share_of
from submissions.records.curves.percentile_chart import PercentileLine, percentile_words

TOTAL = "total"
MOST_CURVES = 8  # of one submission; a profile may have dozens of operations
KINDS = (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME)

Histograms = Sequence[dict[str, Any]]  # of one trial, as Trial.histograms holds them


@dataclass(frozen=True, slots=True)
class Curve:
    """A distribution over all trials of a submission; its last point is the maximum."""

    operation: str  # "total" over all of them
    kind: LatencyKind
    points: tuple[CurvePoint, ...]

    @property
    def name(self) -> str:
        return f"{'all operations' if self.operation == TOTAL else self.operation}, {self.kind.label}"

    @property
    def count(self) -> int:
        return self.points[-1].count


class ScaleForm(forms.Form):
    """?scale=log: how the latency axis is divided."""

    scale = forms.ChoiceField(required=False, choices=[("linear", "linear"), ("log", "logarithmic")])

    @property
    def is_log(self) -> bool:
        return self.is_valid() and self.cleaned_data["scale"] == "log"


def percentile_curves(trials: Sequence[Histograms]) -> tuple[Curve, ...]:
    """One for each kind of latency and operation that every trial has a histogram of; totals first.

    Where there is only one operation, the total is the whole of it. HistogramError for a damaged histogram.
    """
    merged = {key: curve_points(_merged(key, trials)) for key in _keys(trials)[:MOST_CURVES]}
    return tuple(Curve(operation, kind, tuple(points)) for (kind, operation), points in merged.items() if points)


def total_curve(trials: Sequence[Histograms], kind: LatencyKind) -> Curve | None:
    """All operations together, of one kind."""
    key = (kind, TOTAL)
    if key not in _keys(trials):
        return None
    points = curve_points(_merged(key, trials))
    return Curve(TOTAL, kind, tuple(points)) if points else None


def why_no_curve(trials: Sequence[Histograms]) -> str:
    """Why a submission without any curve has none."""
    having = sum(bool(trial) for trial in trials)
    if not having:
        return "No histogram was submitted, so no latency curve can be drawn."
    return f"Only {share_of(having, len(trials), 'trial', HAS)} a histogram, so no curve of all trials can be drawn."


def curve_lines(curves: Iterable[Curve]) -> list[PercentileLine]:
    """The kinds of an operation share a colour."""
    colours: dict[str, int] = {}
    return [
        PercentileLine(
            curve.name, curve.points, colours.setdefault(curve.operation, len(colours)), KINDS.index(curve.kind)
        )
        for curve in curves
    ]


def curve_table(named: Sequence[tuple[str, Sequence[CurvePoint]]]) -> dict[str, Any]:
    """The points of several curves as one table: a row for each percentile; where one has ended, its maximum."""
    levels = sorted({point.percentile for _, points in named for point in points})
    columns = [{point.percentile: point.latency_ms for point in points} for _, points in named]
    rows = [
        (percentile_words(level), [column.get(level, column[levels[-1]]) for column in columns]) for level in levels
    ]
    return {"names": [name for name, _ in named], "rows": rows}


def _keys(trials: Sequence[Histograms]) -> list[tuple[LatencyKind, str]]:
    of_each = [{(one["kind"], one["operation"]) for one in trial} for trial in trials]
    common = set.intersection(*of_each) if of_each else set()
    found = []
    for kind in KINDS:
        operations = sorted(operation for its_kind, operation in common if its_kind == kind and operation != TOTAL)
        has_total = (kind, TOTAL) in common
        names = operations if len(operations) > 1 or not has_total else []
        found += [(kind, name) for name in ([TOTAL] if has_total else []) + names]
    return sorted(found, key=lambda key: key[1] != TOTAL)


def _merged(key: tuple[LatencyKind, str], trials: Sequence[Histograms]) -> str:
    merger = Merger()
    for trial in trials:
        for one in trial:
            if (one["kind"], one["operation"]) == key:
                merger.add(one["encoded"])
    return merger.encoded()
