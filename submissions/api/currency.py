"""The currency of an answer: the parameter, and amounts shown in it while the answer is made."""

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from benchsite.http.from_data import from_data_of, match_of
from benchsite.http.streams import keep_context
from submissions.api.answers import AnswerSerializer
from submissions.formatting.currency import currencies, current, shown_in

CURRENCY = "currency"  # the parameter


def _choices() -> list[tuple[str, str]]:
    return [(code, code) for code in currencies()]


class CurrencyField(forms.ChoiceField):
    def __init__(self) -> None:
        super().__init__(
            label="Currency",
            required=False,
            choices=_choices,
            help_text=(
                "Amounts are shown in it too, at the ECB's reference rate of `rate_date`; fields named `usd` and "
                "limits in USD stay in USD"
            ),
        )


class CurrencyMiddleware:
    """Only of views that have the parameter: receipts, and what somebody paid, stay in USD."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        declared = from_data_of(match_of(request)) if request.META.get("QUERY_STRING") else None
        if declared is None or CURRENCY not in declared.parameters:
            return self.get_response(request)
        with shown_in(request.GET.get(CURRENCY, "")):
            response = self.get_response(request)
            keep_context(response)
        return response


HOURLY_STEP, CENT, VALUE_STEP = Decimal("1E-8"), Decimal("0.01"), Decimal("1E-4")  # last places of what is answered


@extend_schema_field({"type": ["string", "null"], "format": "decimal"})
class Cents(serializers.Field[Any, Any, Any, Any]):
    """USD, rounded to cents."""

    def to_representation(self, value: Decimal) -> str:
        return str(value.quantize(CENT))


@extend_schema_field({"type": "string", "format": "decimal"})
class _Converted(serializers.Field[Any, Any, Any, Any]):
    """An amount in the reader's currency: from USD that are not rounded, rounded once."""

    def __init__(self, *, step: Decimal, is_value: bool, **kwargs: Any):
        self.step, self.is_value = step, is_value
        super().__init__(required=False, allow_null=True, **kwargs)

    def to_representation(self, value: Decimal) -> str:
        own = current()
        converted = own.per_unit(value) if self.is_value else own.of_usd(value)
        return str(converted.quantize(self.step))


class MoneySerializer(serializers.Serializer[Any]):
    """With `currency` each amount in USD has the same beside it in that currency, with the day of its rate.

    `in_currency`: the name of a field in USD -> that of the converted one, and its last place; the value of a field in
    `per_usd` is what a dollar buys. Without the parameter an answer has none of them.
    """

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {}
    per_usd: ClassVar[Collection[str]] = ()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        is_described = self.root.instance is None  # the schema has them all
        if current().is_usd and not is_described:
            return fields
        found: dict[str, serializers.Field[Any, Any, Any, Any]] = {}
        for name, field in fields.items():
            found[name] = field
            if name in self.in_currency:
                new, step = self.in_currency[name]
                source = field.source or name
                words = f"As `{name}`, in `currency`; only with that parameter"
                is_value = name in self.per_usd
                found[new] = _Converted(step=step, is_value=is_value, source=source, help_text=words)
        found["currency"] = _CurrencyCode(source="*", required=False, help_text="Only with that parameter")
        found["rate_date"] = _RateDate(source="*", required=False, help_text="The day of its reference rate")
        return found


class _CurrencyCode(serializers.CharField):
    def to_representation(self, value: Any) -> str:
        return current().code


class _RateDate(serializers.DateField):
    def to_representation(self, value: Any) -> Any:
        day = current().day
        return None if day is None else super().to_representation(day)


class ReaderPricesSerializer(serializers.Serializer[Any]):
    """An answer with money: with `discount` and `currency` it says at which prices it is."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        is_described = self.root.instance is None
        form = self.context.get("form")
        discount = "" if form is None else form.data.get("discount", "")
        if discount or is_described:
            words = "As it was asked for; the answer is private. Only with that parameter"
            fields["discount"] = _Echo(discount, source="*", required=False, help_text=words)
        if is_described or not current().is_usd:
            words = "Units of `currency` for one USD, a reference rate of the European Central Bank"
            fields["currency"] = _CurrencyCode(source="*", required=False, help_text="Only with that parameter")
            fields["rate"] = _Rate(source="*", required=False, help_text=words)
            fields["rate_date"] = _RateDate(source="*", required=False)
        return fields


class PricedAnswerSerializer(ReaderPricesSerializer, AnswerSerializer):
    """That of a question whose answer has rows."""


class _Echo(serializers.CharField):
    def __init__(self, text: str = "", **kwargs: Any):
        self.text = text
        super().__init__(**kwargs)

    def to_representation(self, value: Any) -> str:
        return self.text


@extend_schema_field({"type": "string", "format": "decimal"})
class _Rate(serializers.Field[Any, Any, Any, Any]):
    def to_representation(self, value: Any) -> str:
        return str(current().rate)
