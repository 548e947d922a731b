"""What the parts of a month beside nodes and disks cost: by a dated price book, and as each cloud bills them."""

from datetime import date
from decimal import Decimal

from submissions.choices import PricingModel
from submissions.formatting.names import place_name, provider_name
from submissions.pricing.book.quotes import PriceBook, PriceKey
from submissions.pricing.cost import Rate
from submissions.pricing.providers import CROSS_ZONE_SKU, OBJECT_STORAGE_SKU, billing_of

GB = "gb"
GB_MONTH = "gb_month"
NOT_BILLED = "runs on this machine are free"


def keys_of(provider: str, region: str | None) -> set[PriceKey]:
    """What a book must hold for the rates of a place."""
    if region is None:
        return set()
    return {PriceKey(provider, region, sku) for sku in (CROSS_ZONE_SKU, OBJECT_STORAGE_SKU)}


def zone_traffic_rate(
    provider: str, region: str | None, on: date | None, book: PriceBook, *, stated_usd: Decimal | None = None
) -> Rate:
    """USD for each GB that goes from one zone to another: of the sender and the receiver, as far as each pays.

    `stated_usd` is the sum of both, and counts only where the book has no price.
    """
    billing = billing_of(provider)
    if not billing.sends_bill:
        return Rate(Decimal(0), on, NOT_BILLED)
    who = billing.zone_traffic
    if who is not None and not who.paying_sides:
        return Rate(Decimal(0), who.seen_on, who.source, last_seen=who.seen_on, used_on=on)
    rate = _rate(book, provider, region, on, CROSS_ZONE_SKU, GB, what="traffic between zones")
    if rate.usd is not None:
        return _times(rate, 1 if who is None else who.paying_sides)
    return rate if stated_usd is None else Rate(stated_usd, on, "stated in the plan", is_stated=True, used_on=on)


def object_storage_rate(provider: str, region: str | None, on: date | None, book: PriceBook) -> Rate:
    """USD for a GB in the object store of the cloud for a month."""
    return _rate(book, provider, region, on, OBJECT_STORAGE_SKU, GB_MONTH, what="object storage")


def address_rate(provider: str, on: date | None, *, is_spot: bool = False) -> Rate | None:
    """USD an hour for the public IPv4 address of a machine; None where none is known to be billed on that day."""
    for price in billing_of(provider).addresses:
        if on is not None and price.since <= on:
            return Rate(price.spot_usd if is_spot else price.usd, price.since, price.source, used_on=on)
    return None


def _rate(
    book: PriceBook, provider: str, region: str | None, on: date | None, sku: str, unit: str, *, what: str
) -> Rate:
    if region is None:
        return Rate(None, missing=f"no price of {what}: the region is not stated")
    if on is None:
        return Rate(None, missing=f"no price of {what}: the measurement date is not stated")
    if not billing_of(provider).has_list_prices:
        return Rate(None, missing=f"no price of {what}: {provider_name(provider)} has no price list here")
    quote = book.quote(
        provider=provider, region=region, sku=sku, unit=unit, pricing_model=PricingModel.ON_DEMAND, on=on
    )
    if quote is None:
        return Rate(None, missing=f"the price of {what} in {place_name(provider, region)} on {on} is unknown")
    return Rate(quote.usd, quote.valid_from, quote.source, last_seen=quote.last_seen, used_on=on)


def _times(rate: Rate, sides: int) -> Rate:
    usd = None if rate.usd is None else rate.usd * sides
    return Rate(usd, rate.price_date, rate.source, last_seen=rate.last_seen, used_on=rate.used_on)
