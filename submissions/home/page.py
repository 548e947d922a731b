"""The first page: the best value within one workload, what is new, and where to go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.choices import PricingModel
from submissions.formatting.charts import SAME_NUMBERS, Chart, Preview, shareable
from submissions.formatting.names import service_name
from submissions.home import sentences
from submissions.home.lead import lead_of
from submissions.home.query import HomeResult, WorkloadCount, home_result, value_of
from submissions.home.sections import added_sections
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.pricing.reprice import at_reader_prices
from submissions.pricing.terms import AS_MEASURED, PriceDay, PriceDayForm, PriceTerms
from submissions.questions.boards.choice import choice_labels
from submissions.questions.boards.trust_filter import chips, trust_filter_of_all
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.panel import panel, panel_charts, unasked
from submissions.questions.value.chart import systems, value_scatter
from submissions.questions.value.pareto import Systems, best_by_value
from submissions.questions.value.query import ValueResult
from submissions.records.cache import cached, cached_of_workload, cached_of_workloads, of_one_state
from submissions.records.caveats import of_bursting, of_clients
from submissions.records.credits import credits_of_workloads

MOST_CLUSTERS = 50  # in the table below the chart
TITLE = "Benchsite: what a database costs to run fast"
ABOUT = "The public record of what a database costs to run fast."


@dataclass(frozen=True, slots=True)
class ShownValue:
    """The best value within a workload as it is sent: the sentence and what it rests on, the chart with its tables."""

    database: str = ""
    finding: str = ""  # empty where nothing of the workload is priced, as all else
    is_conclusive: bool = False
    chart: Chart | None = None  # described
    lead: SafeString = SafeString()
    clusters: SafeString = SafeString()


def charts(params: QueryDict) -> Sequence[Chart]:
    if _is_asked(params):
        return panel_charts(params)
    workload, value, _ = _value_of(params)
    return [_drawn(workload, value, _given(params))] if workload and value else ()


def preview(params: QueryDict) -> Preview:
    workload, value, leads = _value_of(params)
    if workload is None or value is None:
        return _preview(None, ShownValue())
    shown = ShownValue(lead_of(value).finding, chart=_drawn(workload, value, _given(params)))
    return _preview(workload, shown, leads=leads)


def _is_asked(params: QueryDict) -> bool:
    """Then the page has the answer alone; a workload is no question: it chooses what is shown below the form."""
    return bool(params.get("service"))


class HomePricesForm(PriceDayForm):
    """At which prices the value of a workload is shown; as the page of values reads them."""

    default_basis = PricingModel.ON_DEMAND
    default_prices = PriceDay.TODAY

    basis = forms.ChoiceField(required=False, choices=[*PricingModel.pairs(), AS_MEASURED])


def _terms(params: QueryDict) -> PriceTerms:
    """The default ones where those of the address are no prices: the question beside them says so."""
    form = HomePricesForm(params)
    if not form.is_valid():
        form = HomePricesForm({})
        form.is_valid()
    return form.terms


def _given(params: QueryDict) -> dict[str, str]:
    """The parameters of the prices that the address has."""
    return {name: str(params[name]) for name in HomePricesForm.base_fields if params.get(name)}


def _value_of(params: QueryDict) -> tuple[WorkloadCount | None, ValueResult | None, bool]:
    """Also whether its finding leads."""
    if _is_asked(params):
        return None, None, False
    terms = _terms(params)

    def is_conclusive(workload: WorkloadCount) -> bool:
        value = value_of(workload, terms)
        return value is not None and lead_of(value).is_conclusive

    workload, leads = _shown_workload(home_result(params.get("workload", "")), terms, is_conclusive)
    return workload, value_of(workload, terms) if workload else None, leads


def _shown_workload(
    home: HomeResult, terms: PriceTerms, is_conclusive: Callable[[WorkloadCount], bool]
) -> tuple[WorkloadCount | None, bool]:
    """The workload of the page, and whether its finding leads: of a chosen one, else of the first conclusive one.

    One query while it is cached.
    """
    if home.is_chosen or not home.leading:
        return home.workload, True
    by_pk = {workload.pk: workload for workload in home.leading}
    pk = cached_of_workloads(
        by_pk.keys(),
        ("home leads", *by_pk, terms.day, terms.basis),
        lambda: next((pk for pk, workload in by_pk.items() if is_conclusive(workload)), 0),
        subjects=[Subject.PRICES],
    )
    return by_pk.get(pk, home.workload), pk in by_pk


@dataclass(frozen=True, slots=True)
class Body:
    """The page but for what is its reader's, and what the frame around it shows of it."""

    html: SafeString
    charts: tuple[Chart, ...]  # described
    preview: Preview
    status: int
    measured_here: frozenset[str] | None = None  # databases with a result of this machine; None below a question


@shareable(
    "Best value of a workload",
    charts,
    preview=preview,
    parameters=(*RecommendForm.base_fields, *HomePricesForm.base_fields),
)
@from_data(*Subject, parameters=(*RecommendForm.base_fields, *HomePricesForm.base_fields))
@require_safe
@of_one_state()
def home(request: HttpRequest) -> HttpResponse:
    if request.GET:
        body = _body(request)
    else:
        # by the hour, as the ETags of pages: ages are in words
        key = ("home", request.path, f"{timezone.now():%Y-%m-%dT%H}")
        body = cached(key, lambda: _body(request), subjects=(Subject.PRICES, Subject.PAGES))
    parts = [] if body.measured_here is None else added_sections(request, body.measured_here)
    context = {"body": body.html, "charts": body.charts, "preview": body.preview, "parts": parts}
    return render(request, "submissions/home/page.html", context, status=body.status)


def _body(request: HttpRequest) -> Body:
    if _is_asked(request.GET):
        answer, status = panel(request.GET)
        html = render_to_string(
            "submissions/questions/recommend/_panel.html",
            {**answer, "action": reverse("submissions:home"), "request": request},
        )
        charts = tuple(chart.described for chart in answer.get("charts", ()))
        return Body(html, charts, _preview(None, ShownValue()), status)
    result = home_result(request.GET.get("workload", ""))
    terms = _terms(request.GET)
    at_reader_prices(result.newest, terms)
    workload, leads = _shown_workload(result, terms, lambda one: _shown_value(request, one).is_conclusive)
    value = _shown_value(request, workload) if workload else ShownValue()
    choices = list({one.pk: one for one in (*([workload] if workload else []), *result.workloads)}.values())
    labels = choice_labels(choices)
    context = {
        "unasked": unasked(reverse("submissions:home")),
        "home": result,
        "workload": workload,
        "leads": leads,
        "value": value,
        "value_chips": () if value.finding else chips(trust_filter_of_all(None), _value_address),
        "workload_choices": [(one.fingerprint, f"{labels[one.fingerprint]} ({one.submissions:,})") for one in choices],
    }
    html = render_to_string("submissions/home/_body.html", context)
    charts = (value.chart,) if value.chart else ()
    return Body(html, charts, _preview(workload, value, leads=leads), 200, result.totals.measured_here)


def _preview(workload: WorkloadCount | None, value: ShownValue, *, leads: bool = False) -> Preview:
    words = f"{workload.title}: {value.finding}" if workload and value.finding and leads else ABOUT
    return Preview(TITLE, words, value.chart)


def _value_address(trust: str, **workload: str) -> str:
    """Other trust filters are on the page of values."""
    return f"{reverse('submissions:value')}?{urlencode({**workload, 'trust': trust})}"


def _shown_value(request: HttpRequest, workload: WorkloadCount) -> ShownValue:
    """Two queries while it is cached."""
    terms, given = _terms(request.GET), _given(request.GET)
    prices = (terms.day, terms.basis, *given.items())
    key = ("home value", workload.fingerprint, workload.title, request.path, *prices, timezone.now().date())
    return cached_of_workload(
        workload.pk, key, lambda: _rendered(request, workload, terms, given), subjects=[Subject.PRICES]
    )


def _rendered(request: HttpRequest, workload: WorkloadCount, terms: PriceTerms, given: Mapping[str, str]) -> ShownValue:
    value = value_of(workload, terms)
    if value is None:
        return ShownValue()
    chart, best, leading = _drawn(workload, value, given), value.groups[0].best, lead_of(value)
    address = partial(_value_address, workload=workload.fingerprint, **given)
    lead = {
        "best": best,
        "notes": [*filter(None, (of_clients([best]), of_bursting([best])))],
        "terms": terms,
        "chips": chips(value.trust_filter, address),
        "chart_query": chart.query,
    }
    clusters = _clusters(request, workload, chart, value.systems)
    return ShownValue(
        database=service_name(best.service),
        finding=leading.finding,
        is_conclusive=leading.is_conclusive,
        chart=chart.described,
        lead=render_to_string("submissions/home/_lead.html", {"workload": workload, **lead}),
        clusters=render_to_string("submissions/home/_clusters.html", clusters),
    )


def _drawn(workload: WorkloadCount, value: ValueResult, given: Mapping[str, str]) -> Chart:
    found = value.systems
    rows = best_by_value(found.shown, MOST_CLUSTERS)
    is_complete = len(rows) == len(found.shown)
    return Chart(
        key="value",
        figure=value_scatter(systems(found.shown)),
        label=sentences.chart_finding(value),
        caveats=sentences.chart_caveats(value),
        query=f"?{urlencode({'workload': workload.fingerprint, **given})}",
        table=SAME_NUMBERS if is_complete else sentences.best_in_table(len(rows), len(found.shown)),
        credits=credits_of_workloads([workload.pk]),
    )


def _clusters(request: HttpRequest, workload: WorkloadCount, chart: Chart, found: Systems) -> dict[str, Any]:
    """The chart and its tables: of the front, and of all, or the best by value."""
    rows = best_by_value(found.shown, MOST_CLUSTERS)
    is_complete = len(rows) == len(found.shown)
    label = "All clusters in the chart" if is_complete else "The best clusters by value"
    return {
        "request": request,
        "charts": [chart],
        "workload": workload,
        "clusters": len(found.shown),
        "front": _table(found.front, "Best value at each price"),
        "table": _table(rows, label) if len(found.shown) > len(found.front) else "",
        "rows": len(rows),
    }


def _table(rows: Sequence[Submission], label: str) -> SafeString:
    return render_to_string("submissions/questions/value/_systems.html", {"rows": rows, "label": label})
