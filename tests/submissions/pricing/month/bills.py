"""Clusters with their prices in memory: a month without a database."""

from datetime import date
from decimal import Decimal

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, PriceBook
from submissions.pricing.cost import system_cost
from submissions.pricing.groups import GroupSpec, Place, price_group
from submissions.pricing.month.month import Load, Month, month_of
from submissions.pricing.month.traffic import Rows
from submissions.pricing.storage import DiskSpec

TODAY = date(2026, 11, 27)
SEEN = date(2026, 10, 15)


def price(provider: str, region: str, sku: str, usd: str, unit: str = "hour", **fields) -> DatedPrice:
    return DatedPrice(
        provider, region, sku, unit, "on_demand", Decimal(usd), fields.pop("valid_from", SEEN), "a list", **fields
    )


def rows(written="0", read="0", row_bytes="1000", factor=3, **fields) -> Rows:
    def number(text):
        return None if text is None else Decimal(text)

    return Rows(number(written), number(read), number(row_bytes), factor, **fields)


def bill(
    *prices: DatedPrice,
    nodes: int = 6,
    disks: tuple[DiskSpec, ...] = (),
    zones: int = 3,
    written: Rows | None = None,
    **load,
) -> Month:
    """Of `nodes` machines of the type that is priced first, where it is priced."""
    first = prices[0]
    spec = GroupSpec("database", nodes, first.sku, disks, PricingModel.ON_DEMAND)
    book = PriceBook(prices)
    cost = system_cost([price_group(spec, place=Place(first.provider, first.region, TODAY), book=book)])
    loaded = Load(zones, written or rows(), nodes, **load)
    return month_of(cost, loaded, Place(first.provider, first.region, TODAY), book)
