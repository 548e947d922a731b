"""Prices a node group from the dated book: its machines, and the storage that is billed separately."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from submissions.choices import SPOT_PRICE_DAYS, PricingModel
from submissions.formatting.names import place_name
from submissions.pricing.book.quotes import PriceBook, PriceKey, Quote, Unit
from submissions.pricing.cost import BilledItem, Group, Rate
from submissions.pricing.discounts import Discount
from submissions.pricing.providers import billing_of
from submissions.pricing.storage import DiskSpec, Need, Unknown, disk_needs

NO_MEASUREMENT_DATE = "the measurement date (measured_at) is not stated"  # the end of a sentence
STATED = "stated by the submitter"


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """A group to be priced: of a document, a stored row or a plan."""

    role: str
    count: int
    instance_type: str
    disks: tuple[DiskSpec, ...]
    pricing_model: PricingModel
    stated_hourly_usd: Decimal | None = None  # per node, all its storage included
    stated_source: str = ""
    why_unpriced: str = ""  # "the uploader stated a price, ...": no price of the book is looked up


@dataclass(frozen=True, slots=True)
class Place:
    """Where and when prices are looked up; an unknown region or day has no price."""

    provider: str
    region: str | None
    on: date | None
    discount: Discount | None = None


def price_group(spec: GroupSpec, *, place: Place, book: PriceBook) -> Group:
    """The group with every rate that the book knows; an unknown rate has the reason in `missing`."""
    if spec.why_unpriced:
        return Group(spec.role, spec.count, _node(spec, Rate(None, missing=spec.why_unpriced)))
    if spec.stated_hourly_usd is not None:
        rate = Rate(spec.stated_hourly_usd, place.on, spec.stated_source or STATED, is_stated=True)
        return Group(spec.role, spec.count, _node(spec, rate))
    lookup = _Lookup(place, book)
    storage = tuple(
        lookup.part(need, spec.pricing_model) for need in disk_needs(place.provider, spec.instance_type, spec.disks)
    )
    return Group(spec.role, spec.count, _node(spec, lookup.machine(spec)), storage)


def keys_of(spec: GroupSpec, *, provider: str, region: str | None) -> Iterator[PriceKey]:
    """Every key of the book that pricing this group may need."""
    if region is None:
        return
    yield PriceKey(provider, region, spec.instance_type)
    for sku, _ in billing_of(provider).machine_rates(spec.instance_type):
        yield PriceKey(provider, region, sku)
    for need in disk_needs(provider, spec.instance_type, spec.disks):
        if isinstance(need, Need):
            yield PriceKey(provider, region, need.sku)


def _node(spec: GroupSpec, rate: Rate) -> BilledItem:
    return BilledItem(spec.instance_type, Decimal(1), Unit.HOUR, rate)


@dataclass(frozen=True, slots=True)
class _Lookup:
    place: Place
    book: PriceBook

    def machine(self, spec: GroupSpec) -> Rate:
        """The type's own price, or the price of its vCPUs and memory: whichever was confirmed later."""
        if reason := self._no_price_at_all(spec.instance_type):
            return Rate(None, missing=reason)
        own = self._quote(spec.instance_type, Unit.HOUR, spec.pricing_model)
        composed = self._composed(spec)
        if own and (composed is None or self._freshness(own) >= self._freshness(composed)):
            return self._rate(own, spec.pricing_model)
        if composed:
            return self._rate(composed, spec.pricing_model)
        return Rate(None, missing=self._missing(spec.instance_type, Unit.HOUR, spec.pricing_model))

    def part(self, need: Need | Unknown, model: PricingModel) -> BilledItem:
        if isinstance(need, Unknown):
            return BilledItem(need.label, Decimal(1), Unit.HOUR, Rate(None, missing=need.reason))
        return BilledItem(need.label, need.quantity, need.unit, self._storage_rate(need, model))

    def _storage_rate(self, need: Need, model: PricingModel) -> Rate:
        if reason := self._no_price_at_all(need.sku):
            return Rate(None, missing=reason)
        basis = model if need.is_cheaper_on_spot and model == PricingModel.SPOT else PricingModel.ON_DEMAND
        quote = self._quote(need.sku, need.unit, basis)
        return self._rate(quote, basis) if quote else Rate(None, missing=self._missing(need.sku, need.unit, basis))

    def _composed(self, spec: GroupSpec) -> Quote | None:
        total = Decimal(0)
        quotes = []
        for sku, quantity in billing_of(self.place.provider).machine_rates(spec.instance_type):
            quote = self._quote(sku, Unit.HOUR, spec.pricing_model)
            if quote is None:
                return None  # half a machine has no price
            total += quote.usd * quantity
            quotes.append(quote)
        if not quotes:
            return None
        oldest = min(quotes, key=lambda quote: quote.valid_from)
        return Quote(total, Unit.HOUR, oldest.valid_from, oldest.source, min(quote.last_seen for quote in quotes))

    def _freshness(self, quote: Quote) -> tuple[date, date]:
        """Of what was known on the day: a price that was seen later, too, was in force on it."""
        return min(quote.last_seen, self.place.on or quote.last_seen), quote.valid_from

    def _rate(self, quote: Quote, model: PricingModel) -> Rate:
        discount = None if model == PricingModel.SPOT else self.place.discount
        usd = discount.of(quote.usd) if discount else quote.usd
        return Rate(usd, quote.valid_from, quote.source, last_seen=quote.last_seen, used_on=self.place.on)

    def _quote(self, sku: str, unit: str, model: PricingModel) -> Quote | None:
        if self.place.region is None or self.place.on is None:
            return None
        return self.book.quote(
            provider=self.place.provider,
            region=self.place.region,
            sku=sku,
            unit=unit,
            pricing_model=model,
            on=self.place.on,
        )

    def _no_price_at_all(self, sku: str) -> str:
        provider = self.place.provider
        if not billing_of(provider).has_list_prices:
            return f"no price known for {sku}: its hourly cost is not stated"
        if self.place.region is None:
            return f"no price of {sku}: the region is not stated"
        if self.place.on is None:
            return f"no price of {sku}: {NO_MEASUREMENT_DATE}"
        return ""

    def _missing(self, sku: str, unit: str, model: PricingModel) -> str:
        place = self.place
        unknown = f"no price of {sku} ({model.label}) in {place_name(place.provider, place.region)}"
        series = (place.provider, place.region or "", sku, unit, model)
        first = self.book.first_known(series)
        if first is None:
            return f"{unknown} is known"
        if place.on and (outdated := self.book.in_force(series, place.on)):
            return f"{unknown} for {place.on}: last seen on {outdated.last_seen}, and counts for {SPOT_PRICE_DAYS} days"
        return f"{unknown} for {place.on}: the oldest is from {first}"
