"""Two to six results side by side, a panel for each metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from submissions.choices import LatencyKind, Percentile
from submissions.formatting.chart_style import (
    BAR_PIXELS,
    axis_title,
    provider_styles,
    shown_scale,
    text,
)
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.formatting.names import cluster_name, provider_name
from submissions.load_curves.chart import Mark
from submissions.load_curves.sentences import load_name
from submissions.metrics import LATENCY_P99, OPS_PER_USD, RELATIVE_THROUGHPUT, THROUGHPUT, Metric
from submissions.models import Submission
from submissions.questions.compare.query import Side

FRAME_PIXELS = 56  # of each panel: ticks and title


@dataclass(frozen=True, slots=True)
class ResultBar:
    """A submission in each panel; a value that is unknown is None."""

    name: str
    provider: str
    throughput_ops_s: float | None
    ops_per_usd: float | None
    latency_p99_ms: float | None
    relative_throughput: float | None = None  # of one base in all bars


def bars_of(sides: Sequence[Side]) -> list[ResultBar]:
    """Bars share a panel only where they can be compared: p99 of one known kind, ratios of one base."""
    kinds = {side.submission.latency_kind for side in sides}
    has_p99 = len(kinds) == 1 and LatencyKind.UNKNOWN not in kinds
    has_one_base = len({side.submission.relative_base for side in sides} - {""}) == 1
    return [
        ResultBar(
            name=_name(side.submission),
            provider=side.submission.provider,
            throughput_ops_s=side.submission.throughput_ops_s,
            ops_per_usd=_float(side.submission.ops_per_usd),
            latency_p99_ms=side.submission.latency_p99_at_most_ms if has_p99 else None,
            relative_throughput=side.submission.relative_throughput if has_one_base else None,
        )
        for side in sides
    ]


def curve_marks(side: Side) -> list[Mark]:
    """The loads of its curve; the p99 is that of the worst trial, which a limit is compared with."""
    return [
        Mark(
            point.throughput_ops_s,
            {Percentile.P99: point.worst_p99_ms},
            load_name(point.offered_ops_s, point.threads),
            point.is_peak,
        )
        for point in side.points
    ]


def _name(submission: Submission) -> str:
    """Two short lines: the bars keep most of a phone's width."""
    cluster = cluster_name(submission.node_count, submission.instance_type)
    return f"#{submission.pk}, {provider_name(submission.provider)}\n{cluster}"


def compare_bars(bars: Sequence[ResultBar]) -> Figure:
    """Throughput, operations per dollar and p99, a panel each."""
    metrics = (THROUGHPUT, RELATIVE_THROUGHPUT, OPS_PER_USD, LATENCY_P99)
    shown = [metric for metric in metrics if any(_value(bar, metric) is not None for bar in bars)]
    styles = provider_styles(bar.provider for bar in bars)
    figure = new_figure()
    for number, metric in enumerate(shown, start=1):
        axis = "" if number == 1 else str(number)
        scale, unit = shown_scale(metric)
        values = [_value(bar, metric) for bar in bars]
        figure.add_bar(
            x=[None if value is None else value / scale for value in values],
            y=[text(bar.name) for bar in bars],
            orientation="h",
            marker={"color": [styles[bar.provider]["color"] for bar in bars]},
            xaxis=f"x{axis}",
            yaxis=f"y{axis}",
            showlegend=False,
            hovertemplate=f"%{{y}}<br>%{{x:,.4~r}} {unit}<extra></extra>",
        )
    height = FRAME_PIXELS * max(len(shown), 1) + BAR_PIXELS * len(bars) * max(len(shown), 1)
    for number, metric in enumerate(shown, start=1):
        figure.update_layout(**_panel(number, len(shown), axis_title(metric), FRAME_PIXELS / height))
    figure.update_layout(height=height, bargap=0.35)
    return plain(figure)


def _panel(number: int, of: int, title: str, frame: float) -> dict[str, Any]:
    """Axes of panel `number`, the first on top. `frame`: the share that ticks and title below each have."""
    axis = "" if number == 1 else str(number)
    gap = frame / (1 - frame)  # of what the panels have without the frame of the last one
    tall = (1 - gap * (of - 1)) / of
    bottom = max(1 - number * tall - (number - 1) * gap, 0.0)
    return {
        f"xaxis{axis}": {
            "title": {"text": title},
            "anchor": f"y{axis}",
            "rangemode": "tozero",
        },
        f"yaxis{axis}": {
            "domain": [bottom, bottom + tall],
            "anchor": f"x{axis}",
            "autorange": "reversed",
            "type": "category",
        },
    }


def _value(bar: ResultBar, metric: Metric) -> float | None:
    value: float | None = getattr(bar, metric.key)
    return value


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
