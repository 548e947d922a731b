"""The price book in the database: loads dated prices in one query, records new ones, changes none."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db.models import Q

from submissions.models import Price
from submissions.pricing.quotes import DatedPrice, PriceBook, PriceKey, Quote, Unit

__all__ = ["DatedPrice", "PriceBook", "PriceKey", "Quote", "Recorded", "Unit", "load", "record"]

_COLUMNS = (
    "provider",
    "region",
    "sku",
    "unit",
    "pricing_model",
    "usd",
    "valid_from",
    "source",
)
_CENT_OF_A_MICRODOLLAR = Decimal("1E-8")  # the column's last place
_COLUMN_LIMIT = Decimal("1E8")
_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many prices of a load were added, and why the others were not."""

    inserted: int = 0
    unchanged: int = 0  # the price in force at that date is the same
    missing: int = 0  # 0, negative, NaN or absurd: lists write 0.0 for an unknown price
    conflicting: int = 0  # the book has another price of that very day, which stays


def load(keys: Iterable[PriceKey]) -> PriceBook:
    """The complete price history of `keys`, in one query (none for no keys)."""
    wanted: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key in keys:
        wanted[key.provider, key.region].add(key.sku)
    if not wanted:
        return PriceBook()
    condition = Q()
    for (provider, region), skus in wanted.items():
        condition |= Q(provider=provider, region=region, sku__in=skus)
    rows = Price.objects.filter(condition).order_by().values_list(*_COLUMNS)
    return PriceBook(DatedPrice(*row) for row in rows.iterator(chunk_size=_BATCH))


def record(prices: Iterable[DatedPrice]) -> Recorded:
    """Add the prices that differ from the one in force at their date; never change or delete one.

    Loading the same prices twice adds nothing. Call it in a transaction: a load is whole or not.
    """
    usable, missing = _usable(prices)
    book = load({PriceKey(price.provider, price.region, price.sku) for price in usable})
    new: list[DatedPrice] = []
    unchanged = conflicting = 0
    for price in usable:
        known = book.in_force(price.series, price.valid_from)
        if known and known.usd == price.usd:
            unchanged += 1
        elif known and known.valid_from == price.valid_from:
            conflicting += 1
        else:
            book.add(price)
            new.append(price)
    Price.objects.bulk_create(_rows(new), batch_size=_BATCH, ignore_conflicts=True)
    return Recorded(len(new), unchanged, missing, conflicting)


def _usable(prices: Iterable[DatedPrice]) -> tuple[list[DatedPrice], int]:
    usable = []
    missing = 0
    for price in prices:
        if not price.usd.is_finite() or price.usd >= _COLUMN_LIMIT:
            missing += 1
            continue
        usd = price.usd.quantize(_CENT_OF_A_MICRODOLLAR)
        if usd > 0:
            usable.append(replace(price, usd=usd))
        else:
            missing += 1
    usable.sort(key=lambda price: price.valid_from)  # oldest first: each is compared with the one before
    return usable, missing


def _rows(prices: Sequence[DatedPrice]) -> list[Price]:
    return [Price(**{column: getattr(price, column) for column in _COLUMNS}) for price in prices]
