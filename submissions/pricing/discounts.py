"""Percent off the list prices of clouds, as a reader pays them: `aws:25,gce:10`.

They are no part of what is stored: a discounted answer is its reader's alone (benchsite/http/private_parameters.py).
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django import forms

from submissions.formatting.names import provider_name
from submissions.formatting.numbers import significant
from submissions.formatting.text import join_and
from submissions.pricing.providers import list_price_providers

DISCOUNT = "discount"  # the parameter
LONGEST = 500
_MOST_DIGITS = 6  # of a percentage
_FORM = "Write each cloud with its discount in percent, such as aws:25,gce:10."


class Discount(NamedTuple):
    provider: str
    percent: Decimal  # off its list prices

    def of(self, usd: Decimal) -> Decimal:
        """What is left of a list price, not rounded."""
        return usd * (100 - self.percent) / 100 if self.percent else usd


Discounts = tuple[Discount, ...]  # by provider: a key


def discount_of(discounts: Discounts, provider: str) -> Discount:
    return next((each for each in discounts if each.provider == provider), Discount(provider, Decimal(0)))


def discount_words(discounts: Discounts) -> str:
    """ "less 25 % on AWS and 10 % on Google Cloud"; "" without one."""
    named = [f"{significant(percent, _MOST_DIGITS)} % on {provider_name(provider)}" for provider, percent in discounts]
    return f"less {join_and(named)}" if named else ""


def discount_text(discounts: Discounts) -> str:
    """As the parameter has it."""
    return ",".join(f"{provider}:{percent.normalize():f}" for provider, percent in discounts)


class DiscountField(forms.CharField):
    """`discount=aws:25,gce:10` as Discounts."""

    def __init__(self) -> None:
        clouds = ", ".join(list_price_providers())
        super().__init__(
            label="Discount (%)",
            required=False,
            max_length=LONGEST,
            help_text=(
                f"Percent off the list prices of a cloud, such as aws:25,gce:10; clouds: {clouds}. Not on spot prices, "
                "nor on prices that an uploader or vendor stated. The answer is private and stored nowhere"
            ),
        )

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        return tuple(sorted(_discounts_in(text))) if text else ()


def _discounts_in(text: str) -> Iterator[Discount]:
    seen = set()
    for part in text.split(","):
        name, colon, number = part.partition(":")
        provider = name.strip().lower()
        if not colon or not provider:
            raise forms.ValidationError(_FORM)
        if provider not in list_price_providers():
            known = join_and(list(list_price_providers()))
            raise forms.ValidationError(f"{provider[:50]} is no cloud with list prices: known are {known}.")
        if provider in seen:
            raise forms.ValidationError(f"{provider} has two discounts: name each cloud once.")
        seen.add(provider)
        percent = _percent(provider, number)
        if percent:
            yield Discount(provider, percent)


def _percent(provider: str, number: str) -> Decimal:
    try:
        percent = Decimal(number.strip().removesuffix("%").strip())
    except InvalidOperation:
        raise forms.ValidationError(f"{provider} has no number. {_FORM}") from None
    if not percent.is_finite() or not 0 <= percent < 100:
        raise forms.ValidationError(f"The discount of {provider} must be at least 0 and less than 100 percent.")
    exponent = percent.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > _MOST_DIGITS:
        raise forms.ValidationError(f"The discount of {provider} has more than {_MOST_DIGITS} decimal places.")
    return percent
