"""Figures of Plotly's Python library, which the first chart of a process loads: 30 MB that all others do without."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
else:
    PlotlyFigure = Any

__all__ = ["MOST_POINTS", "Figure", "PlotlyFigure", "new_figure", "plain", "point_count", "sampled"]

MOST_POINTS = 500  # that a figure has: more of them are in its table, its CSV and the API

T = TypeVar("T")

Figure = dict[str, Any]  # the plain data that Plotly's JavaScript draws


def new_figure() -> PlotlyFigure:
    import plotly.graph_objects as go

    return go.Figure()


def sampled(points: Sequence[T], most: int) -> Sequence[T]:
    """At most `most` of them (two or more), evenly, with the first and the last: for curves, not for measurements."""
    if len(points) <= most:
        return points
    step = (len(points) - 1) / (most - 1)
    return [points[round(step * number)] for number in range(most)]


def point_count(figure: Figure) -> int:
    """A point is a place on the axis of a series: what one moment has in several panels is one point."""
    places: set[tuple[object, object]] = set()
    for number, trace in enumerate(figure["data"]):
        series = trace.get("legendgroup") or trace.get("name") or number
        is_bar = trace["type"] == "bar"  # each bar is a point
        places.update((number, place) if is_bar else (series, x) for place, x in enumerate(trace["x"]))
    return len(places)


def plain(figure: PlotlyFigure) -> Figure:
    """Without Plotly's default template: static/js/charts.js applies the colours of the page."""
    plain: Figure = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
