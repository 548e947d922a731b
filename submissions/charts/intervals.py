"""What was measured while a trial ran, over its own time."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from submissions.charts.style import PALETTE, Figure, axis_title, plain, text
from submissions.metrics import LATENCY_P99, THROUGHPUT


@dataclass(frozen=True, slots=True)
class Series:
    """What a trial's log printed while it ran; x is the seconds since its start."""

    name: str
    elapsed_seconds: Sequence[float]
    throughput_ops_s: Sequence[float | None]
    latency_p99_ms: Sequence[float | None]


def intervals_figure(series: Sequence[Series]) -> Figure:
    """Throughput and p99 of each trial over its own time, one above the other."""
    figure = go.Figure()
    for number, trial in enumerate(series):
        line = {"color": PALETTE[number % 7], "dash": ("solid", "dash", "dot")[number % 3]}
        for values, axis, unit in (
            (trial.throughput_ops_s, "y", THROUGHPUT.unit),
            (trial.latency_p99_ms, "y2", LATENCY_P99.unit),
        ):
            if all(value is None for value in values):
                continue
            figure.add_scatter(
                x=list(trial.elapsed_seconds),
                y=list(values),
                yaxis=axis,
                mode="lines",
                line=line,
                name=text(trial.name),
                legendgroup=str(number),
                showlegend=axis == "y" and len(series) > 1,
                connectgaps=False,
                hovertemplate=f"%{{y:,.4~g}} {unit} after %{{x:.4~g}} s<extra></extra>",
            )
    # pgbench prints no percentile: its throughput has the room alone
    has_latency = any(value is not None for trial in series for value in trial.latency_p99_ms)
    figure.update_layout(
        xaxis={"title": {"text": "Time since the trial's start (s)"}, "anchor": "y2" if has_latency else "y"},
        yaxis={"title": {"text": axis_title(THROUGHPUT)}, "rangemode": "tozero"},
        height=520 if has_latency else 300,
        hovermode="closest",
    )
    if has_latency:
        figure.update_layout(
            yaxis={"domain": [0.54, 1]},
            yaxis2={"title": {"text": axis_title(LATENCY_P99)}, "domain": [0, 0.46], "rangemode": "tozero"},
        )
    return plain(figure)
