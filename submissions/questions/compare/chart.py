"""A few submissions beside each other, a panel for each metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from submissions.formatting.chart_style import (
    BAR_FRAME_PIXELS,
    BAR_PIXELS,
    Figure,
    axis_title,
    plain,
    provider_styles,
    shown_scale,
    text,
)
from submissions.metrics import LATENCY_P99, OPS_PER_USD, RELATIVE_THROUGHPUT, THROUGHPUT, Metric


@dataclass(frozen=True, slots=True)
class Column:
    """A submission in a comparison; a value that is unknown is None."""

    name: str
    provider: str
    throughput_ops_s: float | None
    ops_per_usd: float | None
    latency_p99_ms: float | None
    relative_throughput: float | None = None  # of one base in all columns


def compare_bars(columns: Sequence[Column]) -> Figure:
    """Throughput, operations per dollar and p99 of two to six submissions, a panel each."""
    metrics = (THROUGHPUT, RELATIVE_THROUGHPUT, OPS_PER_USD, LATENCY_P99)
    shown = [metric for metric in metrics if any(_value(c, metric) is not None for c in columns)]
    styles = provider_styles(column.provider for column in columns)
    figure = go.Figure()
    for number, metric in enumerate(shown, start=1):
        axis = "" if number == 1 else str(number)
        scale, unit = shown_scale(metric)
        values = [_value(column, metric) for column in columns]
        figure.add_bar(
            x=[None if value is None else value / scale for value in values],
            y=[text(column.name) for column in columns],
            orientation="h",
            marker={"color": [styles[column.provider]["color"] for column in columns]},
            xaxis=f"x{axis}",
            yaxis=f"y{axis}",
            showlegend=False,
            hovertemplate=f"%{{y}}<br>%{{x:,.4~r}} {unit}<extra></extra>",
        )
    for number, metric in enumerate(shown, start=1):
        figure.update_layout(_panel(number, len(shown), axis_title(metric)))
    panel = BAR_FRAME_PIXELS + BAR_PIXELS * len(columns)
    figure.update_layout(height=panel * max(len(shown), 1), bargap=0.35)
    return plain(figure)


def _panel(number: int, of: int, title: str) -> dict[str, Any]:
    """Axes of panel `number`, the first on top."""
    axis = "" if number == 1 else str(number)
    share = 1 / of
    top = 1 - (number - 1) * share
    return {
        f"xaxis{axis}": {
            "title": {"text": title},
            "anchor": f"y{axis}",
            "rangemode": "tozero",
        },
        f"yaxis{axis}": {
            "domain": [top - share * 0.62, top],
            "anchor": f"x{axis}",
            "autorange": "reversed",
            "type": "category",
        },
    }


def _value(column: Column, metric: Metric) -> float | None:
    value: float | None = getattr(column, metric.key)
    return value
