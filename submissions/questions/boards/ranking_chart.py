"""A ranking as dots and ranges: the best of each group, all that it has, their median, and what noise allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.charts.ticks import short
from submissions.formatting import currency
from submissions.formatting.chart_style import BAR_FRAME_PIXELS, axis_title, cloud_colour, per_usd, shown_scale, text
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.metrics import OPS_PER_USD, Metric

ROW_PIXELS = 36
_GREY = "#808080"  # readable on white and on black
_BAND = "rgba(128, 128, 128, 0.35)"
_DIGITS = 3

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A group. `interval` is the 95 % one of `best`, `spread` from the lowest to the highest of all; None: unknown."""

    name: str  # a line break in it is one in the chart
    provider: str  # the slug
    best: float
    spread: Span | None = None
    median: float | None = None
    interval: Span | None = None


def ranking_figure(rows: Sequence[Row], metric: Metric, *, of: str = "results") -> Figure:
    """In the order given; each value is at the end of its row. `of` is what the spread is of."""
    scale, unit = shown_scale(metric)
    names = [text(row.name) for row in rows]
    figure = new_figure()
    named = list(zip(names, rows, strict=True))
    intervals = [(name, row.best, row.interval) for name, row in named if row.interval is not None]
    _add_spans(figure, "95 % interval of the best", intervals, scale, {"thickness": 9, "color": _BAND})
    spreads = [(name, row.best, row.spread) for name, row in named if row.spread is not None]
    _add_spans(figure, f"all {of}", spreads, scale, {"thickness": 1.5, "color": _GREY})
    _add_medians(figure, [(name, row.median / scale) for name, row in named if row.median is not None])
    figure.add_scatter(
        x=[row.best / scale for row in rows],
        y=names,
        mode="markers",
        marker={"size": 12, "color": [cloud_colour(row.provider) for row in rows]},
        name="best result",
        customdata=[_spread_words(row, scale, unit, of) for row in rows],
        hovertemplate=f"%{{y}}<br>%{{x:,.4~r}} {unit}%{{customdata}}<extra></extra>",
    )
    figure.update_xaxes(title_text=axis_title(metric), rangemode="tozero")
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5], type="category", categoryorder="array", categoryarray=names, showgrid=False
    )
    figure.update_layout(
        height=BAR_FRAME_PIXELS - 40 + ROW_PIXELS * len(rows),
        hovermode="closest",
        showlegend=False,
        annotations=[_figure(name, row.best, metric) for name, row in zip(names, rows, strict=True)],
    )
    return plain(figure)


def _add_spans(
    figure: PlotlyFigure, name: str, spans: Sequence[tuple[str, float, Span]], scale: float, line: dict[str, Any]
) -> None:
    """A line from low to high for each row that has one, as an error bar: its numbers stay with those of the mark."""
    if not spans:
        return
    figure.add_scatter(
        x=[best / scale for _, best, _ in spans],
        y=[name for name, *_ in spans],
        mode="none",
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [(high - best) / scale for _, best, (_, high) in spans],
            "arrayminus": [(best - low) / scale for _, best, (low, _) in spans],
            "width": 0,
            **line,
        },
        name=name,
        hoverinfo="skip",
    )


def _add_medians(figure: PlotlyFigure, medians: Sequence[tuple[str, float]]) -> None:
    if medians:
        figure.add_scatter(
            x=[median for _, median in medians],
            y=[name for name, _ in medians],
            mode="markers",
            marker={"symbol": "line-ns", "size": 14, "color": _GREY, "line": {"width": 2, "color": _GREY}},
            name="median",
            hoverinfo="skip",
        )


def _figure(name: str, value: float, metric: Metric) -> dict[str, Any]:
    value = value / per_usd() if metric == OPS_PER_USD else value
    rounded = float(f"{value:.{_DIGITS}g}")
    words = f"{rounded:g}" if abs(rounded) < 1000 else short(rounded)
    words += f" ops/{currency.current().unit}" if metric == OPS_PER_USD else f" {metric.unit}"
    place = {"x": 1, "xref": "paper", "xanchor": "left", "y": name, "yref": "y"}
    return {**place, "text": text(words), "showarrow": False}


def _spread_words(row: Row, scale: float, unit: str, of: str) -> str:
    if row.spread is None:
        return ""
    low, high = (short(float(f"{value / scale:.4g}")) for value in row.spread)
    return f"<br>all {of}: {low} to {high} {unit}"
