"""What to run, where, and what it costs; the address has the question."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import redirect_to_api
from submissions.formatting.charts import Chart, Preview, shareable
from submissions.formatting.numbers import monthly
from submissions.models.versions.data_version import Subject
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.grid import table as grid
from submissions.questions.recommend.panel import panel, panel_charts

TEMPLATE = "submissions/questions/recommend/page.html"
TITLE = "What to run, where, and what it costs"
EXPLANATION = (
    "Choose a database and its load. The answer is the cheapest measured cluster that does it, "
    "the best value and the fastest."
)


def charts(params: QueryDict) -> Sequence[Chart]:
    return () if params.get("format") else (panel_charts(params) or grid.charts(params))


def preview(params: QueryDict) -> Preview:
    return _preview({**panel(params)[0], **grid.table(params)})


@shareable(TITLE, charts, preview=preview, parameters=RecommendForm.base_fields)
@from_data(*Subject, parameters=RecommendForm.base_fields)
@require_safe
def recommend(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:recommend")
    context, status = panel(request.GET)
    context |= grid.table(request.GET)
    return render(request, TEMPLATE, {**context, "preview": _preview(context)}, status=status)


def _preview(context: Mapping[str, Any]) -> Preview:
    """With the cost of the first answer."""
    if context.get("grid"):
        return Preview("What a p99 costs", context["finding"], next(iter(context.get("charts", ())), None))
    cards = context.get("cards")
    usd = cards[0]["usd_per_month"] if cards else None
    amount, _, unit = monthly(usd).partition("/") if usd is not None else ("", "", "")
    return Preview(
        TITLE,
        context.get("finding", EXPLANATION),
        next(iter(context.get("charts", ())), None),
        key_figure=(amount, f"a {unit}") if amount else None,
    )
