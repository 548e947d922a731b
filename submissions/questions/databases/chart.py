"""Databases under the same load as dots, the fastest on top: a shape and a colour for each database."""

from submissions.formatting.chart_style import BAR_FRAME_PIXELS, PALETTE, axis_title, text
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.formatting.names import cluster_name, service_name
from submissions.metrics import THROUGHPUT
from submissions.questions.databases.query import DatabaseRow, DatabasesResult

MOST_ROWS = 30
_ROW_PIXELS = 36
_SHAPES = ("circle", "square", "diamond", "x")


def databases_figure(result: DatabasesResult) -> Figure:
    rows = result.rows[:MOST_ROWS]
    names = [_name(row) for row in rows]
    figure = new_figure()
    for place, service in enumerate(sorted({row.service for row in rows})):
        own = [(name, row) for name, row in zip(names, rows, strict=True) if row.service == service]
        figure.add_scatter(
            x=[row.submission.throughput_ops_s for _, row in own],
            y=[name for name, _ in own],
            mode="markers",
            marker={
                "color": PALETTE[place % len(PALETTE)],
                "symbol": _SHAPES[place % len(_SHAPES)],
                "size": 12,
            },
            name=text(service_name(service)),
            hovertemplate="%{y}<br>%{x:,.4~r} ops/s<extra></extra>",
        )
    figure.update_xaxes(title_text=axis_title(THROUGHPUT), rangemode="tozero")
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5], type="category", categoryorder="array", categoryarray=names, showgrid=False
    )
    figure.update_layout(height=BAR_FRAME_PIXELS + _ROW_PIXELS * len(rows), hovermode="closest", showlegend=True)
    return plain(figure)


def _name(row: DatabaseRow) -> str:
    shown = row.submission
    level = f", {row.consistency.words}" if row.consistency.words else ""
    return text(
        f"#{shown.pk} {service_name(row.service)}{level}\n{cluster_name(shown.node_count, shown.instance_type)}"
    )
