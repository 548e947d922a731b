"""Figures of Plotly's Python library, which the first chart of a process loads: 30 MB that all others do without."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure
else:
    PlotlyFigure = Any

__all__ = ["Figure", "PlotlyFigure", "new_figure", "plain"]

Figure = dict[str, Any]  # the plain data that Plotly's JavaScript draws


def new_figure() -> PlotlyFigure:
    import plotly.graph_objects as go

    return go.Figure()


def plain(figure: PlotlyFigure) -> Figure:
    """Without Plotly's default template: static/js/charts.js applies the colours of the page."""
    plain: Figure = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
