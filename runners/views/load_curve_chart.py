"""Latency against throughput of the steps of a run: what kept the limit, what broke it, and what is no evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runners.load_search.sentences import NOT_JUDGED
from submissions.choices import LatencyKind
from submissions.formatting.chart_style import PALETTE, axis_title
from submissions.formatting.figures import Figure, PlotlyFigure, new_figure, plain
from submissions.metrics import THROUGHPUT

_STYLES = {
    "keeps the limit": (PALETTE[2], "circle"),
    "breaks the limit": (PALETTE[0], "x"),
    "measured": (PALETTE[1], "square"),
    NOT_JUDGED: (PALETTE[1], "diamond"),
}
_VERDICTS = {True: "keeps the limit", False: "breaks the limit", None: "measured"}
_KINDS: Mapping[str, str] = {LatencyKind.RESPONSE_TIME: "response time", LatencyKind.SERVICE_TIME: "service time"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A step that was measured."""

    ops_s: float
    latency_ms: float
    keeps_limit: bool | None
    latency_kind: str
    is_peak_of_search: bool
    name: str

    @property
    def verdict(self) -> str:
        return NOT_JUDGED if self.is_peak_of_search else _VERDICTS[self.keeps_limit]


def load_curve_figure(marks: Sequence[Mark], percentile: str, limit_ms: float | None, ends: Sequence[float]) -> Figure:
    """`ends`: of the bracket. Where latencies are of several kinds, the legend says which, else the axis."""
    figure = new_figure()
    kinds = {mark.latency_kind for mark in marks}
    for verdict, (colour, symbol) in _STYLES.items():
        for kind in sorted(kinds):
            points = [mark for mark in marks if mark.verdict == verdict and mark.latency_kind == kind]
            if points:
                figure.add_scatter(
                    x=[mark.ops_s for mark in points],
                    y=[mark.latency_ms for mark in points],
                    text=[mark.name for mark in points],
                    mode="markers",
                    marker={"color": colour, "symbol": symbol, "size": 10},
                    name=f"{verdict} ({_KINDS.get(kind, 'unknown kind')})" if len(kinds) > 1 else verdict,
                    hovertemplate="%{text}<br>%{x:,.4~r} ops/s, " + percentile + " %{y:,.4~r} ms<extra></extra>",
                )
    latencies = [mark.latency_ms for mark in marks if mark.latency_ms]
    _draw_limit(figure, marks, limit_ms, ends)
    is_wide = bool(latencies) and max(latencies) >= 20 * min(latencies)
    kind = _KINDS.get(next(iter(kinds)), "latency") if len(kinds) == 1 else "latency"
    figure.update_layout(
        xaxis={"title": {"text": axis_title(THROUGHPUT)}, "rangemode": "tozero"},
        yaxis={
            "title": {"text": f"{percentile} {kind} (ms)"},
            **({"type": "log"} if is_wide else {"rangemode": "tozero"}),
        },
        height=380,
        hovermode="closest",
    )
    return plain(figure)


def _draw_limit(figure: PlotlyFigure, marks: Sequence[Mark], limit_ms: float | None, ends: Sequence[float]) -> None:
    """A level line at the limit, an upright one at each end of the bracket."""
    if limit_ms is None:
        return
    heights = [limit_ms, *(mark.latency_ms for mark in marks if mark.latency_ms)]
    widest = max([*ends, *(mark.ops_s for mark in marks)])
    line = {"mode": "lines", "hoverinfo": "skip"}
    style = {"color": PALETTE[0], "dash": "dash", "width": 1}
    figure.add_scatter(x=[0, widest], y=[limit_ms, limit_ms], line=style, name="limit", **line)
    for place, end in enumerate(ends):
        style = {"color": PALETTE[1], "dash": "dot", "width": 1}
        spread = [min(heights), max(heights)]
        figure.add_scatter(x=[end, end], y=spread, line=style, name="bracket", showlegend=not place, **line)
