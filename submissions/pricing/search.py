"""The price book as a page shows it: prices in force on a day, one line a thing, and their history."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from django import forms
from django.core import signing
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode

from submissions.choices import PricingModel
from submissions.models import Price

PAGE_SIZE = 50
FORMATS = ("csv", "json")
COLUMNS = ("provider", "region", "instance_type", "unit", "pricing_model", "usd", "valid_from", "source")
MOST_HISTORY = 200
_SALT = "submissions.price_search"  # part of signed addresses: it outlives the name of the module


class PriceKey(NamedTuple):
    """A thing with a price; the order of the page."""

    provider: str
    region: str
    sku: str
    unit: str


@dataclass(frozen=True, slots=True)
class PriceLine:
    key: PriceKey
    prices: tuple[Price | None, ...]  # in the order of PricingModel; None: not in the book
    sources: tuple[str, ...]
    newest: date  # of the prices shown


@dataclass(frozen=True, slots=True)
class PricePage:
    lines: tuple[PriceLine, ...]
    on: date
    next_cursor: str | None


class PriceForm(forms.Form):
    """The API's names. `instance_type` finds every thing whose name begins with it."""

    provider = forms.CharField(label="Provider", required=False, max_length=50)
    region = forms.CharField(label="Region", required=False, max_length=50)
    instance_type = forms.CharField(label="Instance type or part", required=False, max_length=100)
    at = forms.DateField(label="In force on", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    after = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS], widget=forms.HiddenInput)

    def clean_after(self) -> PriceKey | None:
        text = self.cleaned_data["after"]
        if not text:
            return None
        try:
            return PriceKey(*signing.loads(text, salt=_SALT))
        except (signing.BadSignature, TypeError) as error:
            raise forms.ValidationError("is no place in this list: begin again without it") from error

    def query(self, *, but: Iterable[str] = ("after", "format")) -> str:
        """The search as a query string."""
        given = self.data if isinstance(self.data, QueryDict) else {}
        pairs = [(name, given.get(name, "")) for name in self.fields if name not in but]
        return urlencode([pair for pair in pairs if pair[1]])


def providers() -> list[str]:
    """One query."""
    return list(Price.objects.order_by("provider").values_list("provider", flat=True).distinct())


def search(asked: dict[str, Any]) -> PricePage:
    """A page of prices in force on a day (today when none is asked). Two queries."""
    on = _day(asked)
    found = _matching(asked).filter(valid_from__lte=on)
    after = asked["after"]
    beyond = found.filter(_after(after)) if after else found
    keys = [
        PriceKey(*values)
        for values in beyond.order_by(*PriceKey._fields).values_list(*PriceKey._fields).distinct()[: PAGE_SIZE + 1]
    ]
    page = keys[:PAGE_SIZE]
    cursor = signing.dumps(list(page[-1]), salt=_SALT) if len(keys) > PAGE_SIZE else None
    return PricePage(tuple(_lines(found, page)), on, cursor)


def export(asked: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Every price in force on the day of a search, in the order of COLUMNS. One query."""
    found = _matching(asked).filter(valid_from__lte=_day(asked))
    for price in _newest_of_each(found).iterator(chunk_size=2000):
        yield (
            price.provider,
            price.region,
            price.sku,
            price.unit,
            price.pricing_model,
            format(price.usd.normalize(), "f"),  # money is exact, and a string
            price.valid_from.isoformat(),
            price.source,
        )


def history(asked: dict[str, Any]) -> list[Price] | None:
    """Every dated price of one thing, newest first; None when the search names no single thing."""
    if not (asked["provider"] and asked["region"] and asked["instance_type"]):
        return None
    prices = Price.objects.filter(provider=asked["provider"], region=asked["region"], sku=asked["instance_type"])
    return list(prices.order_by("-valid_from", "unit", "pricing_model")[:MOST_HISTORY])


def _day(asked: dict[str, Any]) -> date:
    return asked["at"] or timezone.now().date()


def _newest_of_each(prices: QuerySet[Price]) -> QuerySet[Price]:
    series = (*PriceKey._fields, "pricing_model")
    return prices.order_by(*series, "-valid_from").distinct(*series)


def _matching(asked: dict[str, Any]) -> QuerySet[Price]:
    prices = Price.objects.all()
    for column in ("provider", "region"):
        if asked[column]:
            prices = prices.filter(**{column: asked[column]})
    if asked["instance_type"]:
        prices = prices.filter(sku__istartswith=asked["instance_type"])
    return prices


def _lines(found: QuerySet[Price], keys: Sequence[PriceKey]) -> Iterable[PriceLine]:
    if not keys:
        return
    prices: dict[PriceKey, dict[str, Price]] = {key: {} for key in keys}
    # the keys are neighbours, so a range of them is the page
    in_page = found.filter(_is(keys[0]) | _after(keys[0])).exclude(_after(keys[-1]))
    for price in _newest_of_each(in_page):
        key = PriceKey(price.provider, price.region, price.sku, price.unit)
        prices[key][price.pricing_model] = price
    for key, by_model in prices.items():
        yield PriceLine(
            key=key,
            prices=tuple(by_model.get(model) for model in PricingModel),
            sources=tuple(dict.fromkeys(price.source for price in by_model.values())),
            newest=max(price.valid_from for price in by_model.values()),
        )


def _is(key: PriceKey) -> Q:
    return Q(**key._asdict())


def _after(key: PriceKey) -> Q:
    """Keys that stand behind this one, column by column."""
    condition = Q()
    equal: dict[str, str] = {}
    for column, value in key._asdict().items():
        condition |= Q(**equal, **{f"{column}__gt": value})
        equal[column] = value
    return condition
