"""Throughput against cluster size: the measured points, linear scaling, the fitted law."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.cluster_size.scaling import law_curve, shown_range
from submissions.facts import NODE_COUNT
from submissions.formatting.chart_style import axis_title, cloud_colour, text
from submissions.formatting.figures import MOST_POINTS, Figure, PlotlyFigure, new_figure, plain, sampled
from submissions.formatting.text import plural
from submissions.metrics import THROUGHPUT
from submissions.questions.scaling.query import ScalingResult, Series
from submissions.questions.scaling.sentences import one_decimal

# Two series of one cloud differ, and all do in black and white.
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x")
MOST_CURVES = len(_SHAPES)
_POINTS_OF_LINES = 100  # the law, linear scaling, the peak

NodesAndRate = tuple[float, float]  # (nodes, ops/s)


@dataclass(frozen=True, slots=True)
class Curve:
    """The measured sizes of one series; `notes` says more of each. The colour is the cloud's, the shape its own."""

    name: str
    points: Sequence[NodesAndRate]
    notes: Sequence[str]
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Law:
    """The fitted law up to the largest measured size, beyond it, and its peak where the chart reaches it."""

    measured: Sequence[NodesAndRate]
    beyond: Sequence[NodesAndRate] = ()
    peak: NodesAndRate | None = None


def most_sizes(result: ScalingResult) -> int:
    """Of each series in the chart; the lines of the law need the rest of its points."""
    return (MOST_POINTS - _POINTS_OF_LINES) // min(max(len(result.series), 1), MOST_CURVES)


def series_figure(chosen: Series, others: Sequence[Series], most: int) -> Figure:
    """With at most `most` sizes of each."""
    ends = (chosen.points[0], chosen.points[-1])
    return scaling_figure(
        _curve(chosen, most),
        ideal=[(point.size.node_count, point.ideal) for point in ends],
        law=_law(chosen),
        others=[_curve(series, most) for series in others[: MOST_CURVES - 1]],
    )


def scaling_figure(
    chosen: Curve, *, ideal: Sequence[NodesAndRate], law: Law | None, others: Sequence[Curve] = ()
) -> Figure:
    """The chosen series with linear scaling and its law; the others as points joined by thin lines."""
    figure = new_figure()
    _add_line(figure, ideal, "Linear scaling from the smallest", {"dash": "dash", "width": 1.5})
    if law is not None:
        colour = cloud_colour(chosen.provider)
        line = {"color": colour, "width": 2}
        _add_line(figure, law.measured, "Universal Scalability Law", line)
        if law.beyond:
            _add_line(figure, law.beyond, "The law, extrapolated", {**line, "dash": "dot"})
        if law.peak is not None:
            _add_peak(figure, law.peak, colour)
    for number, curve in enumerate((chosen, *others[: MOST_CURVES - 1])):
        _add_curve(figure, curve, number)
    figure.update_xaxes(title_text=NODE_COUNT.label, rangemode="tozero")
    figure.update_yaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_layout(hovermode="closest", height=500)
    return plain(figure)


def _curve(series: Series, most: int) -> Curve:
    sizes = sampled(series.points, most)
    points = [(point.size.node_count, point.size.throughput_ops_s) for point in sizes]
    notes = [
        f"{series.key.name}: {plural(point.size.n, 'result')}, efficiency {one_decimal(point.scaled.efficiency)}"
        for point in sizes
    ]
    return Curve(series.key.name, points, notes, series.key.provider)


def _law(series: Series) -> Law | None:
    usl = series.scaling.usl
    if usl is None:
        return None
    largest, end = float(series.scaling.largest.point.node_count), shown_range(series.scaling)
    curve = law_curve(usl, end)
    measured = [point for point in curve if point[0] < largest]
    edge = (largest, usl.throughput(largest))
    beyond = [edge, *(point for point in curve if point[0] > largest)] if end > largest else []
    peak = usl.peak_nodes
    at = (peak, usl.throughput(peak)) if peak is not None and peak <= end else None
    return Law([*measured, edge], beyond, at)


def _add_curve(figure: PlotlyFigure, curve: Curve, number: int) -> None:
    colour = cloud_colour(curve.provider)
    figure.add_scatter(
        x=[nodes for nodes, _ in curve.points],
        y=[rate for _, rate in curve.points],
        mode="markers" if number == 0 else "lines+markers",
        line={"color": colour, "width": 1},
        marker={"color": colour, "symbol": _SHAPES[number % len(_SHAPES)], "size": 12 if number == 0 else 9},
        name=text(curve.name),
        text=[text(note) for note in curve.notes],
        hovertemplate="%{x:,} nodes: %{y:,.4~r} ops/s<br>%{text}<extra></extra>",
    )


def _add_line(figure: PlotlyFigure, points: Sequence[NodesAndRate], name: str, line: dict[str, Any]) -> None:
    figure.add_scatter(
        x=[nodes for nodes, _ in points],
        y=[rate for _, rate in points],
        mode="lines",
        line=line,
        name=name,
        hoverinfo="skip",
    )


def _add_peak(figure: PlotlyFigure, peak: NodesAndRate, colour: str) -> None:
    figure.add_scatter(
        x=[peak[0]],
        y=[peak[1]],
        mode="markers",
        marker={"color": colour, "symbol": "diamond-open", "size": 16},
        name="Peak of the law",
        hovertemplate="peak at %{x:,.3~g} nodes: %{y:,.4~r} ops/s<extra></extra>",
    )
