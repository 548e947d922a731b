"""What all charts share: palette, shapes, axis titles, plain text, a figure without a theme."""

from collections.abc import Iterable
from html import escape
from typing import Any

import plotly.graph_objects as go

from submissions.metrics import OPS_PER_USD, Metric

# Okabe and Ito's palette, told apart by colour-blind readers; the shape says the same once more.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
_KNOWN_PROVIDERS = ("aws", "gce", "azure", "on-premises", "local")
# Operations per dollar are shown in millions: their digits would else be the widest thing.
MILLION = 1_000_000
BAR_PIXELS = 40
BAR_FRAME_PIXELS = 110

Figure = dict[str, Any]


def provider_styles(providers: Any) -> dict[str, dict[str, str]]:
    """Each provider's colour and shape: the known ones have always the same."""
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
    """The figure with what its reader must know: shown below it, and inside its exported picture."""
    layout = {**figure["layout"], "meta": {"caveats": [caveat for caveat in caveats if caveat]}}
    return {**figure, "layout": layout}


def shown_scale(metric: Metric) -> tuple[int, str]:
    """What to divide the metric's values by, and the unit of the outcome."""
    return (MILLION, f"million {metric.unit}") if metric == OPS_PER_USD else (1, metric.unit)


def axis_title(metric: Metric) -> str:
    # the longest title must fit a chart of a telephone's width
    if metric == OPS_PER_USD:
        return "Million ops/USD"
    return f"{metric.label} ({metric.unit})"


def text(value: str) -> str:
    # Plotly reads <b>, <a> and entities in a text: an uploader's words stay words.
    # Nor do we use <b>: Plotly makes it an inline style, which our policy forbids.
    return escape(value, quote=False).replace("\n", "<br>")


def plain(figure: go.Figure) -> Figure:
    """Without plotly's default template: static/js/charts.js brings the page's own."""
    plain: Figure = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
