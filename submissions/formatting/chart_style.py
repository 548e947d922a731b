"""What all charts share: palette, shapes, axis titles, plain text."""

from collections.abc import Iterable
from decimal import Decimal
from html import escape
from typing import Any
from zlib import crc32

from submissions.formatting import currency
from submissions.formatting.figures import Figure
from submissions.formatting.numbers import value_unit
from submissions.metrics import HOURLY_USD, OPS_PER_USD, Metric

# Okabe and Ito's palette, which colour-blind readers can distinguish; the shape repeats the colour.
# More colours of the same kind are for clouds beyond those.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
_FURTHER = ("#882255", "#117733", "#6A51A3", "#999933", "#AA4466", "#44AA99", "#7F7F7F")
_COLOURS = (*PALETTE, *_FURTHER)
# The CSS variable of each (static/css/charts.css): in the dark a colour may be a lighter one.
SERIES = {f"series-{place}": colour for place, colour in enumerate(_COLOURS)}
_SHAPES = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
# The place of each cloud's colour, the same in every chart; an unknown one has one of the others by its name.
_CLOUDS = (
    *("aws", "gce", "azure", "on-premises", "local", "hetzner", "digitalocean", "oracle", "ovh", "scaleway", "ibm"),
    *("alicloud", "upcloud", "vultr"),
)
_NAMES = {"hcloud": "hetzner", "alibaba": "alicloud"}  # the same company
# Operations per dollar are shown in millions: otherwise their digits would be the widest part of a chart.
MILLION = 1_000_000
BAR_PIXELS = 40
BAR_FRAME_PIXELS = 110


def cloud_colour(provider: str) -> str:
    return _COLOURS[_cloud_place(provider)]


def provider_styles(providers: Iterable[str]) -> dict[str, dict[str, str]]:
    """The colour and shape of each provider, which never change."""
    return {
        name: {"color": cloud_colour(name), "symbol": _SHAPES[_cloud_place(name) % len(_SHAPES)]}
        for name in sorted(set(providers))
    }


def _cloud_place(provider: str) -> int:
    provider = _NAMES.get(provider, provider)
    if provider in _CLOUDS:
        return _CLOUDS.index(provider)
    return len(PALETTE) + crc32(provider.encode()) % len(_FURTHER)  # never that of one of the large ones


def with_caveats(figure: Figure, caveats: Iterable[str]) -> Figure:
    """The figure with its caveats, which its exported picture has too."""
    layout = {**figure["layout"], "meta": {"caveats": [caveat for caveat in caveats if caveat]}}
    return {**figure, "layout": layout}


def shown_scale(metric: Metric) -> tuple[float, str]:
    """The divisor of the metric's values on an axis, and the unit of the quotient."""
    return (MILLION * per_usd(), value_unit()) if metric == OPS_PER_USD else (1, metric.unit)


def per_usd() -> float:
    """The amounts of a chart are those in USD times this."""
    return float(currency.current().of_usd(Decimal(1)))


def axis_title(metric: Metric) -> str:
    # the longest title must fit a chart as wide as a phone
    if metric == OPS_PER_USD:
        return f"Value ({value_unit()})"
    if metric == HOURLY_USD:
        return f"{metric.label} ({currency.current().code}/h)"
    return f"{metric.label} ({metric.unit})"


def text(value: str) -> str:
    # Plotly interprets <b>, <a> and entities: text of an uploader must stay text.
    # We do not use <b> either: Plotly makes it an inline style, which our content security policy forbids.
    return escape(value, quote=False).replace("\n", "<br>")


def note_at(name: str, x: float, y: float, words: str) -> dict[str, Any]:
    """An annotation; on a logarithmic axis its place is a power of ten."""
    return {"name": name, "x": x, "y": y, "xref": "x", "yref": "y", "text": text(words), "showarrow": False}
