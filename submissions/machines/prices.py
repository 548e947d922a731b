"""What a machine type costs: by region and pricing model on a day, and over time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from submissions.choices import SPOT_PRICE_DAYS, PricingModel, Role
from submissions.machines.catalogue import MachineKey
from submissions.models import Price
from submissions.models.versions.data_version import Subject
from submissions.pricing.book import book as price_book
from submissions.pricing.book.quotes import DatedPrice, PriceBook, PriceKey, Unit
from submissions.pricing.cost import HOURS_PER_MONTH, Rate
from submissions.pricing.discounts import Discount, Discounts, discount_of
from submissions.pricing.groups import GroupSpec, Place, keys_of, price_group
from submissions.pricing.providers import billing_of
from submissions.records.cache import cached

MOST_POINTS = 400  # of a line


@dataclass(frozen=True, slots=True)
class RegionPrices:
    """Of one machine, by the hour; None where the book has no price on that day."""

    region: str
    rates: Mapping[PricingModel, Rate]

    @property
    def on_demand(self) -> Rate | None:
        return self.rates.get(PricingModel.ON_DEMAND)

    @property
    def monthly_usd(self) -> Decimal | None:
        return monthly(self.on_demand)

    @property
    def in_order(self) -> list[tuple[PricingModel, Rate | None]]:
        return [(model, self.rates.get(model)) for model in PricingModel]

    @property
    def last_seen(self) -> date | None:
        """Of the price that was confirmed longest ago."""
        return min((rate.last_seen for rate in self.rates.values() if rate.last_seen), default=None)


@dataclass(frozen=True, slots=True)
class PricePoint:
    """From this day on; None: no price any more."""

    day: date
    usd: Decimal | None


class RegionPrice(NamedTuple):
    """One cell of the table of prices."""

    region: str
    model: PricingModel
    rate: Rate

    @property
    def monthly_usd(self) -> Decimal | None:
        return monthly(self.rate)


class PastPrice(NamedTuple):
    model: PricingModel
    point: PricePoint


@dataclass(frozen=True, slots=True)
class MachinePrices:
    """The cheapest region first; `history` is that of `region`, by pricing model, at list prices in USD."""

    regions: tuple[RegionPrices, ...] = ()
    region: str = ""
    history: Mapping[PricingModel, tuple[PricePoint, ...]] = field(default_factory=dict)
    parts: tuple[tuple[str, Decimal], ...] = ()  # it is billed by these: of 8 n2-vcpu, of 32 n2-memory-gib

    @property
    def here(self) -> RegionPrices | None:
        return next((prices for prices in self.regions if prices.region == self.region), None)

    @property
    def rows(self) -> list[RegionPrice]:
        return [
            RegionPrice(prices.region, model, rate) for prices in self.regions for model, rate in prices.rates.items()
        ]

    @property
    def past(self) -> list[PastPrice]:
        """The newest first."""
        points = [PastPrice(model, point) for model, own in self.history.items() for point in own]
        return sorted(points, key=lambda past: past.point.day, reverse=True)


def monthly(rate: Rate | None) -> Decimal | None:
    return None if rate is None or rate.usd is None else rate.usd * HOURS_PER_MONTH


def less(rate: Rate, model: PricingModel, discount: Discount) -> Rate:
    """As its reader pays it: a spot price has no discount."""
    if rate.usd is None or model == PricingModel.SPOT:
        return rate
    return replace(rate, usd=discount.of(rate.usd))


def rates_in(
    machines: Sequence[MachineKey], regions: Mapping[str, str], model: PricingModel, day: date
) -> Mapping[MachineKey, Rate]:
    """List prices of each machine with one in the region of its provider. Two queries, one while they are cached."""
    key = ("machine rates", *sorted(regions.items()), model.value, day)
    return cached(key, lambda: _rates_in(machines, regions, model, day), subjects=[Subject.PRICES])


def _rates_in(
    machines: Sequence[MachineKey], regions: Mapping[str, str], model: PricingModel, day: date
) -> dict[MachineKey, Rate]:
    placed = [(machine, regions[machine.provider]) for machine in machines if machine.provider in regions]
    book = price_book.load({key for machine, region in placed for key in _keys(machine, region)})
    found = ((machine, _rate(machine, region, model, day, book)) for machine, region in placed)
    return {machine: rate for machine, rate in found if rate is not None}


def prices_of(machine: MachineKey, region: str, day: date, discounts: Discounts = ()) -> MachinePrices:
    """`region`: whose history is drawn; without one the provider's reference region, else the first. One query."""
    discount = discount_of(discounts, machine.provider)
    parts = tuple(billing_of(machine.provider).machine_rates(machine.name))
    names = [machine.name, *(sku for sku, _ in parts)]
    columns = ("provider", "region", "sku", "unit", "pricing_model", "usd", "valid_from", "source", "last_seen")
    stored = Price.objects.filter(provider=machine.provider, sku__in=names, unit=Unit.HOUR, valid_from__lte=day)
    rows = [DatedPrice(*row) for row in stored.values_list(*columns)]
    book = PriceBook(rows)
    places = {row.region for row in rows}
    priced = [_in_region(machine, place, day, book, discount) for place in places]
    regions = sorted((prices for prices in priced if prices.rates), key=_cheapest_first)
    chosen = region or _opening([prices.region for prices in regions] or sorted(places), machine.provider)
    history = {model: _history(machine, chosen, model, day, rows, book) for model in PricingModel}
    drawn = {model: points for model, points in history.items() if any(point.usd for point in points)}
    is_composed = any(row.sku != machine.name for row in rows)
    return MachinePrices(tuple(regions), chosen, drawn, parts if is_composed else ())


def _opening(regions: Sequence[str], provider: str) -> str:
    reference = billing_of(provider).reference_region or ""
    return reference if reference in regions else next(iter(regions), "")


def _cheapest_first(prices: RegionPrices) -> tuple[bool, Decimal, str]:
    usd = prices.on_demand.usd if prices.on_demand else None
    return usd is None, usd or Decimal(0), prices.region


def _in_region(machine: MachineKey, region: str, day: date, book: PriceBook, discount: Discount) -> RegionPrices:
    rates = {model: _rate(machine, region, model, day, book) for model in PricingModel}
    return RegionPrices(region, {model: less(rate, model, discount) for model, rate in rates.items() if rate})


def _history(
    machine: MachineKey, region: str, model: PricingModel, day: date, rows: Iterable[DatedPrice], book: PriceBook
) -> tuple[PricePoint, ...]:
    """A point for each day on which the price changed, began or ended."""
    own = [row for row in rows if row.region == region and row.pricing_model == model]
    days = {row.valid_from for row in own}
    if model == PricingModel.SPOT:
        days |= {row.last_seen + timedelta(days=SPOT_PRICE_DAYS + 1) for row in own}
    points: list[PricePoint] = []
    for begin in sorted(one for one in days if one <= day):
        rate = _rate(machine, region, model, begin, book)
        usd = rate.usd if rate else None
        if not points or points[-1].usd != usd:
            points.append(PricePoint(begin, usd))
    return tuple(points[-MOST_POINTS:])


def _rate(machine: MachineKey, region: str, model: PricingModel, day: date, book: PriceBook) -> Rate | None:
    """As a result on it is priced: its own price, or that of its vCPUs and memory."""
    place = Place(machine.provider, region, day)
    rate = price_group(_spec(machine, model), place=place, book=book).node.rate
    return None if rate.usd is None else rate


def _keys(machine: MachineKey, region: str) -> Iterable[PriceKey]:
    return keys_of(_spec(machine, PricingModel.ON_DEMAND), provider=machine.provider, region=region)


def _spec(machine: MachineKey, model: PricingModel) -> GroupSpec:
    return GroupSpec(Role.DATABASE, 1, machine.name, (), model)
