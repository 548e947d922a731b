"""The page of the price book: what a machine or a disk costs on a day, and the history of one price."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.choices import PricingModel
from submissions.formatting.charts import shareable
from submissions.formatting.names import provider_name
from submissions.models import priced_places
from submissions.models.versions.data_version import Subject
from submissions.pricing.book.refresh import loads
from submissions.pricing.machines.filters import PriceFilter
from submissions.pricing.machines.search import (
    ComposedLine,
    PageForm,
    PriceLine,
    composed_less,
    composed_lines,
    history,
    lines_less,
    opened,
    page_of,
    prices_of,
)
from submissions.pricing.machines.sorting import changed_query, has_one_place, sort_links, sorted_page

TEMPLATE = "submissions/pricing/machines/page.html"
_MODELS = tuple(PricingModel)

Line = TypeVar("Line", PriceLine, ComposedLine)


@shareable("Prices")
@from_data(Subject.PRICES, parameters=(*PriceFilter.base_filters, *PageForm.base_fields))
@require_safe
def prices(request: HttpRequest) -> HttpResponse:
    book_places = priced_places()
    given, form = opened(request.GET, book_places), PageForm(request.GET)
    prices = prices_of(given, form.cleaned_data["on"] if form.is_valid() else None)
    context: dict[str, Any] = {
        "providers": [(slug, provider_name(slug)) for slug in dict.fromkeys(provider for provider, _ in book_places)],
        "regions": sorted({region for slug, region in book_places if prices.data.get("provider") in ("", None, slug)}),
        **_state(prices),
        **{name: request.GET.get(name, "") for name in ("ordering", "min_vcpus", "min_memory_gib")},
    }
    if not (prices.is_valid() and form.is_valid()):
        return render(request, TEMPLATE, {**context, "problems": {**prices.errors, **form.errors}}, status=400)
    is_sorted = form.is_sorted
    if is_sorted and not has_one_place(prices):
        problem = {"region": ["choose a provider and a region: lines are sorted and limited in size in one of them"]}
        return render(request, TEMPLATE, {**context, "problems": problem}, status=400)
    page = sorted_page(prices, form) if is_sorted else page_of(prices, form.cleaned_data["after"])
    composed = [] if form.cleaned_data["after"] else composed_lines(prices)
    past = history(prices.form.cleaned_data)
    if not (page.lines or past or composed) and (query := _as_search(request.GET)):
        return HttpResponseRedirect(f"{request.path}?{query}")
    discounts = form.cleaned_data["discount"]
    lines_less(page.lines, discounts)
    api_address = f"{reverse('api:price-list')}?{_query(prices.data)}"
    if form.cleaned_data["format"]:
        return HttpResponseRedirect(f"{api_address}&format={form.cleaned_data['format']}")
    places = _with_prices([*page.lines, *composed])
    context |= {
        "page": page,
        "price_columns": [_MODELS[place] for place in places],
        "lines": _by_columns(page.lines, places),
        "is_discounted": bool(discounts),
        "day": prices.form.cleaned_data["at"],
        "history": past,
        "composed": _by_columns(composed_less(composed, discounts), places),
        "loads": loads(),
        "query": _query(given),
        "sort_links": sort_links(given, form.cleaned_data["ordering"]) if has_one_place(prices) else {},
        "next_page": changed_query(given, page=str(page.next_page)) if page.next_page else "",
        "api_address": api_address,
    }
    return render(request, TEMPLATE, context)


def _with_prices(lines: Iterable[PriceLine | ComposedLine]) -> list[int]:
    """The places of the pricing models that have a price in one of them; on demand always has a column."""
    known = {place for line in lines for place, price in enumerate(line.prices) if price is not None}
    return sorted(known | {0})


def _by_columns(lines: Iterable[Line], places: Sequence[int]) -> list[tuple[Line, list[Any]]]:
    """Each with its prices in these places."""
    return [(line, [line.prices[place] for place in places]) for line in lines]


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
