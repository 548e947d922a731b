"""How a price is dated in words, and how long ago it was last seen: what still counts."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from submissions.choices import SPOT_PRICE_DAYS, PricingModel
from submissions.formatting.names import provider_name
from submissions.formatting.text import join_and

STALE_MONTHS = 12  # beyond them a figure says when its price was last confirmed
MONTHS_IN_WORDS = 24  # from then on years


def is_outdated(pricing_model: str, last_seen: date, on: date) -> bool:
    """Whether a spot price is too old for the day: then no spot price is known."""
    return pricing_model == PricingModel.SPOT and on - last_seen > timedelta(days=SPOT_PRICE_DAYS)


def months_unconfirmed(last_seen: date | None, on: date | None) -> int | None:
    """Full months between the last day on which a price was seen and the day that it is used for.

    None where that is at most 12 months, or one of the days is unknown.
    """
    if last_seen is None or on is None:
        return None
    months = (on.year - last_seen.year) * 12 + on.month - last_seen.month
    is_begun = on.day < last_seen.day
    is_more_than_a_year = months > STALE_MONTHS or (months == STALE_MONTHS and on.day > last_seen.day)
    return months - is_begun if is_more_than_a_year else None


def confirmed_words(last_seen: date | None, on: date | None) -> str:
    """ "last confirmed 14 months ago"; nothing where a price is fresh enough."""
    months = months_unconfirmed(last_seen, on)
    if not months:
        return ""
    return f"last confirmed {f'{months} months' if months < MONTHS_IN_WORDS else f'{months // 12} years'} ago"


class PriceDates(NamedTuple):
    """Where a price comes from: since when the price list has it, and the last day on which it was seen there."""

    provider: str
    since: date | None
    seen: date | None
    is_stated: bool = False


def price_words(prices: Iterable[PriceDates]) -> str:
    """ "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"; "stated by the uploader"; nothing if unknown.

    Of several prices the first and the last of each day.
    """
    every = set(prices)
    listed = {price for price in every if price.since and not price.is_stated}
    words = [_listed_words(listed)] if listed else []
    words += ["stated by the uploader"] if any(price.is_stated for price in every) else []
    return "; ".join(words)


def _listed_words(listed: set[PriceDates]) -> str:
    """The day of a price that was seen once is the day of both."""
    whose = join_and(sorted({provider_name(price.provider) for price in listed}))
    since = {price.since for price in listed if price.since}
    seen = {price.seen or price.since for price in listed if price.since}
    noun = "list price" if len(listed) == 1 else "list prices"
    if seen == since and len(since) == 1:
        return f"{whose} {noun} of {min(since)}"
    return f"{whose} {noun}, unchanged since {_span(since)}, seen {_span({day for day in seen if day})}"


def _span(days: set[date]) -> str:
    first, last = min(days), max(days)
    return str(first) if first == last else f"{first} (oldest) to {last} (newest)"
