"""What a result costs its reader, beside its stored list prices: `discount` and `currency` of the API's results."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from copy import copy
from decimal import Decimal
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from submissions.api.currency import CENT, HOURLY_STEP, VALUE_STEP, MoneySerializer
from submissions.api.fields import Money
from submissions.formatting.currency import Currency, shown_in
from submissions.models import Submission
from submissions.pricing.cost import HOURS_PER_MONTH
from submissions.pricing.reprice import at_reader_prices
from submissions.pricing.terms import PriceTerms, ReaderPricesForm

NAME = "your_price"
YOUR_PRICE = "Only with `discount` or `currency`: the stored cost less the discount, and in that currency"
PARAMETERS = tuple(ReaderPricesForm.base_fields)


class YourPriceSerializer(MoneySerializer):
    """Of the prices that are stored with the result, less the discount of its cloud."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "hourly_usd": ("hourly", HOURLY_STEP),
        "usd_per_month": ("per_month", CENT),
        "ops_per_usd": ("ops_per_unit", VALUE_STEP),
        "usd_per_million_ops": ("per_million_ops", HOURLY_STEP),
    }
    per_usd: ClassVar[Collection[str]] = ("ops_per_usd",)
    is_only_json = True  # no column of a CSV

    hourly_usd = Money(allow_null=True)
    usd_per_month = Money(allow_null=True, help_text="730 hours")
    ops_per_usd = Money(allow_null=True)
    usd_per_million_ops = Money(allow_null=True)

    def get_attribute(self, instance: Any) -> Any:
        raise serializers.SkipField  # it is added to what was represented


def prices_form(request: Request) -> ReaderPricesForm | None:
    """None where the reader pays list prices in USD. Raises ValidationError at each wrong parameter."""
    if not any(request.query_params.get(name) for name in PARAMETERS):
        return None
    form = ReaderPricesForm(request.query_params)
    if not form.is_valid():
        raise ValidationError({name: [str(error) for error in errors] for name, errors in form.errors.items()})
    return form


def add_your_prices(answers: Collection[dict[str, Any]], rows: Collection[Submission], form: ReaderPricesForm) -> None:
    """To the answer of each row, by its id. Two queries with a discount."""
    shown = {row.pk: copy(row) for row in rows}
    at_reader_prices(list(shown.values()), PriceTerms(discounts=form.cleaned_data["discount"]))
    with _in_currency(form):
        for answer in answers:
            row = shown[answer["id"]]
            month = None if row.hourly_usd is None else row.hourly_usd * HOURS_PER_MONTH
            costs = {name: getattr(row, name) for name in ("hourly_usd", "ops_per_usd", "usd_per_million_ops")}
            answer[NAME] = _YourPrice({**costs, "usd_per_month": month}).data


class _YourPrice(YourPriceSerializer):
    def __init__(self, costs: Mapping[str, Decimal | None]):
        serializers.Serializer.__init__(self, costs)


def _in_currency(form: ReaderPricesForm) -> AbstractContextManager[Currency]:
    return shown_in(form.cleaned_data["currency"])
