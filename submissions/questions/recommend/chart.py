"""The chart of a recommendation: what each measured cluster costs a month, and how much it does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from django.urls import reverse

from submissions.charts.notes import ISO, LABEL
from submissions.charts.ticks import Range, log_axis, log_range
from submissions.formatting import currency
from submissions.formatting.chart_style import axis_title, note_at, per_usd, provider_styles, text
from submissions.formatting.figures import Figure, new_figure, plain
from submissions.formatting.names import cluster_name, provider_name
from submissions.formatting.numbers import monthly_budget, ops_s
from submissions.metrics import THROUGHPUT
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.query import RecommendResult
from submissions.questions.recommend.ranking.sentences import at, cluster_of, workload_name

_GREY = "#808080"  # readable on white and on black
_FAR = 30  # a limit that is so many times outside of all points is not drawn: they would be a dot in a corner
_SIZE, _ANSWER_SIZE = 9, 14
_FOOT = 0.12  # of the height: where the words of the budget are, below most clusters


@dataclass(frozen=True, slots=True)
class Mark:
    """A cluster under a workload. `name` is shown as text, whatever it holds; `label` beside its point."""

    name: str
    provider: str  # the slug
    per_month: float  # in the reader's currency
    throughput_ops_s: float
    is_within: bool  # the p99 that is asked for, and for the data
    url: str
    label: str = ""


def marks(result: RecommendResult) -> list[Mark]:
    """The clusters with a price; of the answers, else of the nearest result, the load that their card shows."""
    named = {answer.candidate.slot: answer for answer in (*result.answers, *result.nearest[:1])}
    shown = [_mark(result, one) for one in result.considered if one.slot not in named]
    for answer in named.values():
        kind = answer.kinds[0].label.capitalize() if answer.kinds else "Nearest"
        words = cluster_name(answer.candidate.nodes, answer.candidate.key.instance_type)
        shown.append(_mark(result, answer.candidate, f"{kind}: {words}"))
    return [mark for mark in shown if mark is not None]


def _mark(result: RecommendResult, one: Candidate, label: str = "") -> Mark | None:
    usd = one.usd_per_month
    if not usd:
        return None
    workload = result.workloads.get(one.workload_id)
    parts = [cluster_of(one), at(one.point), workload_name(workload.canonical) if workload else ""]
    return Mark(
        name="\n".join(filter(None, parts)),
        provider=one.key.provider,
        per_month=float(currency.current().of_usd(usd)),
        throughput_ops_s=one.point.rate,
        is_within=one.point.keeps(result.params.max_p99_ms) and one.capacity.suffices,
        url=reverse("submissions:detail", args=[one.point.pk]),
        label=label,
    )


def candidates_figure(
    shown: Sequence[Mark], *, target_ops_s: float | None = None, budget_usd_month: float | None = None
) -> Figure:
    """Cost a month against throughput, both logarithmic; a colour and a shape for each cloud, open outside the p99."""
    figure = new_figure()
    for provider, marker in provider_styles(mark.provider for mark in shown).items():
        for is_within in (True, False):
            own = [mark for mark in shown if mark.provider == provider and mark.is_within == is_within]
            style = marker if is_within else {**marker, "symbol": f"{marker['symbol']}-open"}
            name = provider_name(provider) if is_within else f"{provider_name(provider)}, not within the limits"
            _add(figure, name, [mark for mark in own if not mark.label], {**style, "size": _SIZE, "opacity": 0.75})
            _add(figure, name, [mark for mark in own if mark.label], {**style, "size": _ANSWER_SIZE})
    costs, rates = [mark.per_month for mark in shown], [mark.throughput_ops_s for mark in shown]
    limit = None if budget_usd_month is None else budget_usd_month * per_usd()
    budget, target = _near(limit, costs), _near(target_ops_s, rates)
    x_range = log_range([*costs, *([budget] if budget else [])])
    y_range = log_range([*rates, *([target] if target else [])])
    figure.update_xaxes(title_text="Cost (per month)", **log_axis(x_range, f"{currency.current().sign}{{}}"))
    figure.update_yaxes(title_text=axis_title(THROUGHPUT), **log_axis(y_range, "{}"))
    lines = _lines(budget, target, x_range, y_range)
    figure.update_layout(
        hovermode="closest",
        height=440,
        showlegend=len(figure.data) > 1,
        shapes=[shape for shape, _ in lines],
        annotations=[*_labels(shown), *(words for _, words in lines)],
    )
    return plain(figure)


def _add(figure: Any, name: str, own: Sequence[Mark], marker: dict[str, Any]) -> None:
    if not own:
        return
    figure.add_scatter(
        x=[mark.per_month for mark in own],
        y=[mark.throughput_ops_s for mark in own],
        mode="markers",
        marker=marker,
        name=text(name),
        legendgroup=text(name),
        showlegend=not any(trace["name"] == text(name) for trace in figure.data),
        text=[text(mark.name) for mark in own],
        customdata=[["", mark.url] for mark in own],
        hovertemplate=f"%{{text}}<br>{currency.current().sign}%{{x:,.0f}} a month<extra></extra>",
    )


def _near(limit: float | None, figures: Sequence[float]) -> float | None:
    if not limit or not figures:
        return None
    return limit if min(figures) / _FAR <= limit <= max(figures) * _FAR else None


def _lines(
    budget: float | None, target: float | None, x_range: Range, y_range: Range
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What is asked for: the budget is a line upwards, the throughput one across."""
    (left, right), (bottom, top) = x_range, y_range
    found = []
    if budget:
        ends = {"x0": budget, "x1": budget, "y0": 10**bottom, "y1": 10**top}
        foot = bottom + _FOOT * (top - bottom)
        found.append((_line(ends), note_at(ISO, log10(budget), foot, f"budget {monthly_budget(budget / per_usd())}")))
    if target:
        ends = {"x0": 10**left, "x1": 10**right, "y0": target, "y1": target}
        found.append((_line(ends), note_at(ISO, right, log10(target), f"target {ops_s(target)}")))
    return found


def _line(ends: dict[str, float]) -> dict[str, Any]:
    return {"type": "line", "layer": "below", "line": {"color": _GREY, "width": 1.5, "dash": "dash"}, **ends}


def _labels(shown: Iterable[Mark]) -> list[dict[str, Any]]:
    return [
        note_at(LABEL, log10(mark.per_month), log10(mark.throughput_ops_s), mark.label) for mark in shown if mark.label
    ]
