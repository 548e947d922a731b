"""Latency by percentile as HdrHistogram's users draw it: the nines are equally far apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.curves.histograms import CurvePoint
from submissions.formatting.chart_style import PALETTE, text
from submissions.formatting.figures import MOST_POINTS, Figure, new_figure, plain, sampled

_NINES = ((2, "50 %"), (10, "90 %"), (100, "99 %"), (1_000, "99.9 %"), (10_000, "99.99 %"), (100_000, "99.999 %"))
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True, slots=True)
class PercentileLine:
    """One distribution; lines of one `group` share a colour, `dash` tells them apart."""

    name: str
    points: Sequence[CurvePoint]
    group: int = 0
    dash: int = 0


def percentile_figure(lines: Sequence[PercentileLine], *, is_log: bool) -> Figure:
    """x = 1 / (1 - percentile) on a logarithmic axis, so that each further nine has the same room."""
    figure = new_figure()
    for line in lines:
        points = sampled(line.points, max(MOST_POINTS // len(lines), 2))  # the table has the others
        figure.add_scatter(
            x=_places(points),
            y=[point.latency_ms for point in points],
            text=[percentile_words(point.percentile) for point in points],
            mode="lines",
            line={"color": PALETTE[line.group % len(PALETTE)], "dash": _DASHES[line.dash % len(_DASHES)]},
            name=text(line.name),
            showlegend=len(lines) > 1,
            hovertemplate="%{text} of the operations took at most %{y:,.4~r} ms<extra></extra>",
        )
    figure.update_layout(
        xaxis={
            "type": "log",
            "title": {"text": "Percentile, at 1 / (1 − percentile)"},
            "tickmode": "array",
            "tickvals": [place for place, _ in _NINES],
            "ticktext": [words for _, words in _NINES],
        },
        yaxis={"title": {"text": "Latency (ms)"}, **(_log_axis(lines) if is_log else {"rangemode": "tozero"})},
        height=420,
        hovermode="closest",
    )
    return plain(figure)


def _log_axis(lines: Sequence[PercentileLine]) -> dict[str, Any]:
    values = [point.latency_ms for line in lines for point in line.points if point.latency_ms > 0]
    # of two decades on the powers of ten are enough: 2 and 5 between them read like 2 and 5 ms
    is_wide = bool(values) and max(values) >= 100 * min(values)
    return {"type": "log", **({"dtick": 1} if is_wide else {})}


def percentile_words(percentile: float) -> str:
    """99.99382 -> 99.9938 %: enough digits to tell it from its neighbours, none more."""
    if percentile >= 100:
        return "100 %"
    digits = 2
    while digits < 12 and 10.0**-digits > (100 - percentile) / 20:
        digits += 1
    return f"{percentile:.{digits}f}".rstrip("0").rstrip(".") + " %"


def _places(points: Sequence[CurvePoint]) -> list[float]:
    """The maximum is drawn at the last of all the values: 100 % itself would be at infinity."""
    places = [100 / (100 - point.percentile) for point in points if point.percentile < 100]
    if len(places) < len(points):
        places.append(max(float(points[-1].count), places[-1] if places else 1.0))
    return places
