"""A leaderboard as bars, best on top, with the interval of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from submissions.formatting.chart_style import (
    BAR_FRAME_PIXELS,
    BAR_PIXELS,
    Figure,
    axis_title,
    plain,
    shown_scale,
    text,
)
from submissions.metrics import Metric


@dataclass(frozen=True, slots=True)
class RankBar:
    """A place on a leaderboard; `low`, `high` are its 95 % interval, None where it has none."""

    name: str  # a line break in it is one in the chart
    figure: float
    low: float | None = None
    high: float | None = None


def leaderboard_bars(bars: Sequence[RankBar], metric: Metric) -> Figure:
    """One bar a place, with a line over its interval."""
    scale, unit = shown_scale(metric)
    above = [None if bar.high is None else (bar.high - bar.figure) / scale for bar in bars]
    below = [None if bar.low is None else (bar.figure - bar.low) / scale for bar in bars]
    figure = go.Figure(
        go.Bar(
            x=[bar.figure / scale for bar in bars],
            y=[text(bar.name) for bar in bars],
            orientation="h",
            marker={"color": "#56B4E9"},
            error_x={"type": "data", "symmetric": False, "array": above, "arrayminus": below, "width": 5},
            hovertemplate=f"%{{y}}<br>%{{x:,.4~r}} {unit}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=axis_title(metric), rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(height=BAR_FRAME_PIXELS + BAR_PIXELS * len(bars), bargap=0.3)
    return plain(figure)
