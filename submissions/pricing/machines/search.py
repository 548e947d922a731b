"""The price book as its page shows it: a line for each instance type or part, composed ones, the history of one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core import signing
from django.db.models import QuerySet
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThanOrEqual,
)
from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode

from submissions.api.forms import DayField
from submissions.api.number_fields import NumberField, OrdinalField, WholeNumberField
from submissions.choices import PricingModel
from submissions.models import InstanceType, Price
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.discounts import Discounts, discount_of
from submissions.pricing.machines.addresses import machine_address
from submissions.pricing.machines.filters import PriceFilter
from submissions.pricing.providers import PROVIDERS_WITH_RATES, billing_of
from submissions.pricing.terms import ReaderPricesForm

PAGE_SIZE = 50
ORDERINGS = ("vcpus", "-vcpus", "memory_gib", "-memory_gib", "monthly_usd", "-monthly_usd")
FORMATS = ("csv", "json")
MAX_HISTORY = 200
_SALT = "submissions.price_search"  # part of signed addresses: it outlives the name of the module


class LineKey(NamedTuple):
    """What has a price: an instance type or a part. Lines are in this order."""

    provider: str
    region: str
    sku: str
    unit: str


@dataclass(frozen=True, slots=True)
class PriceLine:
    key: LineKey
    prices: tuple[Price | None, ...]  # in the order of PricingModel; None: not in the book
    sources: tuple[str, ...]
    newest: date  # day on which one of the prices shown came into force
    vcpus: int | None = None
    memory_gib: float | None = None

    @property
    def monthly_usd(self) -> Decimal | None:
        """On demand, of what is billed by the hour."""
        price = self.prices[0]
        return price.usd * HOURS_PER_MONTH if price and self.key.unit == Price.Unit.HOUR else None

    @property
    def query(self) -> str:
        """Of the page with its history."""
        return urlencode({"provider": self.key.provider, "region": self.key.region, "instance_type": self.key.sku})

    @property
    def machine_address(self) -> str:
        """Empty for parts of machines, for storage and for traffic."""
        provider, _, name, unit = self.key
        billing = billing_of(provider)
        is_machine = unit == Price.Unit.HOUR and billing.family_of(name) is not None and not billing.is_part(name)
        return machine_address(provider, name) if is_machine else ""


@dataclass(frozen=True, slots=True)
class PricePage:
    lines: tuple[PriceLine, ...]
    next_cursor: str | None
    next_page: int | None = None  # of lines in an order of their own


@dataclass(frozen=True, slots=True)
class ComposedLine:
    """A type that is billed by vCPU and GiB, under its own name: what a search for "n2-standard-8" finds.

    What the parts of a type cost together in one region; None where a part has no price on that basis.
    """

    provider: str
    region: str
    name: str
    parts: str  # of 8 n2-vcpu and 32 n2-memory-gib
    prices: tuple[Decimal | None, ...]  # in the order of PricingModel
    last_seen: date  # of the part that was confirmed longest ago


class PageForm(ReaderPricesForm):
    """The parameters of the page that are not of the filter."""

    after = forms.CharField(required=False, max_length=500)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])
    on = DayField(required=False)  # another name of `at`, which counts where both are given
    ordering = forms.ChoiceField(required=False, choices=[(name, name) for name in ORDERINGS])
    min_vcpus = WholeNumberField(required=False, min_value=1, max_value=100_000)
    min_memory_gib = NumberField(unit="GiB", required=False, min_value=0, max_value=10_000_000)
    page = OrdinalField(required=False, min_value=1, max_value=1_000)

    @property
    def is_sorted(self) -> bool:
        """Whether lines have to be read before it is known which are on the page."""
        return any(self.cleaned_data.get(name) for name in ("ordering", "min_vcpus", "min_memory_gib"))

    def clean_after(self) -> LineKey | None:
        text = self.cleaned_data["after"]
        if not text:
            return None
        try:
            return LineKey(*signing.loads(text, salt=_SALT))
        except (signing.BadSignature, TypeError) as error:
            raise forms.ValidationError("is not a cursor of this list: start without it") from error


def prices_of(query: QueryDict, on: date | None = None) -> PriceFilter:
    """The filter of a page's address, with the prices `on` a day, or today's, where it names no day."""
    params = query.copy()
    if not params.get("at"):
        params["at"] = (on or timezone.now().date()).isoformat()
    return PriceFilter(params, Price.objects.all())


def opened(given: QueryDict, places: Iterable[tuple[str, str]]) -> QueryDict:
    """The search of an address; one without a region or a name opens on the reference region of its provider, or of
    the first that has one. An empty region means any, and a format is for programs, which want what they name.
    """
    if any(name in given for name in ("region", "q", "instance_type", "format")):
        return given
    for provider, region in places:
        if region == billing_of(provider).reference_region and given.get("provider") in ("", None, provider):
            query = given.copy()
            query["provider"], query["region"] = provider, region
            return query
    return given


def page_of(search: PriceFilter, after: LineKey | None) -> PricePage:
    """The lines after `after`, or the first ones. Two queries."""
    prices = search.qs
    known = known_lines(search)
    rest = known.filter(TupleGreaterThan(_line(), after)) if after else known
    keys = [
        LineKey(*values)
        for values in rest.order_by(*LineKey._fields).values_list(*LineKey._fields).distinct()[: PAGE_SIZE + 1]
    ]
    page = keys[:PAGE_SIZE]
    cursor = signing.dumps(list(page[-1]), salt=_SALT) if len(keys) > PAGE_SIZE else None
    return PricePage(tuple(lines_of(prices, page)), cursor)


def known_lines(search: PriceFilter) -> QuerySet[Price]:
    """What has a price on the day, the replaced ones too: as many lines, without looking for what replaced them."""
    params = search.data.copy()
    params.pop("at", None)
    known: QuerySet[Price] = PriceFilter(params, Price.objects.known_on(search.form.cleaned_data["at"])).qs
    return known


def lines_less(lines: Iterable[PriceLine], discounts: Discounts) -> None:
    """The lines as their reader pays them: each price but that of spot, which is left as it is."""
    for line in lines:
        discount = discount_of(discounts, line.key.provider)
        for price in line.prices:
            if price is not None and price.pricing_model != PricingModel.SPOT:
                price.usd = discount.of(price.usd)


def composed_less(lines: Iterable[ComposedLine], discounts: Discounts) -> list[ComposedLine]:
    """The same of composed ones."""
    return [replace(line, prices=tuple(_less(line, discounts))) for line in lines]


def _less(line: ComposedLine, discounts: Discounts) -> Iterator[Decimal | None]:
    discount = discount_of(discounts, line.provider)
    for model, usd in zip(PricingModel, line.prices, strict=True):
        yield usd if usd is None or model == PricingModel.SPOT else discount.of(usd)


def history(params: dict[str, Any]) -> list[Price] | None:
    """Every dated price of an instance type or part, newest first; None unless the search names one. One query."""
    named = [params[name] for name in ("provider", "region", "instance_type")]
    if any(len(values) != 1 for values in named):
        return None
    [[provider], [region], [sku]] = named
    prices = Price.objects.filter(provider=provider, region=region, sku=sku)
    return list(prices.order_by("-valid_from", "unit", "pricing_model")[:MAX_HISTORY])


def lines_of(in_force: QuerySet[Price], keys: Sequence[LineKey]) -> Iterable[PriceLine]:
    if not keys:
        return
    prices: dict[LineKey, dict[str, Price]] = {key: {} for key in keys}
    # the keys are neighbours, so a range of them is the page
    for price in in_force.filter(TupleGreaterThanOrEqual(_line(), keys[0]), TupleLessThanOrEqual(_line(), keys[-1])):
        key = LineKey(price.provider, price.region, price.sku, price.unit)
        if key in prices:  # a price that came meanwhile has none
            prices[key][price.pricing_model] = price
    hardware = _hardware(keys)
    for key, by_model in prices.items():
        if not by_model:
            continue
        machine = hardware.get((key.provider, key.sku))
        yield PriceLine(
            key=key,
            prices=tuple(by_model.get(model) for model in PricingModel),
            sources=tuple(dict.fromkeys(by_model[model].source for model in PricingModel if model in by_model)),
            newest=max(price.valid_from for price in by_model.values()),
            vcpus=machine.vcpus if machine else None,
            memory_gib=machine.memory_gib if machine else None,
        )


def _hardware(keys: Sequence[LineKey]) -> Mapping[tuple[str, str], InstanceType]:
    """Of the types whose hardware is known. One query."""
    types = InstanceType.objects.filter(provider__in={key.provider for key in keys}, name__in={key.sku for key in keys})
    return {(item.provider, item.name): item for item in types}


def _line() -> Tuple:
    """Compared as a whole: PostgreSQL then reads a range of an index."""
    return Tuple(*LineKey._fields)


def composed_lines(search: PriceFilter) -> list[ComposedLine]:
    """Of the one type that the search names, in each region; a query for each provider that bills by parts."""
    given = search.form.cleaned_data
    named = {*given["instance_type"], given["q"].strip().lower()} - {""}
    if len(named) != 1:
        return []
    [name] = named
    providers = given["provider"] or PROVIDERS_WITH_RATES
    return [line for provider in providers for line in _composed(provider, name, given["region"], given["at"])]


def _composed(provider: str, name: str, regions: list[str], day: date) -> Iterator[ComposedLine]:
    rates = billing_of(provider).machine_rates(name)
    if not rates:
        return
    prices = Price.objects.in_force(day).filter(provider=provider, sku__in=[sku for sku, _ in rates], unit="hour")
    if regions:
        prices = prices.filter(region__in=regions)
    by_region: dict[str, dict[tuple[str, str], Price]] = defaultdict(dict)
    for price in prices:
        by_region[price.region][price.sku, price.pricing_model] = price
    parts = " + ".join(f"{quantity.normalize():f}× {sku}" for sku, quantity in rates)
    for region, known in sorted(by_region.items()):
        totals = [_total(known, rates, model) for model in PricingModel]
        used = [price for (_, model), price in known.items() if totals[list(PricingModel).index(PricingModel(model))]]
        if used:
            yield ComposedLine(provider, region, name, parts, tuple(totals), min(price.last_seen for price in used))


def _total(
    known: Mapping[tuple[str, str], Price], rates: Sequence[tuple[str, Decimal]], model: PricingModel
) -> Decimal | None:
    prices = [(known.get((sku, model)), quantity) for sku, quantity in rates]
    if any(price is None for price, _ in prices):
        return None  # half a machine has no price
    return sum((price.usd * quantity for price, quantity in prices if price), Decimal(0))
