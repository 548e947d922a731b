"""When a price was last seen: what still counts, and what a reader must be told."""

from datetime import date, timedelta
from typing import NamedTuple

from submissions.choices import SPOT_PRICE_DAYS, PricingModel

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
