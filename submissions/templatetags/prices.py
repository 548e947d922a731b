"""How pages date the price of a figure, and what their reader pays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from benchsite.http.from_data import from_data_of
from submissions.api.currency import CURRENCY
from submissions.formatting import currency
from submissions.machines import sentences as machine_words
from submissions.models import Submission
from submissions.pricing import reprice
from submissions.pricing.book import dating
from submissions.pricing.cost import SystemCost
from submissions.pricing.discounts import discount_words
from submissions.pricing.machines.addresses import machine_address
from submissions.pricing.terms import ReaderPricesForm

register = template.Library()

register.filter(machine_words.disk_words)
register.filter(machine_words.verdict_words)
register.filter(machine_address)


@register.filter
def price_confirmed(row: Submission) -> str:
    """ "last confirmed 14 months ago"; nothing where the price is fresh, stated or unknown."""
    return reprice.confirmed(row) if row.hourly_usd is not None else ""


@register.filter
def price_words(row: Submission) -> str:
    """ "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"; nothing where the price is unknown."""
    return dating.price_words(reprice.price_dates([row]))


@register.filter
def cost_words(cost: SystemCost, provider: str) -> str:
    """The same of a cost that is no row's."""
    return dating.price_words(cost.dates(provider))


@dataclass(frozen=True, slots=True)
class YourPrices:
    """What this page's reader pays, as its address says; `others`: the parameters that the form keeps."""

    others: Sequence[tuple[str, str]]
    discount: str = ""
    currency: str = ""
    errors: Mapping[str, Any] = field(default_factory=dict)  # of a form
    words: str = ""  # "less 25 % on AWS; EUR at ..."; "" of list prices in USD

    @property
    def is_own(self) -> bool:
        return bool(self.discount or self.currency)

    @property
    def options(self) -> SafeString:
        return _options(self.currency)


@register.simple_tag(takes_context=True)
def your_prices(context: template.Context) -> YourPrices | None:
    """None on a page without money that a reader's prices change."""
    request = context.get("request")
    declared = from_data_of(getattr(request, "resolver_match", None))
    if request is None or declared is None or CURRENCY not in declared.parameters:
        return None
    kept = ((name, value) for name, values in request.GET.lists() for value in values if name not in _NOT_KEPT)
    others = [(name, value) for name, value in kept if value.isprintable()]
    given = {name: value for name in ReaderPricesForm.base_fields if (value := request.GET.get(name))}
    if not given:
        return YourPrices(others)
    form = ReaderPricesForm(given)
    discounts = form.cleaned_data["discount"] if form.is_valid() else ()
    code = "" if "currency" in form.errors else given.get("currency", "")
    words = "; ".join(filter(None, (discount_words(discounts), currency.current().note)))
    return YourPrices(others, given.get("discount", ""), code, form.errors, words)


@lru_cache
def _options(chosen: str) -> SafeString:
    """Of the select box, USD first, which is no choice."""
    html = '<option value="{}"{}>{}</option>'
    pairs = (
        (("" if code == "USD" else code), SafeString(" selected" if code == chosen else ""), code)
        for code in currency.currencies()
    )
    return format_html_join("", html, pairs)


_NOT_KEPT = {*ReaderPricesForm.base_fields, "cursor", "after", "format"}


@register.inclusion_tag("components/own_prices_fields.html", takes_context=True)
def own_prices_fields(context: template.Context) -> dict[str, Any]:
    """In a form that leads to another view of this page: the reader's prices stay, without a script too."""
    request = context.get("request")
    given = request.GET if request is not None else {}
    return {"pairs": [(name, given[name]) for name in ReaderPricesForm.base_fields if given.get(name)]}
