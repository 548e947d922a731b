"""The price of a machine type over time, in one region: a line for each pricing model."""

from datetime import date

from submissions.choices import PricingModel
from submissions.formatting.chart_style import PALETTE
from submissions.formatting.figures import MOST_POINTS, Figure, new_figure, plain
from submissions.machines.prices import MachinePrices

HEIGHT_PIXELS = 360
_DASHES = {
    PricingModel.ON_DEMAND: "solid",
    PricingModel.SPOT: "dot",
    PricingModel.RESERVED_1Y: "dash",
    PricingModel.RESERVED_3Y: "longdash",
    PricingModel.SAVINGS_1Y: "dashdot",
    PricingModel.SAVINGS_3Y: "longdashdot",
}
MOST_CHANGES = MOST_POINTS // len(PricingModel) - 1  # of a pricing model, the newest; the table has all


def price_figure(prices: MachinePrices, day: date) -> Figure:
    """Each price until the next one, the last until `day`."""
    figure = new_figure()
    for place, model in enumerate(PricingModel):
        points = prices.history.get(model, ())[-MOST_CHANGES:]
        if not points:
            continue
        lasts = [*points, points[-1]] if points[-1].day < day else list(points)
        days = [*(point.day for point in points), day][: len(lasts)]
        figure.add_scatter(
            x=[one.isoformat() for one in days],
            y=[None if point.usd is None else float(point.usd) for point in lasts],
            mode="lines+markers",
            line={"shape": "hv", "width": 2, "dash": _DASHES[model], "color": PALETTE[place]},
            marker={"color": PALETTE[place], "size": 5},
            name=model.label,
            hovertemplate=f"{model.label}<br>%{{x|%Y-%m-%d}}: $%{{y:.4~r}}/h<extra></extra>",
        )
    figure.update_xaxes(title_text="Day (UTC)", type="date")
    figure.update_yaxes(title_text="Price ($ per hour)", rangemode="tozero")
    figure.update_layout(height=HEIGHT_PIXELS, hovermode="closest", showlegend=True)
    return plain(figure)
