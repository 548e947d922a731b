"""Builds the figures that Plotly's JavaScript draws, as the plain data that it reads.

Plotly's Python library has a class for every object of a figure: it takes 30 MB of each process and most of the time
of a chart. Nothing of it is needed but the names, and tests/submissions/formatting/test_figures.py checks ours with it.
"""

from collections.abc import Mapping
from typing import Any

Figure = dict[str, Any]


class FigureBuilder:
    """The methods and arguments are those of plotly.graph_objects.Figure; what is None is left out."""

    def __init__(self) -> None:
        self._data: list[dict[str, Any]] = []
        self._layout: dict[str, Any] = {}

    def add_scatter(self, **trace: Any) -> None:
        self._data.append({**_known(trace), "type": "scatter"})

    def add_bar(self, **trace: Any) -> None:
        self._data.append({**_known(trace), "type": "bar"})

    def add_shape(self, **shape: Any) -> None:
        self._layout.setdefault("shapes", []).append(_known(shape))

    def add_annotation(self, **annotation: Any) -> None:
        self._layout.setdefault("annotations", []).append(_known(annotation))

    def update_layout(self, **layout: Any) -> None:
        _update(self._layout, layout)

    def update_xaxes(self, *, title_text: str, **axis: Any) -> None:
        """Of a figure with one x axis."""
        self.update_layout(xaxis={"title": {"text": title_text}, **axis})

    def update_yaxes(self, *, title_text: str = "", **axis: Any) -> None:
        """Of a figure with one y axis."""
        title = {"title": {"text": title_text}} if title_text else {}
        self.update_layout(yaxis={**title, **axis})

    def build(self) -> Figure:
        return {"data": self._data, "layout": self._layout}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is None, at any depth; the values of a list may be None: a gap in a line."""
    return {
        name: _known(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if value is not None
    }


def _update(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    for name, value in _known(values).items():
        if isinstance(value, dict) and isinstance(target.get(name), dict):
            _update(target[name], value)
        else:
            target[name] = value
