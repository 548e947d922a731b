"""Throughput against cluster size: the measured points, the ideal line, the fitted law."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from submissions.formatting.chart_style import PALETTE, Figure, axis_title, plain, text
from submissions.metrics import THROUGHPUT

# With the colour of the same place: two series are told apart in black and white too.
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x")
MOST_CURVES = len(_SHAPES)

Place = tuple[float, float]  # (nodes, ops/s)


@dataclass(frozen=True, slots=True)
class Curve:
    """The measured sizes of one series; `notes` says more of each."""

    name: str
    places: Sequence[Place]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Law:
    """The fitted law up to the largest measured size, beyond it, and its peak where the chart reaches it."""

    measured: Sequence[Place]
    beyond: Sequence[Place] = ()
    peak: Place | None = None


def scaling_figure(chosen: Curve, *, ideal: Sequence[Place], law: Law | None, others: Sequence[Curve] = ()) -> Figure:
    """The chosen series with its ideal and its law; the others as points joined by thin lines."""
    figure = go.Figure()
    _add_line(figure, ideal, "Ideal: as much per node as the smallest", {"dash": "dash", "width": 1.5})
    if law is not None:
        line = {"color": PALETTE[0], "width": 2}
        _add_line(figure, law.measured, "Universal Scalability Law", line)
        if law.beyond:
            _add_line(figure, law.beyond, "The law beyond what was measured", {**line, "dash": "dot"})
        if law.peak is not None:
            _add_peak(figure, law.peak)
    for number, curve in enumerate((chosen, *others[: MOST_CURVES - 1])):
        _add_curve(figure, curve, number)
    figure.update_xaxes(title_text="Database nodes", rangemode="tozero")
    figure.update_yaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_layout(hovermode="closest", height=500)
    return plain(figure)


def _add_curve(figure: go.Figure, curve: Curve, number: int) -> None:
    colour = PALETTE[number % len(PALETTE)]
    figure.add_scatter(
        x=[nodes for nodes, _ in curve.places],
        y=[rate for _, rate in curve.places],
        mode="markers" if number == 0 else "lines+markers",
        line={"color": colour, "width": 1},
        marker={"color": colour, "symbol": _SHAPES[number % len(_SHAPES)], "size": 12 if number == 0 else 9},
        name=text(curve.name),
        text=[text(note) for note in curve.notes],
        hovertemplate="%{x:,} nodes: %{y:,.4~r} ops/s<br>%{text}<extra></extra>",
    )


def _add_line(figure: go.Figure, places: Sequence[Place], name: str, line: dict[str, Any]) -> None:
    figure.add_scatter(
        x=[nodes for nodes, _ in places],
        y=[rate for _, rate in places],
        mode="lines",
        line=line,
        name=name,
        hoverinfo="skip",
    )


def _add_peak(figure: go.Figure, peak: Place) -> None:
    figure.add_scatter(
        x=[peak[0]],
        y=[peak[1]],
        mode="markers",
        marker={"color": PALETTE[0], "symbol": "diamond-open", "size": 16},
        name="Peak of the law",
        hovertemplate="peak at %{x:,.3~g} nodes: %{y:,.4~r} ops/s<extra></extra>",
    )
