"""Amounts of money in the reader's currency: the one place in which USD are converted.

Sums are made in USD, which are not rounded; an amount is converted where it is shown, and rounded there, once.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "data" / "exchange_rates.json"
RATE_DIGITS = Decimal("1E-10")  # of a rate that is shown or answered


@dataclass(frozen=True, slots=True)
class RateTable:
    """`per_eur`: units of each currency for one euro on `day`."""

    day: date
    source: str
    per_eur: Mapping[str, Decimal]


# eq=False: each exists once, and is compared as the key of what is printed in it
@dataclass(frozen=True, slots=True, eq=False)
class Currency:
    """An amount in it is `usd * per_eur / usd_per_eur`."""

    code: str
    sign: str  # before an amount: "€", "CHF "
    per_eur: Decimal = Decimal(1)
    usd_per_eur: Decimal = Decimal(1)
    day: date | None = None  # of its rate; None: USD, which are not converted

    @property
    def is_usd(self) -> bool:
        return self.day is None

    @property
    def unit(self) -> str:
        """Below the line of a fraction: "$" in "ops/$", "CHF"."""
        return self.sign.strip()

    @property
    def rate(self) -> Decimal:
        """Its units for one USD, of ten decimal places."""
        return self.of_usd(Decimal(1)).quantize(RATE_DIGITS)

    def of_usd(self, usd: Decimal) -> Decimal:
        """Not rounded."""
        return usd if self.is_usd else usd * self.per_eur / self.usd_per_eur

    def per_unit(self, per_usd: Decimal) -> Decimal:
        """Of what a dollar buys, such as operations: what one of its units buys."""
        return per_usd if self.is_usd else per_usd * self.usd_per_eur / self.per_eur

    @property
    def note(self) -> str:
        """ "EUR at the ECB's reference rate of 2026-10-30: 1 USD = 0.8951 EUR"; "" of USD."""
        if self.is_usd:
            return ""
        return f"{self.code} at the ECB's reference rate of {self.day}: 1 USD = {self.rate:.4f} {self.code}"


# Signs that mean one currency; all others are written with their code
_SIGNS = {"EUR": "€", "GBP": "£", "INR": "₹", "ILS": "₪", "PHP": "₱", "THB": "฿"}

USD = Currency("USD", "$")
_current: ContextVar[Currency] = ContextVar("currency", default=USD)


def current() -> Currency:
    """In which the amounts of the answer that is being made are shown."""
    return _current.get()


@contextmanager
def shown_in(code: str) -> Iterator[Currency]:
    """Amounts are shown in this currency; an unknown code is USD, since a form refuses it."""
    currency = currencies().get(code, USD)
    token = _current.set(currency)
    try:
        yield currency
    finally:
        _current.reset(token)


@cache
def currencies() -> Mapping[str, Currency]:
    """Those with a reference rate, by their code; USD first."""
    table = read_rates(FILE)
    usd = table.per_eur["USD"]
    per_eur = {"EUR": Decimal(1), **{code: rate for code, rate in sorted(table.per_eur.items()) if code != "USD"}}
    found = {code: Currency(code, _SIGNS.get(code, f"{code} "), rate, usd, table.day) for code, rate in per_eur.items()}
    return {"USD": USD, **found}


def read_rates(file: Path) -> RateTable:
    table = json.loads(file.read_text(encoding="utf-8"))
    per_eur = {code: Decimal(rate) for code, rate in table["per_eur"].items()}
    return RateTable(date.fromisoformat(table["day"]), table["source"], per_eur)


def write_rates(table: RateTable, file: Path) -> None:
    per_eur = {code: str(rate) for code, rate in table.per_eur.items()}
    text = json.dumps({"day": table.day.isoformat(), "source": table.source, "per_eur": per_eur}, indent=1)
    file.write_text(f"{text}\n", encoding="utf-8")
