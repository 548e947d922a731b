"""Throughput per dollar within one workload, by cloud, instance, JDK or disk; the state is the address."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.analysis.comparison.ranking import MOST_RANKED
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.choices import LatencyKind, PricingModel
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.load import shows_load
from submissions.models.versions.data_version import Subject
from submissions.pricing.terms import AS_MEASURED, PriceDay
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.grouping import OF_SYSTEMS
from submissions.questions.boards.leader_sentence import has_ranges
from submissions.questions.boards.reasons import Reason
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words, trust_filter_of_all
from submissions.questions.value import sentences
from submissions.questions.value.chart import MOST_ROWS, group_ranking, systems, value_scatter
from submissions.questions.value.facets import facets_of, machine_chips, machines_html, no_machines
from submissions.questions.value.form import ALL_ROWS, ValueForm
from submissions.questions.value.pareto import best_by_value
from submissions.questions.value.query import Offer, ValueResult, value_of, value_offer, with_ages
from submissions.questions.value.valuation import ValueParams
from submissions.records.age_filter import EXCLUSIONS
from submissions.records.cache import cached_of_workload
from submissions.records.caveats import of_bursting, of_clients
from submissions.records.credits import credits_of_workloads

TEMPLATE = "submissions/questions/value/page.html"
SHOWN_ROWS = MOST_RANKED  # of a table, the best; another address has all


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent."""

    finding: SafeString
    tables: SafeString
    charts: tuple[Chart, ...]  # described
    usual_kind: str  # of a p99
    default_trust: str  # what the selector calls the default
    machines: SafeString  # the boxes to choose them


def charts(params: QueryDict) -> Sequence[Chart]:
    """Raises Http404 for an unknown workload."""
    form = ValueForm(params)
    if params.get("format") or not form.is_valid():
        return ()
    offer = _offer(form)
    return () if offer is None else _charts(form, value_of(_params(form), offer))


@shareable("Operations per dollar", charts, parameters=ValueForm.base_fields)
@from_data(*Subject, parameters=ValueForm.base_fields)
@require_safe
def value(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:value", without=ValueForm.page_only)
    form = ValueForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    offer = _offer(form)
    return render(request, TEMPLATE, _empty(form) if offer is None else _context(request, form, offer))


def _offer(form: ValueForm) -> Offer | None:
    try:
        return value_offer(form.params)
    except BadParameter as error:
        raise Http404(str(error)) from error


def _charts(form: ValueForm, result: ValueResult) -> Sequence[Chart]:
    if not result.groups:
        return ()
    query = form.page_address(result.workload.fingerprint)
    ranking = group_ranking(result.groups, result.systems.shown, result.total)
    scatter = value_scatter(systems(result.systems.shown), result.systems.others)
    subject = result.workload.title
    found = [
        Chart("groups", ranking, sentences.finding(result), sentences.ranking_caveats(result), query),
        Chart("pareto", scatter, sentences.front_finding(result), sentences.scatter_caveats(result), query),
    ]
    credits = credits_of_workloads([result.workload.pk])
    return [replace(chart, subject=subject, credits=credits) for chart in found]


def _empty(form: ValueForm) -> dict[str, Any]:
    return {"chips": chips(trust_filter_of_all(form.params.trust), form.address)}


def _context(request: HttpRequest, form: ValueForm, offer: Offer) -> dict[str, Any]:
    """What other workloads decide, the selector, is made for each reader; the answer is cached for its own."""
    answer = cached_of_workload(
        offer.workload.pk,
        ("value page", offer.workload.fingerprint, request.get_full_path(), timezone.now().date()),
        lambda: shown_answer(request, form, with_ages(value_of(_params(form), offer), timezone.now().date())),
        subjects=[Subject.PRICES],
    )
    return {
        "chosen": offer.workload,
        "workloads": offer.workloads,
        "by_label": form.params.by.label,
        "answer": answer,
        "charts": answer.charts,
        "address": form.page_address(offer.workload.fingerprint),
        **_choices(form, answer),
    }


def _params(form: ValueForm) -> ValueParams:
    """The page reads the groups that it shows and ranks."""
    has_all = form.cleaned_data["rows"] == ALL_ROWS
    return form.params if has_all else replace(form.params, most_groups=max(SHOWN_ROWS, MOST_RANKED))


def shown_answer(request: HttpRequest, form: ValueForm, result: ValueResult) -> ShownAnswer:
    charts = _charts(form, result)
    context = {"request": request, "charts": charts, **_answer(form, result)}
    return ShownAnswer(
        finding=render_to_string("submissions/questions/value/_finding.html", context),
        tables=render_to_string("submissions/questions/value/_answer.html", context),
        charts=tuple(chart.described for chart in charts),
        usual_kind=result.counts.latency_kind.label,
        default_trust=default_words(result.trust_filter),
        machines=machines_html(facets_of(result, form.chosen), form.chosen),
    )


def _answer(form: ValueForm, result: ValueResult) -> dict[str, Any]:
    counts, fingerprint = result.counts, result.workload.fingerprint
    has_all = form.cleaned_data["rows"] == ALL_ROWS
    ranked, systems = result.ranked, result.systems.shown
    shown = ranked if has_all else ranked[:SHOWN_ROWS]
    best = [value.group.best for value in shown]
    return {
        "ranked": shown,
        "systems": systems if has_all else best_by_value(systems, SHOWN_ROWS),
        "has_all": has_all,
        "has_more": max(result.group_count, len(systems)) > SHOWN_ROWS,
        "all_rows": form.page_address(fingerprint, rows=ALL_ROWS),
        "best_rows": form.page_address(fingerprint),
        "result": result,
        "chosen": result.workload,
        "by_label": result.params.by.label,
        "terms": result.params.terms,
        "finding": sentences.finding(result),
        "front_finding": sentences.front_finding(result),
        "excluded": excluded_sentence(counts),
        "without_list": sentences.without_list(result),
        "clients": of_clients(result.systems.shown),
        "bursting": of_bursting([group.best for group in result.groups]),
        "drawn": sentences.drawn(result),
        "architectures": result.valuation.architectures,
        "architecture_finding": sentences.architecture_finding(result),
        "machine_chips": machine_chips(form, fingerprint),
        "unpriced": counts.excluded[Reason.UNPRICED],
        "flagged": counts.excluded[Reason.FLAGGED],
        "missing_prices": sentences.missing_prices(result),
        "chips": chips(result.trust_filter, partial(form.page_address, fingerprint)),
        "shows_load": shows_load(best) or any(row.shown_load for row in best),
        "has_ranges": has_ranges(result.ranking),
        "most_ranked": MOST_RANKED,
        "most_rows": MOST_ROWS,
        "when_measured": form.page_address(fingerprint, prices=PriceDay.THEN, prices_on=None),
        "without_limits": form.page_address(fingerprint, max_p99_ms=None, trust="", exclude_age="", **no_machines()),
    }


def _choices(form: ValueForm, answer: ShownAnswer) -> dict[str, Any]:
    """What the fields of the page show and offer."""
    return {
        "state": form.state,
        "chosen_machines": form.chosen,
        "today": timezone.now().date(),
        "by_choices": [(choice.value, choice.label) for choice in OF_SYSTEMS],
        "day_choices": PriceDay.pairs(),
        "basis_choices": [*PricingModel.pairs(), AS_MEASURED],
        "trust_choices": CHOICES,
        "default_trust": answer.default_trust,
        "exclusions": EXCLUSIONS,
        "kind_choices": LatencyKind.pairs(),
        "usual_kind": f"most common ({answer.usual_kind})",
    }
