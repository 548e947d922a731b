"""The month of an answer as JSON, and its schema."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.api.currency import CENT, MoneySerializer
from submissions.api.fields import Money
from submissions.pricing.month.kinds import Kind
from submissions.questions.recommend.month.result import ZonesFrom


@extend_schema_field({"type": ["string", "null"], "format": "decimal"})
class _Cents(serializers.Field[Any, Any, Any, Any]):
    def to_representation(self, value: Decimal) -> str:
        return str(value.quantize(CENT))


class MonthItemSerializer(MoneySerializer):
    """quantity x unit_usd = usd, for a month."""

    csv_cell = "{label}: {usd}"
    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {"usd": ("amount", CENT)}

    kind = serializers.ChoiceField(choices=Kind.pairs())
    label = serializers.CharField()  # type: ignore[assignment]
    quantity = Money(allow_null=True, help_text="null: unknown, see missing")
    unit = serializers.CharField(help_text="Of the price book: hour, gb, gib_month, ...")
    unit_usd = Money(allow_null=True, help_text="Of traffic, what sender and receiver pay together")
    usd = Money(allow_null=True)
    price_date = serializers.DateField(allow_null=True, help_text="Since when the price is in force")
    price_source = serializers.CharField(source="source", allow_null=True)
    missing = serializers.CharField(allow_blank=True, help_text="Why usd is null")


class MonthSerializer(MoneySerializer):
    """What a month of 730 hours costs."""

    in_currency: ClassVar[Mapping[str, tuple[str, Decimal]]] = {
        "total_usd": ("total", CENT),
        "in_three_zones_usd": ("in_three_zones", CENT),
    }

    items = MonthItemSerializer(source="month.items", many=True)
    total_usd = _Cents(source="month.total_usd", allow_null=True, help_text="null: a part is unknown, see missing")
    missing = serializers.CharField(
        source="month.missing", allow_blank=True, help_text="Which part is unknown, and why"
    )
    zones = serializers.IntegerField(source="month.zones")
    zones_from = serializers.ChoiceField(
        choices=ZonesFrom.pairs(), help_text="assumed: the result does not state its zones, and one is counted"
    )
    in_three_zones_usd = _Cents(
        allow_null=True, help_text="What traffic between three zones would add; null: unknown, or not applicable"
    )
    not_included = serializers.ListField(source="month.not_included", child=serializers.CharField())
