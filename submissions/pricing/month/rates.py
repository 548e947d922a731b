"""What the parts of a month beside nodes and disks cost: by a dated price book, and as each cloud bills them."""

from decimal import Decimal

from submissions.choices import PricingModel
from submissions.formatting.names import place_name, provider_name
from submissions.pricing.book.quotes import PriceBook, PriceKey, Unit
from submissions.pricing.cost import Rate
from submissions.pricing.groups import Place
from submissions.pricing.providers import CROSS_ZONE_SKU, OBJECT_STORAGE_SKU, billing_of

NOT_BILLED = "runs on this machine are free"


def keys_of(provider: str, region: str | None) -> set[PriceKey]:
    """What a book must hold for the rates of a place."""
    if region is None:
        return set()
    return {PriceKey(provider, region, sku) for sku in (CROSS_ZONE_SKU, OBJECT_STORAGE_SKU)}


def zone_traffic_rate(place: Place, book: PriceBook, *, stated_usd: Decimal | None = None) -> Rate:
    """USD for each GB that goes from one zone to another: of the sender and the receiver, as far as each pays.

    `stated_usd` is the sum of both, and counts only where the book has no price.
    """
    billing = billing_of(place.provider)
    if not billing.sends_bill:
        return Rate(Decimal(0), place.on, NOT_BILLED)
    who = billing.zone_traffic
    if who is not None and not who.paying_sides:
        return Rate(Decimal(0), who.seen_on, who.source, last_seen=who.seen_on, used_on=place.on)
    rate = _rate(
        place, book, CROSS_ZONE_SKU, Unit.GB, what="traffic between zones", times=who.paying_sides if who else 1
    )
    if rate.usd is None and stated_usd is not None:
        return Rate(stated_usd, place.on, "stated in the plan", is_stated=True, used_on=place.on)
    return rate


def object_storage_rate(place: Place, book: PriceBook) -> Rate:
    """USD for a GiB in the object store of the cloud for a month."""
    return _rate(place, book, OBJECT_STORAGE_SKU, Unit.GIB_MONTH, what="object storage")


def address_rate(place: Place, *, is_spot: bool = False) -> Rate | None:
    """USD an hour for the public IPv4 address of a machine; None where none is known to be billed on that day."""
    for price in billing_of(place.provider).addresses:
        if place.on is not None and price.since <= place.on:
            usd = price.spot_usd if is_spot else _less_discount(place, price.usd)
            return Rate(usd, price.since, price.source, used_on=place.on)
    return None


def _rate(place: Place, book: PriceBook, sku: str, unit: str, *, what: str, times: int = 1) -> Rate:
    provider, region, on = place.provider, place.region, place.on
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
    usd = _less_discount(place, quote.usd * times)
    return Rate(usd, quote.valid_from, quote.source, last_seen=quote.last_seen, used_on=on)


def _less_discount(place: Place, usd: Decimal) -> Decimal:
    return place.discount.of(usd) if place.discount else usd
