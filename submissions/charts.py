"""Charts as Plotly figures: values in, figure dictionaries out; colours of text and grid are the page's."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Any

import plotly.graph_objects as go

from submissions.analysis.pareto import Point, pareto_front
from submissions.metrics import HOURLY_USD, LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric

# Okabe and Ito's palette, told apart by colour-blind readers; the shape says the same once more.
_PALETTE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
_KNOWN_PROVIDERS = ("aws", "gce", "azure", "on-premises", "local")
# Operations per dollar are shown in millions: their digits would else be the widest thing.
_MILLION = 1_000_000
_BAR_PIXELS = 40
_BAR_FRAME_PIXELS = 110

Figure = dict[str, Any]


@dataclass(frozen=True, slots=True)
class System:
    """A priced submission in a chart. `name` is shown as text, whatever it holds."""

    key: int
    name: str
    provider: str
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
    note: str = ""  # "n = 3"


@dataclass(frozen=True, slots=True)
class Column:
    """A submission in a comparison; a value that is unknown is None."""

    name: str
    provider: str
    throughput_ops_s: float | None
    ops_per_usd: float | None
    latency_p99_ms: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """What a trial's log printed while it ran; x is the seconds since its start."""

    name: str
    elapsed_seconds: Sequence[float]
    throughput_ops_s: Sequence[float | None]
    latency_p99_ms: Sequence[float | None]


def value_scatter(systems: Sequence[System]) -> Figure:
    """Hourly cost against throughput, a shape and a colour for each provider, and the Pareto front."""
    figure = go.Figure()
    front = pareto_front(_point(system) for system in systems)
    if len(front) > 1:
        figure.add_scatter(
            x=[point.hourly_usd for point in front],
            y=[point.throughput_ops_s for point in front],
            mode="lines",
            line={"dash": "dot", "width": 2, "shape": "hv"},
            name="Pareto front",
            hoverinfo="skip",
        )
    styles = _provider_styles(system.provider for system in systems)
    for provider, marker in styles.items():
        own = [system for system in systems if system.provider == provider]
        figure.add_scatter(
            x=[float(system.hourly_usd) for system in own],
            y=[system.throughput_ops_s for system in own],
            mode="markers",
            marker={**marker, "size": 11},
            name=_text(provider),
            text=[_text(system.name) for system in own],
            customdata=[[float(system.ops_per_usd) / _MILLION, system.url] for system in own],
            hovertemplate=(
                "%{text}<br>%{y:,.4~g} ops/s at %{x:.4~g} USD/h<br>"
                "%{customdata[0]:,.4~g} million operations per USD<extra></extra>"
            ),
        )
    figure.update_xaxes(title_text=_axis(HOURLY_USD), rangemode="tozero")
    figure.update_yaxes(title_text=_axis(THROUGHPUT), rangemode="tozero")
    figure.update_layout(hovermode="closest", height=440)
    return _plain(figure)


def value_bars(bars: Sequence[Bar], metric: Metric = OPS_PER_USD) -> Figure:
    """One bar a group, as long as its best submission; a line goes back to its worst."""
    scale, unit = _scale(metric)
    names = [_text(_with_note(bar)) for bar in bars]
    back = [None if bar.worst is None else (bar.best - bar.worst) / scale for bar in bars]
    figure = go.Figure(
        go.Bar(
            x=[bar.best / scale for bar in bars],
            y=names,
            orientation="h",
            marker={"color": "#56B4E9"},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [None if worst is None else 0 for worst in back],
                "arrayminus": back,
                "width": 5,
            },
            customdata=[(bar.best if bar.worst is None else bar.worst) / scale for bar in bars],
            hovertemplate=(f"%{{y}}<br>best %{{x:,.4~g}} {unit}<br>worst %{{customdata:,.4~g}} {unit}<extra></extra>"),
        )
    )
    figure.update_xaxes(title_text=_axis(metric), rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(height=_BAR_FRAME_PIXELS + _BAR_PIXELS * len(bars), bargap=0.3)
    return _plain(figure)


def compare_bars(columns: Sequence[Column]) -> Figure:
    """Throughput, operations per dollar and p99 of two to six submissions, a panel each."""
    metrics = (THROUGHPUT, OPS_PER_USD, LATENCY_P99)
    shown = [metric for metric in metrics if any(_value(c, metric) is not None for c in columns)]
    styles = _provider_styles(column.provider for column in columns)
    figure = go.Figure()
    for number, metric in enumerate(shown, start=1):
        axis = "" if number == 1 else str(number)
        scale, unit = _scale(metric)
        values = [_value(column, metric) for column in columns]
        figure.add_bar(
            x=[None if value is None else value / scale for value in values],
            y=[_text(column.name) for column in columns],
            orientation="h",
            marker={"color": [styles[column.provider]["color"] for column in columns]},
            xaxis=f"x{axis}",
            yaxis=f"y{axis}",
            showlegend=False,
            hovertemplate=f"%{{y}}<br>%{{x:,.4~g}} {unit}<extra></extra>",
        )
    for number, metric in enumerate(shown, start=1):
        figure.update_layout(_panel(number, len(shown), _axis(metric)))
    panel = _BAR_FRAME_PIXELS + _BAR_PIXELS * len(columns)
    figure.update_layout(height=panel * max(len(shown), 1), bargap=0.35)
    return _plain(figure)


def intervals_figure(series: Sequence[Series]) -> Figure:
    """Throughput and p99 of each trial over its own time, one above the other."""
    figure = go.Figure()
    for number, trial in enumerate(series):
        line = {"color": _PALETTE[number % 7], "dash": ("solid", "dash", "dot")[number % 3]}
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
                name=_text(trial.name),
                legendgroup=str(number),
                showlegend=axis == "y" and len(series) > 1,
                connectgaps=False,
                hovertemplate=f"%{{y:,.4~g}} {unit} after %{{x:.4~g}} s<extra></extra>",
            )
    # pgbench prints no percentile: its throughput has the room alone
    has_latency = any(value is not None for trial in series for value in trial.latency_p99_ms)
    figure.update_layout(
        xaxis={"title": {"text": "Time since the trial's start (s)"}, "anchor": "y2" if has_latency else "y"},
        yaxis={"title": {"text": _axis(THROUGHPUT)}, "rangemode": "tozero"},
        height=520 if has_latency else 300,
        hovermode="closest",
    )
    if has_latency:
        figure.update_layout(
            yaxis={"domain": [0.54, 1]},
            yaxis2={"title": {"text": _axis(LATENCY_P99)}, "domain": [0, 0.46], "rangemode": "tozero"},
        )
    return _plain(figure)


def _with_note(bar: Bar) -> str:
    """In two lines: a third would reach into the next bar's label."""
    if not bar.note:
        return bar.name
    return f"{bar.name}, {bar.note}" if "\n" in bar.name else f"{bar.name}\n{bar.note}"


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


def _provider_styles(providers: Any) -> dict[str, dict[str, str]]:
    """Each provider's colour and shape: the known ones have always the same."""
    present = sorted(set(providers))
    unknown = [provider for provider in present if provider not in _KNOWN_PROVIDERS]
    places = {name: place for place, name in enumerate((*_KNOWN_PROVIDERS, *unknown))}
    return {
        name: {
            "color": _PALETTE[places[name] % len(_PALETTE)],
            "symbol": _SHAPES[places[name] % len(_SHAPES)],
        }
        for name in present
    }


def _point(system: System) -> Point:
    return Point(float(system.hourly_usd), system.throughput_ops_s, system.key)


def _value(column: Column, metric: Metric) -> float | None:
    value: float | None = getattr(column, metric.key)
    return value


def _scale(metric: Metric) -> tuple[int, str]:
    """What to divide the metric's values by, and the unit of the outcome."""
    return (_MILLION, f"million {metric.unit}") if metric == OPS_PER_USD else (1, metric.unit)


def _axis(metric: Metric) -> str:
    # the longest title must fit a chart of a telephone's width
    if metric == OPS_PER_USD:
        return "Million ops/USD"
    return f"{metric.label} ({metric.unit})"


def _text(value: str) -> str:
    # Plotly reads <b>, <a> and entities in a text: an uploader's words stay words.
    # Nor do we use <b>: Plotly makes it an inline style, which our policy forbids.
    return escape(value, quote=False).replace("\n", "<br>")


def _plain(figure: go.Figure) -> Figure:
    """Without plotly's default template: static/js/charts.js brings the page's own."""
    plain: Figure = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
