"""What was measured during a trial, over its own time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.charts.ticks import log_axis, log_range
from submissions.facts import ERRORS
from submissions.formatting.chart_style import PALETTE, axis_title, text
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.metrics import LATENCY_P99, THROUGHPUT
from submissions.records.curves.activity_series import ActivitySeries

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_PANEL_PIXELS = 200
_HOST_PANEL_PIXELS = 120
_FRAME_PIXELS = 100
_GAP = 0.06  # between panels, of the whole height
_OUTSIDE = "rgba(128, 128, 128, 0.18)"  # visible on white and on black
_WARM_UP = "rgba(230, 159, 0, 0.18)"


@dataclass(frozen=True, slots=True)
class Series:
    """What a trial's log printed while it ran; x is the seconds since its start.

    Errors and garbage collections are those of each point's interval; empty where the tool does not print them.
    Series of one `group` share a colour.
    """

    name: str
    elapsed_seconds: Sequence[float]
    throughput_ops_s: Sequence[float | None]
    latency_p99_ms: Sequence[float | None]
    gc_ms: Sequence[float | None] = ()
    gc_count: Sequence[int | None] = ()
    errors: Sequence[int | None] = ()
    group: int | None = None


@dataclass(frozen=True, slots=True)
class _Panel:
    key: str
    title: str
    hover: str
    is_rare: bool = False  # zeros throughout need no panel: a sentence states it


_PANELS = (
    _Panel("throughput_ops_s", axis_title(THROUGHPUT), f"%{{y:,.4~r}} {THROUGHPUT.unit}"),
    _Panel("latency_p99_ms", axis_title(LATENCY_P99), f"%{{y:,.4~r}} {LATENCY_P99.unit}"),
    _Panel("gc_ms", "GC (ms)", "%{y:,.4~r} ms in %{customdata} garbage collections", is_rare=True),
    _Panel("errors", ERRORS.label, "%{y:,} errors", is_rare=True),
)
_HOST_PANELS = (
    _Panel("client_cpu_percent", "Client CPU (%)", "%{y:.3~r} % of the busiest client's CPU"),
    _Panel("gc_ms_s", "GC pauses (ms/s)", "%{y:,.3~r} ms/s of the node that paused most"),
    _Panel("compactions", "Compactions", "%{y:,.3~r} compactions running"),
)


def intervals_figure(
    series: Sequence[Series],
    window: tuple[float, float] | None = None,
    *,
    has_brush: bool = False,
    activity: Sequence[ActivitySeries] = (),
    warm_up_s: float = 0.0,
) -> Figure:
    """A panel for each quantity that is known, one above the other on one time axis; below, what the hosts did.

    What lies outside `window` is shaded, and in another colour the warm-up. With `has_brush` dragging marks a stretch
    of time instead of zooming.
    """
    shown = [_PANELS[0], *(panel for panel in _PANELS[1:] if _is_shown(panel, series))]
    of_hosts = [panel for panel in _HOST_PANELS if any(getattr(trial, panel.key) for trial in activity)]
    figure = new_figure()
    for number, trial in enumerate(series):
        for place, panel in enumerate(shown, start=1):
            _draw(figure, panel, place, trial, line=_line(series, number), is_named=place == 1 and len(series) > 1)
    for place, panel in enumerate(of_hosts, start=len(shown) + 1):
        for hosts in activity:
            _draw(figure, panel, place, hosts, line=_dashed(hosts.number), is_named=False)
    figure.update_layout(
        xaxis={"title": {"text": "Time since the trial's start (s)"}, "anchor": _axis(len(shown + of_hosts))},
        height=_FRAME_PIXELS + _PANEL_PIXELS * len(shown) + _HOST_PANEL_PIXELS * len(of_hosts),
        hovermode="closest",
        shapes=[*_shades(series, window), *([_shade(0.0, warm_up_s, _WARM_UP)] if warm_up_s else [])],
        annotations=[_warm_up_words()] if warm_up_s else [],
        **_panels(shown, of_hosts, series),
    )
    if has_brush:
        figure.update_layout(dragmode="select", selectdirection="h")
    return plain(figure)


def _draw(
    figure: PlotlyFigure,
    panel: _Panel,
    place: int,
    trial: Series | ActivitySeries,
    *,
    line: dict[str, str],
    is_named: bool,
) -> None:
    values = getattr(trial, panel.key)
    if all(value is None for value in values):
        return
    figure.add_scatter(
        x=list(trial.elapsed_seconds),
        y=list(values),
        yaxis=_axis(place),
        mode="lines",
        line=line,
        name=text(trial.name),
        legendgroup=text(trial.name),
        showlegend=is_named,
        connectgaps=False,
        customdata=list(trial.gc_count) if isinstance(trial, Series) and panel.key == "gc_ms" else None,
        hovertemplate=f"{panel.hover} after %{{x:.4~r}} s<extra></extra>",
    )


def never_seen(series: Sequence[Series], *, has_gc: bool = False) -> list[str]:
    """Sentences about the rare events that every interval reports and that never happened.

    With `has_gc` the garbage collections are known from elsewhere.
    """
    words = {"gc_ms": "No garbage collection occurred during the run.", "errors": "No operation failed during the run."}
    rare = [panel for panel in _PANELS if panel.is_rare and not (has_gc and panel.key == "gc_ms")]
    return [words[panel.key] for panel in rare if _is_zero(panel, series)]


def _is_shown(panel: _Panel, series: Sequence[Series]) -> bool:
    values = _values(panel, series)
    return any(values) if panel.is_rare else any(value is not None for value in values)


def _is_zero(panel: _Panel, series: Sequence[Series]) -> bool:
    values = _values(panel, series)
    return bool(values) and all(value == 0 for value in values) and all(getattr(trial, panel.key) for trial in series)


def _values(panel: _Panel, series: Sequence[Series]) -> list[float | None]:
    return [value for trial in series for value in getattr(trial, panel.key)]


def _axis(place: int) -> str:
    return "y" if place == 1 else f"y{place}"


def _line(series: Sequence[Series], number: int) -> dict[str, str]:
    group = series[number].group
    if group is None:
        return _dashed(number)
    place = sum(1 for one in series[:number] if one.group == group)
    return {"color": PALETTE[group % len(PALETTE)], "dash": _DASHES[place % len(_DASHES)]}


def _dashed(number: int) -> dict[str, str]:
    return {"color": PALETTE[number % len(PALETTE)], "dash": _DASHES[number % 3]}


def _panels(shown: Sequence[_Panel], of_hosts: Sequence[_Panel], series: Sequence[Series]) -> dict[str, Any]:
    """The axes from the top down; those of the hosts are smaller."""
    sizes = [_PANEL_PIXELS] * len(shown) + [_HOST_PANEL_PIXELS] * len(of_hosts)
    free = 1 - _GAP * (len(sizes) - 1)
    axes, top = {}, 1.0
    for place, (panel, size) in enumerate(zip([*shown, *of_hosts], sizes, strict=True), start=1):
        bottom = top - free * size / sum(sizes)
        axes[_axis(place).replace("y", "yaxis")] = {
            "title": {"text": panel.title},
            "domain": [max(bottom, 0.0) if place < len(sizes) else 0.0, top],
            **_scale(panel, series),
        }
        top = bottom - _GAP
    return axes


def _scale(panel: _Panel, series: Sequence[Series]) -> dict[str, Any]:
    """A p99 that is much higher while a trial warms up must not flatten what follows."""
    known = [value for value in _values(panel, series) if value is not None] if panel.key == "latency_p99_ms" else []
    if known and min(known) > 0:
        return log_axis(log_range(known), "{}")
    return {"rangemode": "tozero"}


def _shades(series: Sequence[Series], window: tuple[float, float] | None) -> list[dict[str, Any]]:
    if window is None:
        return []
    end = max((one.elapsed_seconds[-1] for one in series if one.elapsed_seconds), default=0.0)
    return [_shade(left, right, _OUTSIDE) for left, right in ((0.0, window[0]), (window[1], end)) if left < right]


def _shade(left: float, right: float, colour: str) -> dict[str, Any]:
    across_all_panels = {"yref": "paper", "y0": 0, "y1": 1}
    return {
        "type": "rect",
        "x0": left,
        "x1": right,
        **across_all_panels,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": colour,
    }


def _warm_up_words() -> dict[str, Any]:
    """At the top of the throughput, which is low while a trial warms up."""
    place = {"xref": "x", "x": 0, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "top"}
    return {"text": "warm-up", "showarrow": False, **place}
