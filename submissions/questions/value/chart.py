"""The charts of the value question: cost against throughput, and operations per dollar by group."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from heapq import nlargest
from math import floor, log10
from statistics import median
from typing import Any

from submissions.analysis.pareto import Point, pareto_front
from submissions.charts.notes import ISO, LABEL
from submissions.charts.ticks import Range, log_axis, log_range, short
from submissions.formatting import currency
from submissions.formatting.chart_style import MILLION, axis_title, note_at, provider_styles, text
from submissions.formatting.figures import DOT, MOST_POINTS, Figure, PlotlyFigure, new_figure, plain, sampled
from submissions.formatting.names import cluster_name, provider_name
from submissions.formatting.numbers import value_unit
from submissions.formatting.text import plural
from submissions.metrics import HOURLY_USD, OPS_PER_USD, THROUGHPUT
from submissions.models import Submission, address_of
from submissions.questions.boards.ranking import interval_of
from submissions.questions.boards.ranking_chart import Row, ranking_figure
from submissions.questions.value.pareto import Mark
from submissions.questions.value.valuation import GroupValue

MOST_ROWS = 20
MOST_LABELS = 40  # candidates: those without room are left out
MOST_STEPS = 100  # of the Pareto front
_FAINT = 0.35  # of what another system beats
_DOT_OPACITY = 0.5
_SECONDS = 3600  # of an hour
_LEAST_LINE = 0.07  # of the width: a shorter line of equal value is only a corner of the chart
_GREY = "#808080"  # readable on white and on black


@dataclass(frozen=True, slots=True)
class System:
    """A priced submission in a chart. `name` is shown as text, whatever it holds; `label` beside its point.

    In a chart its cost and its value are in the reader's currency.
    """

    key: int
    name: str
    provider: str  # the slug
    hourly_usd: Decimal
    throughput_ops_s: float
    ops_per_usd: Decimal
    url: str = ""
    label: str = ""


def value_scatter(systems: Sequence[System], others: Sequence[Mark] = ()) -> Figure:
    """Hourly cost against throughput, both logarithmic, so that lines of equal value are diagonals.

    A shape and a colour for each provider; the steps of the Pareto front have the names of its systems. `others` are
    beaten: small dots below, which only the interactive chart names.
    """
    systems, others = [_in_currency(system) for system in systems], [_mark_in_currency(mark) for mark in others]
    front = sampled(pareto_front(_point(system) for system in systems), MOST_STEPS)
    shown = _capped(systems, {point.key for point in front}, MOST_POINTS - len(front))
    figure = new_figure()
    _add_front(figure, front)
    keys = {point.key for point in front}
    named = {system.provider for system in shown}
    every = [*(system.provider for system in shown), *(mark.provider for mark in others)]
    for provider, marker in provider_styles(every).items():
        if dots := [mark for mark in others if mark.provider == provider]:
            _add_dots(figure, provider, dots, marker["color"], is_named=provider not in named)
    for provider, marker in provider_styles(system.provider for system in shown).items():
        own = [system for system in shown if system.provider == provider]
        _add_systems(figure, provider, own, {**marker, "opacity": [1 if one.key in keys else _FAINT for one in own]})
    marks: list[System | Mark] = [*shown, *others]
    x_range = log_range(float(mark.hourly_usd) for mark in marks)
    y_range = log_range(mark.throughput_ops_s for mark in marks)
    lines = iso_lines(shown, x_range, y_range)
    figure.update_xaxes(title_text=axis_title(HOURLY_USD), **log_axis(x_range, f"{currency.current().sign}{{}}/h"))
    figure.update_yaxes(title_text=axis_title(THROUGHPUT), **log_axis(y_range, "{}"))
    figure.update_layout(
        hovermode="closest",
        height=440,
        showlegend=len(set(every)) > 1,
        shapes=[line.shape for line in lines],
        annotations=[*_labels(shown, front), *(line.annotation for line in lines)],
    )
    return plain(figure)


def _in_currency(system: System) -> System:
    own = currency.current()
    if own.is_usd:
        return system
    return replace(system, hourly_usd=own.of_usd(system.hourly_usd), ops_per_usd=own.per_unit(system.ops_per_usd))


def _mark_in_currency(mark: Mark) -> Mark:
    own = currency.current()
    if own.is_usd:
        return mark
    return mark._replace(hourly_usd=own.of_usd(mark.hourly_usd), ops_per_usd=own.per_unit(mark.ops_per_usd))


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
            label=cluster_name(row.node_count, row.instance_type),
        )
        for row in rows
        if row.hourly_usd is not None and row.throughput_ops_s is not None and row.ops_per_usd is not None
    ]


def group_ranking(groups: Sequence[GroupValue], rows: Sequence[Submission] = (), total: int | None = None) -> Figure:
    """The best groups by operations per dollar, with their medians if `rows` are the `total` results of all groups."""
    is_whole = len(rows) == (sum(group.n for group in groups) if total is None else total)
    values: dict[Any, list[float]] = defaultdict(list)
    for row in rows if is_whole else ():
        if row.ops_per_usd is not None:
            values[groups[0].by.values_of(row)].append(float(row.ops_per_usd))
    return ranking_figure([_row(one, values[one.by.values_of(one.best)]) for one in groups[:MOST_ROWS]], OPS_PER_USD)


@dataclass(frozen=True, slots=True)
class IsoLine:
    """Systems of equal value, between the edges of the chart, in powers of ten."""

    ops_per_usd: float
    start: tuple[float, float]
    end: tuple[float, float]

    @property
    def shape(self) -> dict[str, Any]:
        (x0, y0), (x1, y1) = self.start, self.end
        place = {"x0": 10**x0, "x1": 10**x1, "y0": 10**y0, "y1": 10**y1}
        return {"type": "line", "layer": "below", "line": {"color": _GREY, "width": 0.75, "dash": "dot"}, **place}

    @property
    def annotation(self) -> dict[str, Any]:
        return note_at(ISO, *self.end, f"{short(self.ops_per_usd)} ops/{currency.current().unit}")


def iso_lines(systems: Iterable[System], x_range: Range, y_range: Range) -> list[IsoLine]:
    """A diagonal for each power of ten of operations per dollar; 2 and 5 of it, too, where those are few."""
    values = [log10(system.ops_per_usd) for system in systems if system.ops_per_usd > 0]
    if not values:
        return []
    first, last = floor(min(values)) - 1, floor(max(values)) + 1
    digits = (1,) if max(values) - min(values) > 2 else (1, 2, 5)
    lines = [_iso_line(digit * 10.0**power, x_range, y_range) for power in range(first, last + 1) for digit in digits]
    low, high = min(values) - 0.5, max(values) + 0.5
    return [line for line in lines if line is not None and low <= log10(line.ops_per_usd) <= high]


def _iso_line(ops_per_usd: float, x_range: Range, y_range: Range) -> IsoLine | None:
    above = log10(ops_per_usd / _SECONDS)
    start, end = max(x_range[0], y_range[0] - above), min(x_range[1], y_range[1] - above)
    if end - start < _LEAST_LINE * (x_range[1] - x_range[0]):
        return None  # only a corner of the chart
    return IsoLine(ops_per_usd, (start, start + above), (end, end + above))


def _add_front(figure: PlotlyFigure, front: Sequence[Point]) -> None:
    if len(front) < 2:
        return
    figure.add_scatter(
        x=[point.hourly_usd for point in front],
        y=[point.throughput_ops_s for point in front],
        mode="lines",
        line={"width": 1.5, "shape": "hv", "color": _GREY},
        fill="tozeroy",
        fillcolor="rgba(128, 128, 128, 0.1)",
        name="Pareto front",
        hoverinfo="skip",
        showlegend=False,
    )


def _add_systems(figure: PlotlyFigure, provider: str, own: Sequence[System], marker: dict[str, Any]) -> None:
    figure.add_scatter(
        x=[float(system.hourly_usd) for system in own],
        y=[system.throughput_ops_s for system in own],
        mode="markers",
        marker={**marker, "size": 11},
        name=text(provider_name(provider)),
        text=[text(system.name) for system in own],
        customdata=[[float(system.ops_per_usd) / MILLION, system.url] for system in own],
        hovertemplate=_hover(),
    )


def _hover() -> str:
    cost, value = f"{currency.current().code}/h", value_unit()
    return f"%{{text}}<br>%{{y:,.4~r}} ops/s at %{{x:.4~r}} {cost}<br>%{{customdata[0]:,.4~r}} {value}<extra></extra>"


def _add_dots(figure: PlotlyFigure, provider: str, dots: Sequence[Mark], colour: str, *, is_named: bool) -> None:
    """Named by their clusters alone: thousands of titles would be most of the chart."""
    figure.add_scatter(
        x=[float(mark.hourly_usd) for mark in dots],
        y=[mark.throughput_ops_s for mark in dots],
        mode="markers",
        marker={"size": DOT, "color": colour, "opacity": _DOT_OPACITY},
        name=text(provider_name(provider)),
        legendgroup=f"dots {provider}",
        showlegend=is_named,
        text=[text(mark.cluster) for mark in dots],
        customdata=[[float(f"{float(mark.ops_per_usd) / MILLION:.5g}"), address_of(mark.pk)] for mark in dots],
        hovertemplate=_hover(),
    )


def _labels(systems: Iterable[System], front: Iterable[Point]) -> list[dict[str, Any]]:
    """Of the front, the best value first: what has no room is left out from the end."""
    keys = {point.key for point in front}
    named = nlargest(MOST_LABELS, (one for one in systems if one.key in keys and one.label), key=_value)
    return [note_at(LABEL, log10(one.hourly_usd), log10(one.throughput_ops_s), one.label) for one in named]


def _capped(systems: Sequence[System], front: set[int], most: int) -> list[System]:
    """The front and the best by value, in the order given."""
    if len(systems) <= most:
        return list(systems)
    kept = {one.key for one in nlargest(most, systems, key=lambda one: (one.key in front, one.ops_per_usd))}
    return [one for one in systems if one.key in kept]


def _value(system: System) -> Decimal:
    return system.ops_per_usd


def _row(group: GroupValue, values: Sequence[float]) -> Row:
    """The label in two lines: a third would reach into the next row's label."""
    first, *others = group.by.lines_of(group.best)
    best = float(group.best_ops_per_usd)
    return Row(
        name="\n".join([first, ", ".join([*others, plural(group.n, "result")])]),
        provider=group.best.provider,
        best=best,
        spread=(float(group.worst_ops_per_usd), best) if group.n > 1 else None,
        median=median(values) if len(values) > 1 else None,
        interval=interval_of(group.best, OPS_PER_USD),
    )


def _point(system: System) -> Point:
    return Point(float(system.hourly_usd), system.throughput_ops_s, system.key)
