"""How pages date the price of a figure."""

from django import template

from submissions.machines import sentences as machine_words
from submissions.models import Submission
from submissions.pricing import reprice
from submissions.pricing.book import dating
from submissions.pricing.cost import SystemCost
from submissions.pricing.machines.addresses import machine_address

register = template.Library()

register.filter(machine_words.disk_words)
register.filter(machine_words.verdict_words)
register.filter(machine_address)


@register.filter
def price_confirmed(row: Submission) -> str:
    """ "last confirmed 14 months ago"; nothing where the price is fresh, stated or unknown."""
    return reprice.confirmed(row) if row.hourly_usd is not None else ""


@register.filter
def price_words(row: Submission) -> str:
    """ "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"; nothing where the price is unknown."""
    return dating.price_words(reprice.price_dates([row]))


@register.filter
def cost_words(cost: SystemCost, provider: str) -> str:
    """The same of a cost that is no row's."""
    return dating.price_words(cost.dates(provider))
