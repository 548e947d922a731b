"""What each database costs a month at each rate; a rate without a cluster has no point."""

from collections.abc import Sequence

from submissions.formatting import currency
from submissions.formatting.chart_style import PALETTE, per_usd, text
from submissions.formatting.charts import Chart
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.formatting.names import service_name
from submissions.questions.recommend.grid import sentences
from submissions.questions.recommend.grid.query import GridResult, Row
from submissions.questions.recommend.ranking.sentences import cluster_words
from submissions.records.credits import credits_of_workloads

KEY = "p99-cost"
MOST_LINES = len(PALETTE)


def charts_of(result: GridResult, query: str) -> Sequence[Chart]:
    """None where nothing has a price."""
    rows = [row for row in result.rows if row.work == result.params.work and _priced(row)][:MOST_LINES]
    if not rows:
        return ()
    credits = credits_of_workloads(result.workload_ids)
    return [Chart(KEY, _lines(rows), sentences.finding(result), sentences.caveats(result), query, credits=credits)]


def _lines(rows: Sequence[Row]) -> Figure:
    figure, own = new_figure(), currency.current()
    for row, colour in zip(rows, PALETTE, strict=False):
        cells = _priced(row)
        figure.add_scatter(
            x=[rate for rate, _, _ in cells],
            y=[usd * per_usd() for _, usd, _ in cells],
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={"color": colour, "size": 10},
            name=text(service_name(row.service)),
            text=[text(words) for _, _, words in cells],
            hovertemplate=f"%{{text}}<br>%{{x:,.4~r}} ops/s: {own.sign}%{{y:,.2f}} a month<extra></extra>",
        )
    rates = sorted({cell.params.target_ops_s or 0 for row in rows for cell in row.cells})
    figure.update_xaxes(
        title_text="Throughput (ops/s)",
        type="log",
        tickmode="array",
        tickvals=rates,
        ticktext=[text(sentences.rate_words(rate)) for rate in rates],
    )
    figure.update_yaxes(title_text=f"Cost per month ({own.unit})", type="log")
    figure.update_layout(height=400, showlegend=True)
    return plain(figure)


def _priced(row: Row) -> list[tuple[float, float, str]]:
    """The rate, USD a month, the cluster."""
    return [
        (cell.params.target_ops_s or 0.0, float(usd), cluster_words(cell.answer.row))
        for cell in row.cells
        if cell.answer and (usd := cell.answer.candidate.usd_per_month) is not None
    ]
