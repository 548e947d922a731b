"""The page of the price book: what a machine or a disk costs on a day, and the history of one price."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.choices import PricingModel
from submissions.formatting.charts import shareable
from submissions.formatting.names import provider_name
from submissions.models import VersionMemory, known_state, priced_places
from submissions.models.data_version import Subject
from submissions.pricing.composed import composed_lines
from submissions.pricing.filters import PriceFilter
from submissions.pricing.refresh import loads
from submissions.pricing.search import LineKey, PageForm, history, opened, page_of, prices_of

TEMPLATE = "submissions/pricing/page.html"
LINES = "submissions/pricing/_lines.html"
_COLUMNS = tuple(PricingModel)
_MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class _Lines:
    """A page of the table, as HTML."""

    rows: SafeString
    next_cursor: str | None


_known: VersionMemory[tuple[str, date], _Lines] = VersionMemory(_MOST_PAGES)  # by the address and the day


@shareable("Prices")
@from_data(Subject.PRICES, parameters=(*PriceFilter.base_filters, *PageForm.base_fields))
@require_safe
def prices(request: HttpRequest) -> HttpResponse:
    places = priced_places()
    given, form = opened(request.GET, places), PageForm(request.GET)
    prices = prices_of(given, form.cleaned_data["on"] if form.is_valid() else None)
    context: dict[str, Any] = {
        "price_columns": _COLUMNS,
        "providers": [(slug, provider_name(slug)) for slug in dict.fromkeys(provider for provider, _ in places)],
        "regions": sorted({region for slug, region in places if prices.data.get("provider") in ("", None, slug)}),
        **_state(prices),
    }
    if not (prices.is_valid() and form.is_valid()):
        return render(request, TEMPLATE, {**context, "problems": {**prices.errors, **form.errors}}, status=400)
    lines = _lines(request, prices, form.cleaned_data["after"])
    composed = [] if form.cleaned_data["after"] else composed_lines(prices)
    past = history(prices.form.cleaned_data)
    if not (lines or past or composed) and (query := _as_search(request.GET)):
        return HttpResponseRedirect(f"{request.path}?{query}")
    api_address = f"{reverse('api:price-list')}?{_query(prices.data)}"
    if form.cleaned_data["format"]:
        return HttpResponseRedirect(f"{api_address}&format={form.cleaned_data['format']}")
    context |= {
        "lines": lines,
        "day": prices.form.cleaned_data["at"],
        "history": past,
        "composed": composed,
        "loads": loads(),
        "query": _query(given),
        "api_address": api_address,
    }
    return render(request, TEMPLATE, context)


def _lines(request: HttpRequest, prices: PriceFilter, after: LineKey | None) -> _Lines | None:
    """None where there are none. No query while the price book and the day are those of the last reader."""
    version, key = known_state().prices, (prices.data.urlencode(), prices.form.cleaned_data["at"])
    known = _known.get(version, key)
    if known is None:
        page = page_of(prices, after)
        if not page.lines:
            return None
        rows = render_to_string(LINES, {"lines": page.lines, "price_columns": _COLUMNS}, request)
        known = _Lines(rows, page.next_cursor)
        _known.set(version, key, known)
    return known


def _state(prices: PriceFilter) -> dict[str, str]:
    """The values of the form's fields."""
    return {name: prices.data.get(name, "") for name in ("provider", "region", "instance_type", "q", "at")}


def _as_search(given: QueryDict) -> str | None:
    """`instance_type` used to match the start of a name: the same address with `q` instead; None where it has none."""
    if given.get("q") or not given.get("instance_type"):
        return None
    query = given.copy()
    query["q"] = query.pop("instance_type")[-1]
    return query.urlencode()


def _query(given: QueryDict) -> str:
    """The parameters of the search, without empty ones and without the cursor."""
    query = QueryDict(mutable=True)
    for name, values in given.lists():
        if name in PriceFilter.base_filters and any(values):
            query.setlist(name, [value for value in values if value])
    return query.urlencode()
