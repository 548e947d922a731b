"""A flame graph: a bar for each frame, as wide as its share of the samples, callers below what they call."""

from heapq import nlargest

from submissions.analysis.host_metrics.flame import Flame
from submissions.formatting.chart_style import PALETTE, text
from submissions.formatting.figures import MOST_POINTS, Figure, new_figure, plain

_ROW_PIXELS = 18
_FRAME_PIXELS = 90
_COLOURS = (PALETTE[4], PALETTE[0])  # orange and red-brown, level by level
_WIDE = 0.04  # a narrower bar has no room for its name


def flame_figure(flame: Flame) -> Figure:
    """Of the widest frames; the table has the methods in which most time was spent."""
    widest = set(nlargest(MOST_POINTS, flame.frames, key=lambda frame: frame.share))
    shown = [frame for frame in flame.frames if frame in widest]
    levels = 1 + max((frame.depth for frame in shown), default=0)
    figure = new_figure()
    for parity in (0, 1):
        frames = [frame for frame in shown if frame.depth % 2 == parity]
        figure.add_bar(
            orientation="h",
            base=[100 * frame.start for frame in frames],
            x=[100 * frame.share for frame in frames],
            y=[frame.depth for frame in frames],
            width=1,
            marker={"color": _COLOURS[parity], "line": {"width": 0.5, "color": "rgba(255, 255, 255, 0.6)"}},
            text=[text(frame.name) if frame.share >= _WIDE else "" for frame in frames],
            customdata=[[text(frame.name), 100 * frame.own_share] for frame in frames],
            textposition="inside",
            insidetextanchor="start",
            textangle=0,
            hovertemplate="%{customdata[0]}<br>%{x:.3~r} % of the samples, "
            "%{customdata[1]:.3~r} % in the method itself<extra></extra>",
            showlegend=False,
            name="",
        )
    figure.update_layout(
        barmode="overlay",
        height=_FRAME_PIXELS + _ROW_PIXELS * levels,
        xaxis={"title": {"text": "Share of the samples (%)"}, "range": [0, 100]},
        yaxis={"visible": False, "fixedrange": True, "range": [-0.5, levels - 0.5]},
        uniformtext={"minsize": 9, "mode": "hide"},
    )
    return plain(figure)
