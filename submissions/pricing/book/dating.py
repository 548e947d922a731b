"""How a price is dated, in the same words wherever it is shown."""

from collections.abc import Iterable
from datetime import date

from submissions.formatting.names import provider_name
from submissions.formatting.text import join_and
from submissions.pricing.book.confirmation import PriceDates


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
