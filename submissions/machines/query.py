"""The machine types that a reader chooses, in an order, with the price of each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from submissions.choices import PricingModel
from submissions.machines.catalogue import Catalogue, Machine, MachineKey, catalogue
from submissions.machines.form import MachinesForm
from submissions.machines.prices import less, monthly, rates_in
from submissions.models import priced_places
from submissions.pricing.cost import Rate
from submissions.pricing.discounts import Discounts, discount_of
from submissions.pricing.providers import billing_of

PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class MachineRow:
    machine: Machine
    rate: Rate | None  # of the region and the pricing model that were chosen
    region: str  # whose price it is; empty where the provider has no price list

    @property
    def hourly_usd(self) -> Decimal | None:
        return self.rate.usd if self.rate else None

    @property
    def monthly_usd(self) -> Decimal | None:
        return monthly(self.rate)


@dataclass(frozen=True, slots=True)
class MachinesResult:
    """`rows` are all that were chosen, in order. `providers` and `regions` are those that can be chosen."""

    rows: tuple[MachineRow, ...]
    day: date
    page: int | None  # None: all rows
    providers: tuple[str, ...]
    regions: tuple[str, ...]
    types: int  # before anything was chosen

    @property
    def shown(self) -> tuple[MachineRow, ...]:
        if self.page is None:
            return self.rows
        return self.rows[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.rows) // PAGE_SIZE))

    @property
    def measured(self) -> int:
        return sum(row.machine.results > 0 for row in self.rows)

    @property
    def whole(self) -> "MachinesResult":
        return replace(self, page=None)


def machines_result(form: MachinesForm, day: date) -> MachinesResult:
    """The form is valid. Three queries while the types and their prices are cached."""
    known = catalogue()
    values = form.cleaned_data
    places = priced_places()
    regions = _regions(known, places, values["region"])
    rates = rates_in(tuple(known), regions, form.model, day)
    if discounts := values["discount"]:
        rates = _less(rates, form.model, discounts)
    chosen = [
        MachineRow(machine, rates.get(key), regions.get(key.provider, ""))
        for key, machine in known.items()
        if _is_chosen(machine, values) and (not values["region"] or key.provider in regions)
    ]
    return MachinesResult(
        rows=tuple(_in_order(chosen, values["ordering"])),
        day=day,
        page=values["page"],
        providers=tuple(dict.fromkeys(key.provider for key in known)),
        regions=tuple(sorted({region for provider, region in places if values["provider"] in ("", provider)})),
        types=len(known),
    )


def _less(rates: Mapping[MachineKey, Rate], model: PricingModel, discounts: Discounts) -> Mapping[MachineKey, Rate]:
    return {key: less(rate, model, discount_of(discounts, key.provider)) for key, rate in rates.items()}


def _regions(known: Catalogue, places: Iterable[tuple[str, str]], region: str) -> Mapping[str, str]:
    """Of each provider whose prices are in the book the region that was chosen, or the one that it is known by."""
    if region:
        return {provider: place for provider, place in places if place == region}
    priced = {provider for provider, _ in places}
    references = {key.provider: billing_of(key.provider).reference_region for key in known if key.provider in priced}
    return {provider: reference for provider, reference in references.items() if reference}


def _is_chosen(machine: Machine, values: Mapping[str, Any]) -> bool:
    return (
        values["provider"] in ("", machine.provider)
        and values["q"].strip().lower() in machine.name.lower()
        and values["architecture"] in ("", machine.architecture)
        and _is_at_least(machine.vcpus, values["min_vcpus"])
        and _is_at_least(machine.memory_gib, values["min_memory_gib"])
        and (not values["local_disks"] or bool(machine.has_local_disks))
        and (not values["measured"] or machine.results > 0)
    )


def _is_at_least(value: float | None, least: float | None) -> bool:
    return least is None or (value is not None and value >= least)


_VALUES: Mapping[str, Callable[[MachineRow], Any]] = {
    "name": lambda row: row.machine.name,
    "vcpus": lambda row: row.machine.vcpus,
    "memory_gib": lambda row: row.machine.memory_gib,
    "hourly_usd": lambda row: row.hourly_usd,
    "results": lambda row: row.machine.results,
}


def _in_order(rows: list[MachineRow], ordering: str) -> list[MachineRow]:
    """Unknown values last in both directions."""
    value = _VALUES[ordering.removeprefix("-")]
    known = [row for row in rows if value(row) is not None]
    unknown = [row for row in rows if value(row) is None]
    return [*sorted(known, key=value, reverse=ordering.startswith("-")), *unknown]


def machine_of(key: MachineKey) -> Machine | None:
    return catalogue().get(key)
