"""A grid of percent differences: each cell has its number, and a colour for its sign and size."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from submissions.formatting.chart_style import Figure, plain, text

LINE_PIXELS = 18
ROW_PADDING = 10
FRAME_PIXELS = 90
LABEL_CHARACTERS = 16  # of a row's name in one line: on a telephone the cells need their place
# Blue for more, vermillion for less (Okabe and Ito's, told apart by the colour-blind), stronger with
# size; the text is black or white, whichever the cell's colour bears better (at least 4.5 : 1).
_COLOURS = {
    -3: ("#B34700", "#FFFFFF"),
    -2: ("#EE9A66", "#000000"),
    -1: ("#F9DBC8", "#000000"),
    0: ("#F2F2F2", "#000000"),
    1: ("#CFE5F5", "#000000"),
    2: ("#7DBCE6", "#000000"),
    3: ("#005F96", "#FFFFFF"),
}
_EMPTY = ("rgba(0,0,0,0)", "#808080")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """`shown` is the cell's text, `strength` -3 to 3; `told` more about it, `url` where it is told in full."""

    shown: str
    strength: int | None  # None: an empty cell
    told: str = ""
    url: str = ""


EMPTY_CELL = HeatCell("—", None, "no pair of submissions")


def grid_heatmap(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[HeatCell]], column_title: str
) -> Figure:
    """`cells` row by row; a line break in a row's name is one in the chart.

    Of stacked bars, one a column: the small bundle of Plotly has no heat map, and bars take a text each.
    """
    figure = go.Figure()
    wrapped = [_wrapped(row) for row in rows]
    names = [text(row) for row in wrapped]
    row_pixels = ROW_PADDING + LINE_PIXELS * max((row.count("\n") + 1 for row in wrapped), default=1)
    for place, column in enumerate(columns):
        own = [row[place] for row in cells]
        looks = [_EMPTY if cell.strength is None else _COLOURS[cell.strength] for cell in own]
        figure.add_bar(
            orientation="h",
            name=text(column),
            x=[1] * len(own),
            y=names,
            marker={"color": [fill for fill, _ in looks], "line": {"width": 1}},
            text=[text(cell.shown) for cell in own],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            insidetextfont={"color": [ink for _, ink in looks], "size": 12},
            customdata=[[text(cell.told), cell.url] for cell in own],
            hovertemplate=f"%{{y}}, {text(column)}: %{{text}}<br>%{{customdata[0]}}<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(
        title_text=text(column_title),
        tickvals=[place + 0.5 for place in range(len(columns))],
        ticktext=[text(column) for column in columns],
        range=[0, max(len(columns), 1)],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(autorange="reversed", type="category", fixedrange=True)
    figure.update_layout(barmode="stack", bargap=0, height=FRAME_PIXELS + row_pixels * max(len(rows), 2))
    return plain(figure)


def _wrapped(name: str) -> str:
    return "\n".join(
        part for line in name.split("\n") for part in textwrap.wrap(line, LABEL_CHARACTERS, break_long_words=False)
    )
