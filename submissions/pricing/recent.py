"""Prices that were looked up lately, in the memory of the process for as long as the price book is the same."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import connections, router

from submissions.models import CompiledQuery, DataVersion, Price, VersionMemory
from submissions.models.data_version import Subject
from submissions.pricing.quotes import DatedPrice, PriceBook, PriceKey

MOST_KEYS = 1_000  # some ten prices each

_VERSION = CompiledQuery(lambda: DataVersion.objects.filter(subject=Subject.PRICES).order_by("pk").values_list("token"))
_PRICES = """SELECT provider, region, sku, unit, pricing_model, usd, valid_from, source, last_seen
FROM submissions_price
JOIN unnest(%s::text[], %s::text[], %s::text[]) AS wanted (provider, region, sku) USING (provider, region, sku)"""
_recent: VersionMemory[PriceKey, list[DatedPrice]] = VersionMemory(MOST_KEYS)


def load(keys: Collection[PriceKey], version: tuple[object, ...] | None = None) -> PriceBook:
    """As `book.load`, of few keys: one query asks for the version, and a second reads what is not in memory.

    With a `version` that this request has read before (`ApiToken.prices_version`) there is no first query.
    """
    if not keys:
        return PriceBook()
    version = tuple(token for (token,) in _VERSION.rows()) if version is None else version
    known = {key: _recent.get(version, key) for key in keys}
    if missing := [key for key, prices in known.items() if prices is None]:
        read = _read(missing)
        for key, prices in read.items():
            _recent.set(version, key, prices)
        known |= read
    return PriceBook(price for prices in known.values() for price in prices or ())


def _read(keys: Collection[PriceKey]) -> Mapping[PriceKey, list[DatedPrice]]:
    """Of each key, also of those that have none."""
    prices: dict[PriceKey, list[DatedPrice]] = {key: [] for key in keys}
    connection: Any = connections[router.db_for_read(Price)]  # benchsite/postgresql
    with connection.prepared_cursor() as cursor:
        cursor.execute(_PRICES, [list(column) for column in zip(*keys, strict=True)])
        for row in cursor.fetchall():
            prices[PriceKey(*row[:3])].append(DatedPrice(*row))
    return prices
