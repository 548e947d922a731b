"""The bill of a test as it is stored and answered: line items, and the sum that follows from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from submissions.choices import PricingModel
from submissions.formatting.numbers import decimal_text
from submissions.pricing.cost import LineItem, exact, total_of

NOT_STATED = "No bill of this test was stated, and no run of this site has made one."
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Bill:
    """`total_usd` is None where a price is unknown, or where there is no bill; `missing` then says so."""

    items: tuple[LineItem, ...]
    total_usd: Decimal | None
    basis: PricingModel | None = None
    price_date: date | None = None
    missing: str = ""

    @property
    def total_text(self) -> str | None:
        """To the cent."""
        return None if self.total_usd is None else f"{self.total_usd.quantize(_CENT, ROUND_HALF_UP):f}"

    def as_json(self) -> dict[str, Any]:
        """Money as exact text, the total with two digits."""
        return {
            "items": [
                {
                    "label": item.label,
                    "quantity": decimal_text(item.quantity),
                    "unit": item.unit,
                    "unit_usd": decimal_text(item.unit_usd),
                    "usd": decimal_text(item.usd),
                }
                for item in self.items
            ],
            "total_usd": self.total_text,
            "basis": self.basis,
            "price_date": self.price_date and self.price_date.isoformat(),
            "missing": self.missing,
        }


NO_BILL = Bill((), None, missing=NOT_STATED)


def bill_of(content: Mapping[str, Any] | None) -> Bill:
    """The bill in a document, or in its stored form: only what it was made from is read, the sums are made again."""
    if content is None:
        return NO_BILL
    items = tuple(_lines(content["items"]))
    total, missing = total_of(items)
    basis, day = content.get("basis"), content.get("price_date")
    return Bill(
        items,
        total,
        basis=PricingModel(basis) if basis else None,
        price_date=date.fromisoformat(day) if day else None,
        missing=missing,
    )


def _lines(items: Iterable[Mapping[str, Any]]) -> Iterable[LineItem]:
    for item in items:
        quantity = _decimal(item["quantity"])
        unit_usd = None if item["unit_usd"] is None else Decimal(item["unit_usd"])
        yield LineItem(
            label=item["label"],
            quantity=quantity,
            unit=item["unit"],
            unit_usd=unit_usd,
            usd=None if unit_usd is None else quantity * unit_usd,
            missing="" if unit_usd is not None else f"the price of {item['label']} is unknown",
        )


def _decimal(quantity: float | str) -> Decimal:
    return Decimal(quantity) if isinstance(quantity, str) else exact(quantity)
