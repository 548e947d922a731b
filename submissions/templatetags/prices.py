"""How pages say when the price of a figure was last confirmed."""

from datetime import date

from django import template

from submissions.models import Submission
from submissions.pricing import reprice

register = template.Library()


@register.filter
def price_confirmed(row: Submission) -> str:
    """ "last confirmed 14 months ago"; nothing where the price is fresh, stated or unknown."""
    return reprice.confirmed(row) if row.hourly_usd is not None else ""


@register.filter
def price_day(row: Submission) -> date | None:
    """The day to which the price is known to hold: not that on which it was first seen, which may be years before."""
    return reprice.price_day(row)
