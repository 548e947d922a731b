"""What each configuration costs a month, as bars; what is extrapolated is striped."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import plotly.graph_objects as go

from submissions.formatting.chart_style import BAR_FRAME_PIXELS, BAR_PIXELS, Figure, plain, provider_styles, text


@dataclass(frozen=True, slots=True)
class Offer:
    """A priced configuration; a line break in `name` is one in the chart."""

    name: str
    provider: str
    usd_per_month: Decimal
    is_extrapolated: bool
    url: str


def sizing_bars(offers: Sequence[Offer]) -> Figure:
    """One bar an offer in the order given, in its provider's colour."""
    styles = provider_styles(offer.provider for offer in offers)
    names = [text(offer.name) for offer in offers]
    figure = go.Figure()
    for provider, style in styles.items():
        own = [(name, offer) for name, offer in zip(names, offers, strict=True) if offer.provider == provider]
        figure.add_bar(
            x=[float(offer.usd_per_month) for _, offer in own],
            y=[name for name, _ in own],
            orientation="h",
            name=text(provider),
            marker={
                "color": style["color"],
                "pattern": {"shape": ["/" if offer.is_extrapolated else "" for _, offer in own]},
            },
            customdata=[["extrapolated" if offer.is_extrapolated else "measured range", offer.url] for _, offer in own],
            hovertemplate="%{y}<br>%{x:,.2f} USD a month<br>%{customdata[0]}<extra></extra>",
        )
    figure.update_xaxes(title_text="USD a month", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category", categoryorder="array", categoryarray=names)
    height = BAR_FRAME_PIXELS + BAR_PIXELS * len(offers)
    figure.update_layout(height=height, bargap=0.3, barmode="overlay", showlegend=len(styles) > 1)
    return plain(figure)
