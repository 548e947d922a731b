"""What all charts share: palette, shapes, axis titles, plain text."""

from collections.abc import Iterable
from html import escape
from typing import Any

from submissions.formatting.figures import Figure
from submissions.metrics import OPS_PER_USD, Metric

# Okabe and Ito's palette, which colour-blind readers can distinguish; the shape repeats the colour.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
_KNOWN_PROVIDERS = ("aws", "gce", "azure", "on-premises", "local")
# Operations per dollar are shown in millions: otherwise their digits would be the widest part of a chart.
MILLION = 1_000_000
BAR_PIXELS = 40
BAR_FRAME_PIXELS = 110


def provider_styles(providers: Any) -> dict[str, dict[str, str]]:
    """The colour and shape of each provider; those of the known ones never change."""
    present = sorted(set(providers))
    unknown = [provider for provider in present if provider not in _KNOWN_PROVIDERS]
    places = {name: place for place, name in enumerate((*_KNOWN_PROVIDERS, *unknown))}
    return {
        name: {
            "color": PALETTE[places[name] % len(PALETTE)],
            "symbol": _SHAPES[places[name] % len(_SHAPES)],
        }
        for name in present
    }


def with_caveats(figure: Figure, caveats: Iterable[str]) -> Figure:
    """The figure with its caveats, which its exported picture has too."""
    layout = {**figure["layout"], "meta": {"caveats": [caveat for caveat in caveats if caveat]}}
    return {**figure, "layout": layout}


def shown_scale(metric: Metric) -> tuple[int, str]:
    """The divisor of the metric's values on an axis, and the unit of the quotient."""
    return (MILLION, "M ops/$") if metric == OPS_PER_USD else (1, metric.unit)


def axis_title(metric: Metric) -> str:
    # the longest title must fit a chart as wide as a phone
    if metric == OPS_PER_USD:
        return "Value (M ops/$)"
    return f"{metric.label} ({metric.unit})"


def text(value: str) -> str:
    # Plotly interprets <b>, <a> and entities: text of an uploader must stay text.
    # We do not use <b> either: Plotly makes it an inline style, which our content security policy forbids.
    return escape(value, quote=False).replace("\n", "<br>")
