"""Throughput per dollar within one workload, by cloud, instance, JDK or disk; the state is the address."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from submissions.analysis.ranking import MOST_RANKED
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.choices import LatencyKind, PricingModel
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.load import shows_load
from submissions.pricing.terms import AS_MEASURED, PriceDay
from submissions.questions.value import sentences
from submissions.questions.value.chart import MOST_ROWS, group_ranking, systems, value_scatter
from submissions.questions.value.form import ValueForm
from submissions.questions.value.query import ValueResult, value_result
from submissions.questions.workload.counts import Reason, excluded_sentence
from submissions.questions.workload.grouping import OF_SYSTEMS
from submissions.questions.workload.leader import has_ranges
from submissions.questions.workload.shelves import CHOICES, DEFAULT, chips, whole_shelf

TEMPLATE = "submissions/questions/value/page.html"


def charts(params: QueryDict) -> Sequence[Chart]:
    """Raises Http404 for an unknown workload."""
    form = ValueForm(params)
    if params.get("format") or not form.is_valid():
        return ()
    result = _result(form)
    return () if result is None else _charts(form, result)


@shareable("Operations per dollar", charts)
@require_safe
def value(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:value")
    form = ValueForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    result = _result(form)
    return render(request, TEMPLATE, _empty(form) if result is None else _context(form, result))


def _result(form: ValueForm) -> ValueResult | None:
    try:
        return value_result(form.params)
    except BadParameter as error:
        raise Http404(str(error)) from error


def _charts(form: ValueForm, result: ValueResult) -> Sequence[Chart]:
    if not result.groups:
        return ()
    query = form.page_address(result.workload.fingerprint)
    ranking, scatter = group_ranking(result.groups, result.systems.shown), value_scatter(systems(result.systems.shown))
    return [
        Chart("groups", ranking, sentences.finding(result), sentences.ranking_caveats(result), query),
        Chart("pareto", scatter, sentences.front_finding(result), sentences.scatter_caveats(result), query),
    ]


def _empty(form: ValueForm) -> dict[str, Any]:
    return {"chips": chips(whole_shelf(form.params.trust), form.address)}


def _context(form: ValueForm, result: ValueResult) -> dict[str, Any]:
    counts = result.counts
    return {
        "result": result,
        "chosen": result.workload,
        "workloads": result.workloads,
        "by_label": result.params.by.label,
        "terms": result.params.terms,
        "finding": sentences.finding(result),
        "front_finding": sentences.front_finding(result),
        "excluded": excluded_sentence(counts),
        "unpriced": counts.excluded[Reason.UNPRICED],
        "flagged": counts.excluded[Reason.FLAGGED],
        "missing_prices": sentences.missing_prices(result),
        "chips": chips(result.shelf, partial(form.page_address, result.workload.fingerprint)),
        "shows_load": shows_load([group.best for group in result.groups]),
        "has_ranges": has_ranges(result.ranking),
        "most_ranked": MOST_RANKED,
        "most_rows": MOST_ROWS,
        "charts": _charts(form, result),
        **_choices(form, result),
    }


def _choices(form: ValueForm, result: ValueResult) -> dict[str, Any]:
    """What the fields of the page show and offer."""
    return {
        "state": form.state,
        "address": form.page_address(result.workload.fingerprint),
        "without_limits": form.page_address(result.workload.fingerprint, max_p99_ms=None, trust=""),
        "today": timezone.now().date(),
        "by_choices": [(choice.value, choice.label) for choice in OF_SYSTEMS],
        "day_choices": PriceDay.pairs(),
        "basis_choices": [*PricingModel.pairs(), AS_MEASURED],
        "trust_choices": CHOICES,
        "default_trust": DEFAULT,
        "kind_choices": LatencyKind.pairs(),
        "usual_kind": f"most common ({result.counts.latency_kind.label})",
    }
