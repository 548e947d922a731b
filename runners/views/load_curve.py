"""The load curve of a run as it grows: the steps so far, the bracket, and the chart of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.load_search import sentences
from runners.models import Run
from submissions.analysis.load_curve import LatencyLimit
from submissions.choices import Percentile
from submissions.formatting import numbers
from submissions.formatting.chart_style import PALETTE, axis_title
from submissions.formatting.charts import Chart
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.formatting.text import plural
from submissions.metrics import THROUGHPUT

PURPOSES: Mapping[str, str] = {
    "peak": "the peak, without a throttle",
    "bracket": "bracket",
    "bisect": "bisect the bracket",
    "step_down": "step down",
    "confirm": "confirm",
    "upper_end": "upper end again",
    "list": "of the list",
}
_WHY: Mapping[str, str] = {
    "rate": "the offered rate was not reached",
    "latency": "latency above the limit",
    "errors": "too many errors",
}
DEFAULT_PERCENTILE = Percentile.P99.value
_KINDS = (  # verdict, name, colour, marker
    (True, "keeps the limit", PALETTE[2], "circle"),
    (False, "breaks the limit", PALETTE[0], "x"),
    (None, "measured", PALETTE[1], "square"),
)


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as the table shows it; what is None has not been measured yet, or is not known."""

    trial: int  # from 1
    purpose: str
    offered_ops_s: float | None
    threads: int | None
    duration_seconds: int | None
    is_measured: bool
    ops_s: float | None
    latency_ms: float | None
    errors: int | None
    client_cpu_percent: float | None
    keeps_limit: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class LoadCurveView:
    percentile: str  # its label
    finding: str  # "" for a list of loads
    notes: Sequence[str]
    rows: Sequence[StepRow]
    chart: Chart | None
    has_client_cpu: bool


def load_curve_of(run: Run) -> LoadCurveView | None:
    """None for a run with one load, or without a step so far."""
    load, steps = run.plan.get("load"), run.progress.get("load_steps")
    if not load or not steps:
        return None
    slo = load.get("slo")
    percentile = slo["percentile"] if slo else DEFAULT_PERCENTILE
    rows = [_row(step, percentile) for step in steps]
    search = run.progress.get("load_search")
    label = Percentile(percentile).label
    return LoadCurveView(
        percentile=label,
        finding=_finding(slo, search, rows) if slo and search else "",
        notes=_notes(slo, steps) if slo else (),
        rows=rows,
        chart=_chart(rows, label, slo, search),
        has_client_cpu=any(row.client_cpu_percent is not None for row in rows),
    )


def _row(step: Mapping[str, Any], percentile: str) -> StepRow:
    return StepRow(
        trial=step["trial"] + 1,
        purpose=PURPOSES[step["purpose"]],
        offered_ops_s=step["offered_ops_s"],
        threads=step["threads"],
        duration_seconds=step["duration_seconds"],
        is_measured="ops_s" in step,
        ops_s=step.get("ops_s"),
        latency_ms=step.get("latency_ms", {}).get(percentile),
        errors=step.get("errors"),
        client_cpu_percent=step.get("client_cpu_percent"),
        keeps_limit=step.get("keeps_limit"),
        why=_WHY.get(step.get("why", ""), ""),
    )


def _finding(slo: Mapping[str, Any], search: Mapping[str, Any], rows: Sequence[StepRow]) -> str:
    return sentences.finding(slo, search, sum(row.is_measured for row in rows))


def _notes(slo: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> list[str]:
    fewest = LatencyLimit(**slo).fewest_operations
    few = [step for step in steps if step.get("operations") is not None and step["operations"] < fewest]
    return [sentences.few_operations(slo, fewest, len(few))] if few else []


def _chart(
    rows: Sequence[StepRow], percentile: str, slo: Mapping[str, Any] | None, search: Mapping[str, Any] | None
) -> Chart | None:
    measured = [row for row in rows if row.ops_s is not None and row.latency_ms is not None]
    if not measured:
        return None
    limit = slo["max_ms"] if slo else None
    label = f"{percentile} latency against throughput" + (", with the limit and the bracket" if slo else "")
    return Chart("load-chart", _figure(measured, percentile, limit, search), label)


def _figure(
    rows: Sequence[StepRow], percentile: str, limit_ms: float | None, search: Mapping[str, Any] | None
) -> Figure:
    figure = new_figure()
    for verdict, name, colour, symbol in _KINDS:
        points = [row for row in rows if row.keeps_limit is verdict]
        if points:
            figure.add_scatter(
                x=[row.ops_s for row in points],
                y=[row.latency_ms for row in points],
                text=[f"step {row.trial}: {_load_words(row)}" for row in points],
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": 10},
                name=name,
                hovertemplate="%{text}<br>%{x:,.4~r} ops/s, " + percentile + " %{y:,.4~r} ms<extra></extra>",
            )
    latencies = [row.latency_ms for row in rows if row.latency_ms]
    _draw_limit(figure, rows, limit_ms, search)
    is_wide = bool(latencies) and max(latencies) >= 20 * min(latencies)
    figure.update_layout(
        xaxis={"title": {"text": axis_title(THROUGHPUT)}, "rangemode": "tozero"},
        yaxis={"title": {"text": f"{percentile} (ms)"}, **({"type": "log"} if is_wide else {"rangemode": "tozero"})},
        height=380,
        hovermode="closest",
    )
    return plain(figure)


def _draw_limit(
    figure: PlotlyFigure, rows: Sequence[StepRow], limit_ms: float | None, search: Mapping[str, Any] | None
) -> None:
    """A level line at the limit, an upright one at each end of the bracket."""
    if limit_ms is None:
        return
    heights = [limit_ms, *(row.latency_ms for row in rows if row.latency_ms)]
    ends = [search[name] for name in ("low_ops_s", "high_ops_s") if search and search[name] is not None]
    widest = max([*ends, *(row.ops_s for row in rows if row.ops_s is not None)])
    line = {"mode": "lines", "hoverinfo": "skip"}
    style = {"color": PALETTE[0], "dash": "dash", "width": 1}
    figure.add_scatter(x=[0, widest], y=[limit_ms, limit_ms], line=style, name="limit", **line)
    for place, end in enumerate(ends):
        style = {"color": PALETTE[1], "dash": "dot", "width": 1}
        spread = [min(heights), max(heights)]
        figure.add_scatter(x=[end, end], y=spread, line=style, name="bracket", showlegend=not place, **line)


def _load_words(row: StepRow) -> str:
    if row.offered_ops_s is not None:
        return f"{numbers.ops_s(row.offered_ops_s)} offered"
    return f"{plural(row.threads, 'thread')} per client" if row.threads else "no throttle"
