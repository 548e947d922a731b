"""The runs of a series as dots: a row for each combination, a dot for each run, a line at its mean."""

from runners.series.paths import value_words
from runners.series.report import Combined, Report
from submissions.formatting.chart_style import BAR_FRAME_PIXELS, BAR_PIXELS, PALETTE, axis_title, text
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.metrics import THROUGHPUT

_MOST_LABEL = 34  # characters
_LEAST_VALUE = 6


def runs_figure(report: Report) -> Figure:
    """The first combination on top."""
    figure = new_figure()
    rows = report.with_figures
    names = {each.number: text(_label(each)) for each in rows}
    dots = [(names[each.number], result) for each in rows for result in each.results if result.throughput_ops_s]
    figure.add_scatter(
        x=[result.throughput_ops_s for _, result in dots],
        y=[name for name, _ in dots],
        mode="markers",
        marker={"color": PALETTE[1], "symbol": "circle", "size": 9, "opacity": 0.75},
        text=[f"result {result.pk}" for _, result in dots],
        name="Run",
        hovertemplate="%{y}: %{x:,.4~r} ops/s<br>%{text}<extra></extra>",
    )
    figure.add_scatter(
        x=[each.throughput_ops_s for each in rows],
        y=[names[each.number] for each in rows],
        mode="markers",
        marker={"color": PALETTE[0], "symbol": "diamond-open", "size": 14},
        name="Mean of the runs",
        hovertemplate="%{y}: mean %{x:,.4~r} ops/s<extra></extra>",
    )
    figure.update_xaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(hovermode="closest", height=BAR_FRAME_PIXELS + BAR_PIXELS * len(rows))
    return plain(figure)


def _label(each: Combined) -> str:
    """With the number that the table has. Where the words are too long the values alone, each cut: all facts show."""
    label = f"{each.number + 1}: {each.words}"
    if len(label) <= _MOST_LABEL:
        return label
    most = _MOST_LABEL // max(len(each.values), 1) - len(", ")
    return f"{each.number + 1}: {', '.join(_cut(value_words(value), most) for value in each.values.values())}"


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: max(most, _LEAST_VALUE) - 1]}…"
