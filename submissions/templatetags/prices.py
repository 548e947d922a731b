"""How pages say when the price of a figure was last confirmed."""

from django import template

from submissions.models import Submission
from submissions.pricing.reprice import confirmed

register = template.Library()


@register.filter
def price_confirmed(row: Submission) -> str:
    """ "last confirmed 14 months ago"; nothing where the price is fresh, stated or unknown."""
    return confirmed(row) if row.hourly_usd is not None else ""
