"""Figures as plain data, which Plotly's JavaScript draws.

Its Python library checks each property of each figure, which takes longer than all else that a chart costs: it does so
while the site is developed (`DEBUG`) and in the tests.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.conf import settings

__all__ = ["DOT", "MOST_POINTS", "Figure", "PlotlyFigure", "checked", "new_figure", "plain", "point_count", "sampled"]

MOST_POINTS = 500  # that a figure has: more of them are in its table, its CSV and the API

DOT = 4  # pixels: a marker as small as this is one of thousands, and a browser draws all of a trace as one path

T = TypeVar("T")

Figure = dict[str, Any]  # the plain data that Plotly's JavaScript draws


class PlotlyFigure:
    """What we use of Plotly's own figure: `title_text` is the text of the title, None is what is not stated."""

    def __init__(self) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {}

    def add_scatter(self, **trace: Any) -> None:
        self.data.append({"type": "scatter", **_stated(trace)})

    def add_bar(self, **trace: Any) -> None:
        self.data.append({"type": "bar", **_stated(trace)})

    def update_traces(self, **changes: Any) -> None:
        for trace in self.data:
            _change(trace, _stated(changes))

    def update_layout(self, **changes: Any) -> None:
        _change(self.layout, _stated(changes))

    def update_xaxes(self, *, title_text: str | None = None, **changes: Any) -> None:
        self.update_layout(xaxis={**changes, "title": {"text": title_text}})

    def update_yaxes(self, *, title_text: str | None = None, **changes: Any) -> None:
        self.update_layout(yaxis={**changes, "title": {"text": title_text}})


def _stated(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Of a list the values stay, as a gap in a line is None."""
    known = ((name, _known(value)) for name, value in properties.items())
    return {name: value for name, value in known if value is not None}


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _stated(value) or None
    if isinstance(value, list | tuple):
        return [_stated(part) if isinstance(part, Mapping) else part for part in value]
    return value


def _change(properties: dict[str, Any], changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        known = properties.get(name)
        if isinstance(known, dict) and isinstance(value, dict):
            _change(known, value)
        else:
            properties[name] = value


def new_figure() -> PlotlyFigure:
    return PlotlyFigure()


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
    made: Figure = {"data": figure.data, "layout": figure.layout}
    if settings.DEBUG:
        checked(made)
    return made


def checked(figure: Figure) -> Figure:
    """As Plotly's own library makes it. Raises ValueError where its JavaScript knows no such property or value."""
    from plotly.graph_objects import Figure as OwnFigure  # 30 MB

    made: Figure = OwnFigure(figure).to_plotly_json()
    made["layout"].pop("template", None)
    return made
