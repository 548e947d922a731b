"""The charts of the value question: cost against throughput, and operations per dollar by group."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from submissions.analysis.pareto import Point, pareto_front
from submissions.formatting.chart_style import (
    BAR_FRAME_PIXELS,
    BAR_PIXELS,
    MILLION,
    axis_title,
    provider_styles,
    shown_scale,
    text,
)
from submissions.formatting.figures import MOST_POINTS, Figure, new_figure, plain, sampled
from submissions.formatting.names import cluster_name, provider_name
from submissions.metrics import HOURLY_USD, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import Submission
from submissions.questions.value.valuation import GroupValue

MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class System:
    """A priced submission in a chart. `name` is shown as text, whatever it holds."""

    key: int
    name: str
    provider: str  # the slug
    hourly_usd: Decimal
    throughput_ops_s: float
    ops_per_usd: Decimal
    url: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A group's best value, and its worst where it has more than one."""

    name: str  # a line break in it is one in the chart
    best: float
    worst: float | None = None


def value_scatter(systems: Sequence[System]) -> Figure:
    """Hourly cost against throughput, a shape and a colour for each provider, and the Pareto front."""
    figure = new_figure()
    front: Sequence[Point] = pareto_front(_point(system) for system in systems)
    if len(front) > 1:
        front = sampled(front, max(MOST_POINTS - len(systems), 2))  # its line; each of its systems is a mark too
        figure.add_scatter(
            x=[point.hourly_usd for point in front],
            y=[point.throughput_ops_s for point in front],
            mode="lines",
            line={"dash": "dot", "width": 2, "shape": "hv"},
            name="Pareto front",
            hoverinfo="skip",
        )
    styles = provider_styles(system.provider for system in systems)
    for provider, marker in styles.items():
        own = [system for system in systems if system.provider == provider]
        figure.add_scatter(
            x=[float(system.hourly_usd) for system in own],
            y=[system.throughput_ops_s for system in own],
            mode="markers",
            marker={**marker, "size": 11},
            name=text(provider_name(provider)),
            text=[text(system.name) for system in own],
            customdata=[[float(system.ops_per_usd) / MILLION, system.url] for system in own],
            hovertemplate=(
                "%{text}<br>%{y:,.4~r} ops/s at %{x:.4~r} USD/h<br>%{customdata[0]:,.4~r} M ops/$<extra></extra>"
            ),
        )
    figure.update_xaxes(title_text=axis_title(HOURLY_USD), rangemode="tozero")
    figure.update_yaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_layout(hovermode="closest", height=440)
    return plain(figure)


def systems(rows: Sequence[Submission]) -> list[System]:
    """Priced rows as marks of the scatter. No query."""
    return [
        System(
            key=row.pk,
            name=f"{cluster_name(row.node_count, row.instance_type)}: {row.title}",
            provider=row.provider,
            hourly_usd=row.hourly_usd,
            throughput_ops_s=row.throughput_ops_s,
            ops_per_usd=row.ops_per_usd,
            url=row.get_absolute_url(),
        )
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None and row.ops_per_usd is not None
    ]


def value_bars(bars: Sequence[Bar], metric: Metric = OPS_PER_USD) -> Figure:
    """One bar a group, as long as its best submission; a circle marks its worst.

    A line between the two would look like an interval.
    """
    scale, unit = shown_scale(metric)
    names = [text(bar.name) for bar in bars]
    figure = new_figure()
    figure.add_bar(
        x=[bar.best / scale for bar in bars],
        y=names,
        orientation="h",
        marker={"color": "#56B4E9"},
        name="best result",
        showlegend=False,
        customdata=[(bar.best if bar.worst is None else bar.worst) / scale for bar in bars],
        hovertemplate=(f"%{{y}}<br>best %{{x:,.4~r}} {unit}<br>worst %{{customdata:,.4~r}} {unit}<extra></extra>"),
    )
    ranges = [(bar.worst / scale, name) for bar, name in zip(bars, names, strict=True) if bar.worst is not None]
    if ranges:
        figure.add_scatter(
            x=[worst for worst, _ in ranges],
            y=[name for _, name in ranges],
            mode="markers",
            # on its bar in both schemes
            marker={"symbol": "circle-open", "size": 9, "color": "#12232e", "line": {"width": 2}},
            name="worst result",
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_xaxes(title_text=axis_title(metric), rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(height=BAR_FRAME_PIXELS + BAR_PIXELS * len(bars), bargap=0.3)
    return plain(figure)


def group_bars(groups: Sequence[GroupValue]) -> Figure:
    """The best groups as bars."""
    return value_bars([_bar(group) for group in groups[:MOST_BARS]])


def _bar(group: GroupValue) -> Bar:
    """The label in two lines: a third would reach into the next bar's label."""
    first, *others = group.by.lines_of(group.best)
    n = f"n = {group.n:,}"
    worst = float(group.worst_ops_per_usd) if group.n > 1 else None
    return Bar("\n".join([first, ", ".join([*others, n])]), float(group.best_ops_per_usd), worst)


def _point(system: System) -> Point:
    return Point(float(system.hourly_usd), system.throughput_ops_s, system.key)
