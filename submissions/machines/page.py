"""The pages of machine types: all of them, and one; the address has the state."""

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from benchsite.http.pagination import SortLink
from submissions.api.forms import redirect_to_api
from submissions.choices import Architecture, PricingModel
from submissions.facts import PRICING_MODEL
from submissions.formatting.charts import Chart, Preview, shareable
from submissions.formatting.names import provider_name
from submissions.machines import sentences
from submissions.machines.catalogue import Machine, MachineKey, catalogue, nearest
from submissions.machines.chart import price_figure
from submissions.machines.form import ORDERINGS, MachineForm, MachinesForm
from submissions.machines.machine import MachineResult, machine_result
from submissions.machines.query import machines_result
from submissions.machines.results import SHOWN, newest_results
from submissions.models.versions.data_version import Subject
from submissions.pricing.machines.addresses import machine_address
from submissions.records.ages import ages_of

FOLDER = "submissions/machines"
_MOST_FIRST = ("vcpus", "memory_gib", "results")  # what a first look at a column wants to see on top


@shareable("Machine types", parameters=MachinesForm.base_fields)
@from_data(*Subject, parameters=(*MachinesForm.base_fields, "format"))
@require_safe
def machines(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:machines")
    form = MachinesForm(request.GET)
    template = f"{FOLDER}/list.html"
    if not form.is_valid():
        return render(request, template, {"problems": form.errors}, status=400)
    result = machines_result(form, timezone.now().date())
    page: int = form.cleaned_data["page"]
    api = f"{reverse('api:machines')}{form.address(page=None)}"
    context = {
        "result": result,
        "finding": sentences.listed(form, result),
        "values": form.cleaned_data,
        "basis_label": PRICING_MODEL.label,
        "sort_links": _sort_links(form),
        "providers": [(slug, provider_name(slug)) for slug in result.providers],
        "architectures": Architecture.pairs(),
        "pricing_models": PricingModel.pairs(),
        "next_address": form.address(page=page + 1) if page < result.pages else "",
        "previous_address": form.address(page=page - 1) if page > 1 else "",
        "json_address": api,
        "csv_address": f"{api}{'' if api.endswith('?') else '&'}format=csv",
    }
    return render(request, template, context)


def _sort_links(form: MachinesForm) -> dict[str, SortLink]:
    ordering = form.cleaned_data["ordering"]
    links = {}
    for name in ORDERINGS:
        first, second = (f"-{name}", name) if name in _MOST_FIRST else (name, f"-{name}")
        state = {name: "ascending", f"-{name}": "descending"}.get(ordering, "")
        links[name] = SortLink(form.address(ordering=second if ordering == first else first, page=None), state)
    return links


def charts(params: QueryDict, provider: str, name: str) -> Sequence[Chart]:
    """Raises Http404 for an unknown type."""
    form = MachineForm(params)
    return _charts(form, _result(form, provider, name)) if form.is_valid() else ()


def preview(params: QueryDict, provider: str, name: str) -> Preview:
    form = MachineForm(params)
    return _preview(form, _result(form if form.is_valid() else MachineForm({}), provider, name))


@shareable("Machine type", charts, preview=preview, parameters=MachineForm.base_fields)
@from_data(*Subject, parameters=(*MachineForm.base_fields, "format"))
@require_safe
def machine(request: HttpRequest, provider: str, name: str) -> HttpResponse:
    template = f"{FOLDER}/machine.html"
    form = MachineForm(request.GET)
    if not form.is_valid():
        return render(request, template, {"problems": form.errors}, status=400)
    key = MachineKey(provider, name)
    discounts = form.cleaned_data["discount"]
    result = machine_result(key, form.cleaned_data["region"], timezone.now().date(), discounts)
    if result is None:
        return unknown(request, {str(key): [(one, machine_address(*one)) for one in nearest(str(key), catalogue())]})
    api = f"{reverse('api:machine', args=[provider, name])}{form.address()}"
    if request.GET.get("format"):
        return HttpResponseRedirect(f"{api.partition('?')[0]}?{request.GET.urlencode()}")
    results = newest_results(key, discounts) if result.machine.results else []
    context = {
        "result": result,
        "machine": result.machine,
        "prices": result.prices,
        "regions": [(one, form.address(region=one.region)) for one in result.prices.regions],
        "price_columns": tuple(PricingModel),
        "finding": sentences.machine_finding(result.machine, result.prices),
        "best_value": sentences.best_value_words(result.values),
        "values": [(value, sentences.place_words(value)) for value in result.values],
        "results": results,
        "list_address": f"{reverse('submissions:list')}?{urlencode({'provider': provider, 'instance_type': name})}",
        "family_address": _family_address(result.machine),
        "has_more": result.machine.results > SHOWN,
        "ages": ages_of(results, result.day),
        "charts": _charts(form, result),
        "preview": _preview(form, result),
        "json_address": api,
        "csv_address": f"{api}{'' if api.endswith('?') else '&'}format=csv",
    }
    return render(request, template, context)


def _family_address(machine: Machine) -> str:
    """Of all sizes; empty for a name without a family."""
    if machine.family is None:
        return ""
    return f"{reverse('submissions:machines')}?{urlencode({'provider': machine.provider, 'q': machine.family})}"


def unknown(request: HttpRequest, offered: Mapping[str, Sequence[tuple[MachineKey, str]]]) -> HttpResponse:
    """404 with the nearest names of each unknown one, and where they lead."""
    return render(request, f"{FOLDER}/unknown.html", {"offered": offered, "is_shared": False}, status=404)


def _result(form: MachineForm, provider: str, name: str) -> MachineResult:
    region = form.cleaned_data["region"] if form.is_valid() else ""
    result = machine_result(MachineKey(provider, name), region, timezone.now().date())
    if result is None:
        raise Http404(f"There is no machine type {name} on {provider_name(provider)}.")
    return result


def _charts(form: MachineForm, result: MachineResult) -> Sequence[Chart]:
    if not result.prices.history:
        return ()
    query = form.address(region=result.prices.region)
    label = sentences.history_finding(result.machine, result.prices)
    figure = price_figure(result.prices, result.day)
    return (Chart("prices", figure, label, sentences.history_caveats(), query, subject=result.machine.name),)


def _preview(form: MachineForm, result: MachineResult) -> Preview:
    one = result.machine
    title = f"{one.name}, {provider_name(one.provider)}"
    number = (f"{one.results:,}", "result" if one.results == 1 else "results")
    chart = next(iter(_charts(form, result)), None)
    return Preview(title, sentences.machine_finding(one, result.prices), chart=chart, key_figure=number)
