"""What each configuration costs a month, as bars; extrapolated ones are striped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from submissions.formatting import currency
from submissions.formatting.chart_style import BAR_FRAME_PIXELS, BAR_PIXELS, provider_styles, text
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.formatting.names import cluster_name, provider_name
from submissions.questions.sizing.query import Candidate

MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class CostBar:
    """A priced configuration; a line break in `name` is one in the chart."""

    name: str
    provider: str
    usd_per_month: Decimal
    is_extrapolated: bool
    url: str


def bars_of(candidates: Iterable[Candidate]) -> list[CostBar]:
    """The cheapest ones that have a price."""
    priced = [(one, one.cost.monthly_usd) for one in candidates if one.cost.monthly_usd is not None]
    return [_bar(candidate, usd) for candidate, usd in priced[:MOST_BARS]]


def sizing_bars(bars: Sequence[CostBar]) -> Figure:
    """In the order given, each in its provider's colour."""
    styles = provider_styles(bar.provider for bar in bars)
    names = [text(bar.name) for bar in bars]
    figure, own = new_figure(), currency.current()
    for provider, style in styles.items():
        of_provider = [(name, bar) for name, bar in zip(names, bars, strict=True) if bar.provider == provider]
        figure.add_bar(
            x=[float(own.of_usd(bar.usd_per_month)) for _, bar in of_provider],
            y=[name for name, _ in of_provider],
            orientation="h",
            name=text(provider_name(provider)),
            marker={
                "color": style["color"],
                "pattern": {"shape": ["/" if bar.is_extrapolated else "" for _, bar in of_provider]},
            },
            customdata=[
                ["extrapolated" if bar.is_extrapolated else "measured range", bar.url] for _, bar in of_provider
            ],
            hovertemplate=f"%{{y}}<br>{own.sign}%{{x:,.2f}} a month<br>%{{customdata[0]}}<extra></extra>",
        )
    figure.update_xaxes(title_text=f"Cost per month ({own.unit})", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", type="category", categoryorder="array", categoryarray=names)
    height = BAR_FRAME_PIXELS + BAR_PIXELS * len(bars)
    figure.update_layout(height=height, bargap=0.3, barmode="overlay", showlegend=len(styles) > 1)
    return plain(figure)


def _bar(candidate: Candidate, usd_per_month: Decimal) -> CostBar:
    submission = candidate.submission
    cache_nodes = sum(count for count, _ in candidate.caches)
    nodes = cluster_name(candidate.node_count, submission.instance_type)
    nodes += f" + {cache_nodes:,} cache" if cache_nodes else ""
    note = provider_name(submission.provider)
    if candidate.is_base:
        note = "as measured"
    elif candidate.is_extrapolated:
        note = "extrapolated"
    return CostBar(
        name=f"{nodes}\n{note}, #{submission.pk}",
        provider=submission.provider,
        usd_per_month=usd_per_month,
        is_extrapolated=candidate.is_extrapolated,
        url=submission.get_absolute_url(),
    )
