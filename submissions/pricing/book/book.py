"""The price book in the database: loads dated prices in one query, records new ones, changes no price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db import connection, connections, router, transaction
from django.db.backends.utils import CursorWrapper

from submissions.models import Price
from submissions.pricing.book.quotes import DatedPrice, PriceBook, PriceKey, Quote, Unit

__all__ = ["DatedPrice", "PriceBook", "PriceKey", "Quote", "Recorded", "Unit", "copy", "load", "record"]

_COLUMNS = (
    "provider",
    "region",
    "sku",
    "unit",
    "pricing_model",
    "usd",
    "valid_from",
    "source",
    "last_seen",
)
_LOAD = f"""SELECT {", ".join(_COLUMNS)} FROM submissions_price
JOIN unnest(%s::text[], %s::text[], %s::text[]) AS wanted (provider, region, sku) USING (provider, region, sku)"""
_VALUES = {"usd", "source", "last_seen"}  # the other columns say which price it is
_CENT_OF_A_MICRODOLLAR = Decimal("1E-8")  # the column's last place
_COLUMN_LIMIT = Decimal("1E8")
_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many prices of a load were added, and why the others were not."""

    inserted: int = 0
    unchanged: int = 0  # the price in force at that date is the same: seen again
    missing: int = 0  # 0, negative, NaN or absurd: lists write 0.0 for an unknown price
    conflicting: int = 0  # the book has another price of that very day, which stays
    is_known: bool = False  # the same file was loaded before: it was not read again

    def __str__(self) -> str:
        if self.is_known:
            return "loaded before, nothing new"
        return (
            f"{self.inserted} new prices, {self.unchanged} unchanged, {self.missing} missing, "
            f"{self.conflicting} in conflict with another price of the same day"
        )


def load(keys: Iterable[PriceKey]) -> PriceBook:
    """The complete price history of `keys`, in one query (none for no keys)."""
    wanted = list(zip(*set(keys), strict=True))
    if not wanted:
        return PriceBook()
    primary: Any = connections[router.db_for_read(Price)]  # benchsite/postgresql
    with primary.prepared_cursor() as cursor:
        cursor.execute(_LOAD, [list(column) for column in wanted])
        return PriceBook(DatedPrice(*row) for row in cursor.fetchall())


def record(prices: Iterable[DatedPrice]) -> Recorded:
    """Add the prices that differ from the one in force at their date; the others move its `last_seen`.

    No price is changed or deleted. Loading the same prices twice adds nothing. Call it in a transaction: a load
    is whole or not.
    """
    usable, missing = _usable(prices)
    book = load({PriceKey(price.provider, price.region, price.sku) for price in usable})
    rows: dict[tuple[str, ...], DatedPrice] = {}  # to be written: new ones, and those that were seen later
    inserted = unchanged = conflicting = 0
    for price in usable:
        known = book.in_force(price.series, price.valid_from)
        if known and known.usd == price.usd:
            unchanged += 1
            last = rows.get(_key(known), known)
            if price.last_seen > last.last_seen:
                rows[_key(known)] = replace(last, last_seen=price.last_seen)
        elif known and known.valid_from == price.valid_from:
            conflicting += 1
        else:
            book.add(price)
            rows[_key(price)] = price
            inserted += 1
    Price.objects.bulk_create(
        _rows(rows.values()),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=[column for column in _COLUMNS if column not in _VALUES],
        update_fields=["last_seen"],
    )
    return Recorded(inserted, unchanged, missing, conflicting)


_STAGE = """CREATE TEMPORARY TABLE copied_price (LIKE submissions_price) ON COMMIT DROP;
ALTER TABLE copied_price ALTER id DROP NOT NULL, ALTER created_at DROP NOT NULL"""
_INSERT = """INSERT INTO submissions_price AS known
(provider, region, sku, unit, pricing_model, usd, valid_from, source, last_seen)
SELECT provider, region, sku, unit, pricing_model, usd, valid_from, source, last_seen FROM copied_price
ON CONFLICT (provider, region, sku, unit, pricing_model, valid_from) DO UPDATE SET last_seen = excluded.last_seen
WHERE known.usd = excluded.usd AND known.last_seen < excluded.last_seen"""
_COUNT_CONFLICTS = """SELECT count(*) FROM copied_price AS given JOIN submissions_price AS known
USING (provider, region, sku, unit, pricing_model, valid_from) WHERE given.usd <> known.usd"""


def copy(text: bytes, columns: Sequence[str]) -> Recorded:
    """Add the prices of a file, as CSV without repetitions; as `record`, at the speed of the database."""
    with transaction.atomic(), connection.cursor() as cursor:
        before = Price.objects.count()
        if before == 0:
            _copy_into(cursor, "submissions_price", text, columns)
            recorded = Recorded(inserted=cursor.rowcount)
        else:
            recorded = _merge(cursor, text, columns, before)
        cursor.execute("ANALYZE submissions_price")  # its statistics are of a much smaller table
    return recorded


def _merge(cursor: CursorWrapper, text: bytes, columns: Sequence[str], before: int) -> Recorded:
    cursor.execute(_STAGE)
    _copy_into(cursor, "copied_price", text, columns)
    copied = cursor.rowcount
    cursor.execute(_INSERT)
    inserted = Price.objects.count() - before
    conflicting = _conflicts(cursor)
    cursor.execute("DROP TABLE copied_price")
    return Recorded(inserted, copied - inserted - conflicting, 0, conflicting)


def _copy_into(cursor: CursorWrapper, table: str, text: bytes, columns: Sequence[str]) -> None:
    with cursor.cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT csv, HEADER)") as stream:
        stream.write(text)


def _conflicts(cursor: CursorWrapper) -> int:
    cursor.execute(_COUNT_CONFLICTS)
    count: int = cursor.fetchone()[0]
    return count


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


def _key(price: DatedPrice) -> tuple[str, ...]:
    return (*price.series, price.valid_from.isoformat())


def _rows(prices: Iterable[DatedPrice]) -> list[Price]:
    return [Price(**{column: getattr(price, column) for column in _COLUMNS}) for price in prices]
