"""Charts as Plotly figures: values in, figure dictionaries out; colours of text and grid are the page's."""

from submissions.charts.comparison import Column, compare_bars
from submissions.charts.grid import EMPTY_CELL, HeatCell, grid_heatmap
from submissions.charts.intervals import Series, intervals_figure, never_seen
from submissions.charts.percentiles import PercentileLine, percentile_figure
from submissions.charts.scaling import Curve, Law, scaling_figure
from submissions.charts.sizing import Offer, sizing_bars
from submissions.charts.style import Figure, with_caveats
from submissions.charts.value import Bar, System, value_bars, value_scatter

__all__ = [
    "EMPTY_CELL",
    "Bar",
    "Column",
    "Curve",
    "Figure",
    "HeatCell",
    "Law",
    "Offer",
    "PercentileLine",
    "Series",
    "System",
    "compare_bars",
    "grid_heatmap",
    "intervals_figure",
    "never_seen",
    "percentile_figure",
    "scaling_figure",
    "sizing_bars",
    "value_bars",
    "value_scatter",
    "with_caveats",
]
