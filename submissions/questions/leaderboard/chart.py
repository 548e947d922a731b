"""A leaderboard as bars, best on top, with the interval of each."""

from collections.abc import Sequence

from submissions.formatting.chart_style import (
    BAR_FRAME_PIXELS,
    BAR_PIXELS,
    axis_title,
    shown_scale,
    text,
)
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.metrics import Metric
from submissions.questions.leaderboard.query import Leaderboard, RankedGroup

MOST_BARS = 20


def leaderboard_figure(board: Leaderboard) -> Figure:
    """A bar for each of the best groups, with a line over its 95 % interval where it has one."""
    return _bars(board.groups[:MOST_BARS], board.metric)


def _bars(groups: Sequence[RankedGroup], metric: Metric) -> Figure:
    scale, unit = shown_scale(metric)
    above = [group.interval and (group.interval[1] - group.figure) / scale for group in groups]
    below = [group.interval and (group.figure - group.interval[0]) / scale for group in groups]
    figure = new_figure()
    figure.add_bar(
        x=[group.figure / scale for group in groups],
        y=[text(_label(group)) for group in groups],
        orientation="h",
        marker={"color": "#56B4E9"},
        # no caps: Plotly draws them even where the line has no length
        error_x={
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": below,
            "width": 0,
            "thickness": 2,
            "visible": any(group.interval for group in groups),
        },
        hovertemplate=f"%{{y}}<br>%{{x:,.4~r}} {unit}<extra></extra>",
    )
    figure.update_xaxes(title_text=axis_title(metric), rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(height=BAR_FRAME_PIXELS + BAR_PIXELS * len(groups), bargap=0.3)
    return plain(figure)


def _label(group: RankedGroup) -> str:
    """In two lines: a third would reach into the next bar's label."""
    first, *others = group.by.lines_of(group.best)
    n = f"n = {group.trials:,}"
    return "\n".join([f"{group.entry.rank}. {first}", ", ".join([*others, n])])
