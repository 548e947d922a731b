"""A metric over time: each measurement with its interval, versions and changes of level marked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from submissions.facts import MEASURED_AT
from submissions.formatting.chart_style import PALETTE, axis_title, text
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.formatting.text import trials_words
from submissions.metrics import THROUGHPUT, Metric
from submissions.questions.boards.ranking import interval_of
from submissions.questions.history.query import MetricHistory
from submissions.questions.history.sentences import percent

MOST_VERSION_MARKS = 12  # more hide each other
HEIGHT_PIXELS = 400
SHORTEST = timedelta(hours=1)  # of a time axis
MOMENT = timedelta(minutes=1)  # what lies closer together has no time axis
_GREY = "#808080"  # readable on white and on black


@dataclass(frozen=True, slots=True)
class Mark:
    """A measurement; `low`, `high` are its 95 % interval, None where it has none."""

    at: datetime
    value: float
    name: str
    version: str
    low: float | None = None
    high: float | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """Measurements `first` to `last` (indexes) between two changes; `change` is the one it began with, "+15.0 %"."""

    first: int
    last: int
    mean: float
    change: str = ""


def metric_figure(history: MetricHistory) -> Figure:
    intervals = [interval_of(point, THROUGHPUT) if history.metric == THROUGHPUT else None for point in history.points]
    marks = [
        Mark(
            at=point.measured_at,
            value=history.value(point),
            name=f"#{point.pk}, {trials_words(point.trials_count, point.averaged_over)}",
            version=point.service_version or "",
            low=interval and interval[0],
            high=interval and interval[1],
            url=point.get_absolute_url(),
        )
        for point, interval in zip(history.points, intervals, strict=True)
        if point.measured_at is not None
    ]
    left_out = len(marks) - history.drawn
    return history_figure(marks[left_out:], _from(left_out, _levels(history)), history.metric)


def history_figure(marks: Sequence[Mark], levels: Sequence[Level], metric: Metric) -> Figure:
    """Versions are at the bottom where they change, changes of level at the top with a line."""
    if marks and _is_one_moment(marks):
        return _moment_figure(marks, metric)
    figure = new_figure()
    _add_marks(figure, marks, metric)
    _add_levels(figure, marks, levels, metric)
    changes = [(marks[level.first].at, level.change) for level in levels[1:]]
    versions = _version_changes(marks)[:MOST_VERSION_MARKS]
    # all at once: Plotly looks at all that are there with each one that is added
    figure.update_layout(
        shapes=[*(_change_line(at) for at, _ in changes), *(_version_line(at) for at, _ in versions)],
        annotations=[*(_change_words(*change) for change in changes), *(_version_words(*one) for one in versions)],
    )
    figure.update_xaxes(title_text=MEASURED_AT.label_with_unit, type="date", range=_widened(marks))
    # the axis begins at zero: otherwise noise looks like change
    figure.update_yaxes(title_text=axis_title(metric), rangemode="tozero")
    # the legend is above the changes
    figure.update_layout(hovermode="closest", height=HEIGHT_PIXELS, margin={"t": 60}, legend={"y": 1.1})
    return plain(figure)


def _from(first: int, levels: Sequence[Level]) -> list[Level]:
    """Of the marks from `first` on."""
    return [
        replace(level, first=max(level.first - first, 0), last=level.last - first)
        for level in levels
        if level.last >= first
    ]


def _is_one_moment(marks: Sequence[Mark]) -> bool:
    return max(mark.at for mark in marks) - min(mark.at for mark in marks) < MOMENT


def _moment_figure(marks: Sequence[Mark], metric: Metric) -> Figure:
    """Results of one moment have an order and no time: side by side, by their numbers."""
    figure = new_figure()
    _add_marks(figure, marks, metric)
    places = list(range(1, len(marks) + 1))
    figure.update_traces(
        x=places, mode="markers", hovertemplate=f"%{{text}}<br>%{{y:,.4~r}} {metric.unit}<extra></extra>"
    )
    moment = f"{marks[0].at:%Y-%m-%d %H:%M} UTC"
    words = [text(mark.name.partition(",")[0]) for mark in marks]
    figure.update_xaxes(title_text=f"All measured at {moment}", range=[0.5, len(marks) + 0.5], showgrid=False)
    figure.update_xaxes(tickmode="array", tickvals=places, ticktext=words)
    figure.update_yaxes(title_text=axis_title(metric), rangemode="tozero")
    figure.update_layout(hovermode="closest", height=HEIGHT_PIXELS)
    return plain(figure)


def _levels(history: MetricHistory) -> list[Level]:
    if not history.changes:
        return []
    first = history.changes[0].point
    starts = [
        (0, first.mean_before, ""),
        *((change.point.index, change.point.mean_after, percent(change)) for change in history.changes),
    ]
    ends = [*(change.point.index - 1 for change in history.changes), len(history.points) - 1]
    return [Level(start, end, mean, change) for (start, mean, change), end in zip(starts, ends, strict=True)]


def _add_marks(figure: PlotlyFigure, marks: Sequence[Mark], metric: Metric) -> None:
    figure.add_scatter(
        x=[mark.at.isoformat() for mark in marks],
        y=[mark.value for mark in marks],
        mode="lines+markers",
        line={"width": 1, "color": _GREY},
        marker={"color": PALETTE[1], "size": 9},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [None if mark.high is None else mark.high - mark.value for mark in marks],
            "arrayminus": [None if mark.low is None else mark.value - mark.low for mark in marks],
            "width": 4,
            "thickness": 1.5,
            "color": PALETTE[1],
        },
        name=metric.label,
        text=[text(f"{mark.name}\n{mark.version}") for mark in marks],
        customdata=[[number, mark.url] for number, mark in enumerate(marks, start=1)],
        hovertemplate=f"%{{text}}<br>%{{y:,.4~r}} {metric.unit}, %{{x|%Y-%m-%d %H:%M}}<extra></extra>",
        showlegend=False,
    )


def _add_levels(figure: PlotlyFigure, marks: Sequence[Mark], levels: Sequence[Level], metric: Metric) -> None:
    for number, level in enumerate(levels):
        figure.add_scatter(
            x=[marks[level.first].at.isoformat(), marks[level.last].at.isoformat()],
            y=[level.mean] * 2,
            mode="lines",
            line={"width": 3, "color": PALETTE[0], "dash": "dash"},
            name="Mean between changes",
            legendgroup="means",
            showlegend=number == 0,
            hovertemplate=f"mean %{{y:,.4~r}} {metric.unit}<extra></extra>",
        )


def _widened(marks: Sequence[Mark]) -> list[str] | None:
    """The hours around measurements of one moment: otherwise the axis would show parts of a millisecond."""
    first, last = min(mark.at for mark in marks), max(mark.at for mark in marks)
    if last - first >= SHORTEST:
        return None
    return [(first - SHORTEST).isoformat(), (last + SHORTEST).isoformat()]


def _line(at: datetime, **line: Any) -> dict[str, Any]:
    moment = at.isoformat()
    return {"type": "line", "x0": moment, "x1": moment, "xref": "x", "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _change_line(at: datetime) -> dict[str, Any]:
    return _line(at, color=PALETTE[0], width=2)


def _version_line(at: datetime) -> dict[str, Any]:
    return _line(at, color=_GREY, width=1, dash="dot")


def _words(at: datetime, y: int, words: str) -> dict[str, Any]:
    place = {"x": at.isoformat(), "y": y, "xref": "x", "yref": "paper", "yanchor": "bottom"}
    return {**place, "showarrow": False, "text": text(words)}


def _change_words(at: datetime, change: str) -> dict[str, Any]:
    return _words(at, 1, change)


def _version_words(at: datetime, version: str) -> dict[str, Any]:
    return {**_words(at, 0, version), "xanchor": "left", "textangle": -90}


def _version_changes(marks: Sequence[Mark]) -> list[tuple[datetime, str]]:
    """The first measurement, and each with another version than the one before it."""
    before = None
    changes = []
    for mark in marks:
        if mark.version and mark.version != before:
            changes.append((mark.at, mark.version))
        before = mark.version
    return changes
