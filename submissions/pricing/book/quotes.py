"""Dated prices in memory: the price in force on a day, never that of a later day or another region."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from submissions.pricing.book.confirmation import is_outdated


class Unit(StrEnum):
    """What a price is for; the values of models.Price.Unit."""

    HOUR = "hour"
    GIB_MONTH = "gib_month"
    IOPS_MONTH = "iops_month"
    MIBPS_MONTH = "mibps_month"
    DISK_MONTH = "disk_month"  # a disk of a size class
    GB = "gb"


class PriceKey(NamedTuple):
    """What must be loaded to price something."""

    provider: str
    region: str
    sku: str


@dataclass(frozen=True, slots=True)
class Quote:
    """USD for one `unit`, in force since `valid_from` and confirmed on `last_seen`."""

    usd: Decimal
    unit: str
    valid_from: date
    source: str
    last_seen: date


@dataclass(frozen=True, slots=True)
class DatedPrice:
    """A price as a source reports it, and as a row of the price book.

    `last_seen` is the last day on which a source had it: `valid_from` itself, unless something later is given.
    """

    provider: str
    region: str
    sku: str
    unit: str
    pricing_model: str
    usd: Decimal
    valid_from: date
    source: str
    last_seen: date = date.min

    def __post_init__(self) -> None:
        if self.last_seen < self.valid_from:
            object.__setattr__(self, "last_seen", self.valid_from)

    @property
    def series(self) -> tuple[str, str, str, str, str]:
        """What the prices have in common that replace one another over time."""
        return (self.provider, self.region, self.sku, self.unit, self.pricing_model)


class PriceBook:
    """Prices of every date, looked up without the database; `book.load` fills one."""

    def __init__(self, prices: Iterable[DatedPrice] = ()) -> None:
        self._history: dict[tuple[str, str, str, str, str], list[DatedPrice]] = {}
        for price in prices:
            self._history.setdefault(price.series, []).append(price)
        for history in self._history.values():
            history.sort(key=_valid_from)

    def quote(self, *, provider: str, region: str, sku: str, unit: str, pricing_model: str, on: date) -> Quote | None:
        """The price in force on a day: the latest one not later than it.

        None before the first known price, where the region itself has no price, and for a spot price that
        was last seen more than 31 days before.
        """
        price = self.in_force((provider, region, sku, unit, pricing_model), on)
        if price is None or is_outdated(price.pricing_model, price.last_seen, on):
            return None
        return Quote(price.usd, price.unit, price.valid_from, price.source, price.last_seen)

    def in_force(self, series: tuple[str, str, str, str, str], on: date) -> DatedPrice | None:
        history = self._history.get(series, [])
        position = bisect_right(history, on, key=_valid_from)
        return history[position - 1] if position else None

    def first_known(self, series: tuple[str, str, str, str, str]) -> date | None:
        """The day of the oldest price: an earlier day has none."""
        history = self._history.get(series)
        return history[0].valid_from if history else None

    def add(self, price: DatedPrice) -> None:
        history = self._history.setdefault(price.series, [])
        history.insert(bisect_right(history, price.valid_from, key=_valid_from), price)


def _valid_from(price: DatedPrice) -> date:
    return price.valid_from
