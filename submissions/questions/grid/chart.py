"""A grid of percent differences: each cell has its number, and a colour for its sign and size."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from submissions.analysis.comparison.grid import Cell
from submissions.formatting.chart_style import text
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.questions.grid.parameters import FactValue
from submissions.questions.grid.query import GridResult
from submissions.questions.grid.rows import RowKey
from submissions.questions.grid.sentences import cell_details, signed

LINE_PIXELS = 18
ROW_PADDING = 10
FRAME_PIXELS = 90
LABEL_CHARACTERS = 16  # of a row's name per line: on a phone the cells need the space
MOST_COMPARED = 6  # submissions that the compare page shows side by side
# Blue for more, vermillion for less (of Okabe and Ito's palette, safe for colour-blind readers), stronger
# with size; the text is black or white, whichever has more contrast with the cell (at least 4.5 : 1).
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
    """`text` is shown in the cell, `strength` is -3 to 3; `details` appear on hover, a click opens `url`."""

    text: str
    strength: int | None  # None: an empty cell
    details: str = ""
    url: str = ""


EMPTY_CELL = HeatCell("—", None, "no results to compare")


def grid_figure(result: GridResult, rows: Sequence[RowKey], columns: Sequence[FactValue]) -> Figure:
    """Some rows and columns of a grid."""
    return grid_heatmap(
        [result.row_heading(row, separator="\n") for row in rows],
        [result.column_heading(column) for column in columns],
        [[_heat_cell(result.cell(row, column)) for column in columns] for row in rows],
        f"{result.choice.layout.columns.fact.label}; cells in percent",
    )


def grid_heatmap(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[HeatCell]], column_title: str
) -> Figure:
    """`cells` row by row; a line break in a row's name is one in the chart.

    Made of stacked bars, one per column: the small bundle of Plotly has no heat map, and each bar can have a text.
    """
    figure = new_figure()
    wrapped = [_wrapped(row) for row in rows]
    names = [text(row) for row in wrapped]
    row_pixels = ROW_PADDING + LINE_PIXELS * max((row.count("\n") + 1 for row in wrapped), default=1)
    for index, column in enumerate(columns):
        of_column = [row[index] for row in cells]
        colours = [_EMPTY if cell.strength is None else _COLOURS[cell.strength] for cell in of_column]
        figure.add_bar(
            orientation="h",
            name=text(column),
            x=[1] * len(of_column),
            y=names,
            marker={"color": [fill for fill, _ in colours], "line": {"width": 1}},
            text=[text(cell.text) for cell in of_column],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            insidetextfont={"color": [ink for _, ink in colours], "size": 12},
            customdata=[[text(cell.details), cell.url] for cell in of_column],
            hovertemplate=f"%{{y}}, {text(column)}: %{{text}}<br>%{{customdata[0]}}<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(
        title_text=text(column_title),
        tickvals=[index + 0.5 for index in range(len(columns))],
        ticktext=[text(column) for column in columns],
        range=[0, max(len(columns), 1)],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(autorange="reversed", type="category", fixedrange=True)
    figure.update_layout(barmode="stack", bargap=0, height=FRAME_PIXELS + row_pixels * max(len(rows), 2))
    return plain(figure)


def _heat_cell(cell: Cell | None) -> HeatCell:
    if cell is None:
        return EMPTY_CELL
    return HeatCell(
        text=signed(cell.percent),  # the axis title has the unit
        strength=cell.strength,
        details="\n".join(cell_details(cell)),
        url=compare_address(cell),
    )


def compare_address(cell: Cell) -> str:
    """The page that compares the submissions of a cell."""
    half = MOST_COMPARED // 2
    numbers = [("s", key) for key in (*cell.baseline[:half], *cell.variant[:half])]
    return f"{reverse('submissions:compare')}?{urlencode(numbers)}"


def _wrapped(name: str) -> str:
    return "\n".join(
        part for line in name.split("\n") for part in textwrap.wrap(line, LABEL_CHARACTERS, break_long_words=False)
    )
