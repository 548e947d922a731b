"""Latency against throughput: the measured points in order of load, the peak, the limit and its bracket."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.analysis.curves.load_curve import AtLimit, LatencyLimit
from submissions.choices import Percentile
from submissions.formatting.chart_style import PALETTE, axis_title, text
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.formatting.numbers import ops_s
from submissions.load_curves.sentences import limit_words
from submissions.metrics import THROUGHPUT

_DRAWN = (Percentile.P50, Percentile.P95, Percentile.P99)
_SHAPES = ("circle", "square", "diamond", "triangle-up")
_SHADE = "rgba(128, 128, 128, 0.25)"
_GREY = "#7F7F7F"
_SERVICE_TIME = " (service time)"


@dataclass(frozen=True, slots=True)
class Mark:
    """A point; latencies in ms by the names of the percentiles, None is unknown."""

    throughput_ops_s: float
    latency_ms: dict[str, float | None]
    name: str  # its load: "200 threads"
    is_peak: bool
    is_comparable: bool = True  # false: service times, beside response times of the others


def load_curve_figure(marks: Sequence[Mark], limit: LatencyLimit, found: AtLimit) -> Figure:
    """A line for each percentile of which at least one point is known, through the points that can be compared."""
    figure = new_figure()
    every, marks = marks, [mark for mark in marks if mark.is_comparable]
    kind = "" if len(marks) == len(every) else " (response time)"  # the others are service times
    drawn = [name for name in (*_DRAWN, limit.percentile) if any(mark.latency_ms.get(name) for mark in marks)]
    for place, name in enumerate(dict.fromkeys(drawn)):
        figure.add_scatter(
            x=[mark.throughput_ops_s for mark in marks],
            # zero has no place on a logarithmic axis
            y=[mark.latency_ms.get(name) or None for mark in marks],
            text=[text(mark.name) for mark in marks],
            mode="lines+markers",
            line={"color": PALETTE[place], "width": 1.5},
            marker={"color": PALETTE[place], "symbol": _SHAPES[place], "size": 8},
            name=f"{Percentile(name).label}{kind}",
            hovertemplate=f"%{{text}}<br>%{{x:,.4~r}} ops/s, {Percentile(name).label} %{{y:,.4~r}} ms<extra></extra>",
        )
    _add_limit(figure, every, limit)
    _add_peak(figure, every, limit)
    figure.update_xaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_yaxes(title_text="Latency (ms)", type="log")
    figure.update_layout(hovermode="closest", height=440, shapes=_bracket(found))
    return plain(figure)


def curves_figure(curves: Sequence[tuple[str, Sequence[Mark]]], limit: LatencyLimit) -> Figure:
    """Several curves: the limited percentile against throughput, a line for each (name, points in order of load)."""
    figure = new_figure()
    percentile = Percentile(limit.percentile)
    for place, (name, marks) in enumerate(curves):
        color = PALETTE[place % len(PALETTE)]
        figure.add_scatter(
            x=[mark.throughput_ops_s for mark in marks],
            y=[mark.latency_ms.get(percentile) or None for mark in marks],
            text=[text(mark.name) for mark in marks],
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={"color": color, "symbol": _SHAPES[place % len(_SHAPES)], "size": 8},
            name=text(name),
            hovertemplate=f"%{{text}}<br>%{{x:,.4~r}} ops/s, {percentile.label} %{{y:,.4~r}} ms<extra></extra>",
        )
    _add_limit(figure, [mark for _, marks in curves for mark in marks], limit)
    figure.update_xaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_yaxes(title_text=f"{percentile.label} latency (ms)", type="log")
    figure.update_layout(hovermode="closest", height=440)
    return plain(figure)


def _add_limit(figure: PlotlyFigure, marks: Sequence[Mark], limit: LatencyLimit) -> None:
    highest = max(mark.throughput_ops_s for mark in marks)
    figure.add_scatter(
        x=[0, highest],
        y=[limit.max_ms, limit.max_ms],
        mode="lines",
        line={"color": _GREY, "dash": "dash", "width": 1.5},
        name=f"Limit: {limit_words(limit)}",
        hoverinfo="skip",
    )


def _add_peak(figure: PlotlyFigure, marks: Sequence[Mark], limit: LatencyLimit) -> None:
    for mark in marks:
        latency = mark.latency_ms.get(limit.percentile)
        if mark.is_peak and latency:
            figure.add_scatter(
                x=[mark.throughput_ops_s],
                y=[latency],
                mode="markers",
                marker={"color": PALETTE[4], "symbol": "star", "size": 15},
                name=f"Peak: {ops_s(mark.throughput_ops_s)}{_SERVICE_TIME if not mark.is_comparable else ''}",
                hovertemplate=f"Peak, {text(mark.name)}<extra></extra>",
            )


def _bracket(found: AtLimit) -> list[dict[str, object]]:
    """Between the highest rate that kept the limit and the lowest that broke it."""
    low, high = found.bracket
    if low is None or high is None:
        return []
    return [
        {
            "type": "rect",
            "x0": low,
            "x1": high,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": _SHADE,
        }
    ]
