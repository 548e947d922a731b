"""Charts as Plotly figures: values in, figure dictionaries out; colours of text and grid are the page's."""

from submissions.charts.comparison import Column, compare_bars
from submissions.charts.intervals import Series, intervals_figure
from submissions.charts.value import Bar, System, value_bars, value_scatter

__all__ = ["Bar", "Column", "Series", "System", "compare_bars", "intervals_figure", "value_bars", "value_scatter"]
