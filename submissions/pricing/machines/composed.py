"""Machine types that are billed by vCPU and GiB, under their own name: what a search for "n2-standard-8" finds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from submissions.choices import PricingModel
from submissions.models import Price
from submissions.pricing.machines.filters import PriceFilter
from submissions.pricing.providers import PROVIDERS_WITH_RATES, billing_of


@dataclass(frozen=True, slots=True)
class ComposedLine:
    """What the parts of a type cost together in one region; None where a part has no price on that basis."""

    provider: str
    region: str
    name: str
    parts: str  # of 8 n2-vcpu and 32 n2-memory-gib
    prices: tuple[Decimal | None, ...]  # in the order of PricingModel
    last_seen: date  # of the part that was confirmed longest ago


def composed_lines(search: PriceFilter) -> list[ComposedLine]:
    """Of the one type that the search names, in each region; a query for each provider that bills by parts."""
    given = search.form.cleaned_data
    named = {*given["instance_type"], given["q"].strip().lower()} - {""}
    if len(named) != 1:
        return []
    [name] = named
    providers = given["provider"] or PROVIDERS_WITH_RATES
    return [line for provider in providers for line in _lines(provider, name, given["region"], given["at"])]


def _lines(provider: str, name: str, regions: list[str], day: date) -> Iterator[ComposedLine]:
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
