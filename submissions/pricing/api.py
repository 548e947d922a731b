"""The price book, as JSON and CSV."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework import serializers

from benchsite.pagination import Ordering
from submissions.api.fields import Money
from submissions.api.lists import CSVListView
from submissions.models import Price
from submissions.pricing.filters import PriceFilter


class PriceSerializer(serializers.ModelSerializer[Price]):
    """USD for one unit, in force from `valid_from` (a UTC day) until the next one; `last_seen` confirmed it last."""

    instance_type = serializers.CharField(source="sku", help_text="Or what else is priced")
    usd = Money()

    class Meta:
        model = Price
        fields = (
            "provider",
            "region",
            "instance_type",
            "unit",
            "pricing_model",
            "usd",
            "valid_from",
            "last_seen",
            "source",
        )
        read_only_fields = fields


class PriceList(CSVListView[Price]):
    summary = "List the prices"
    description = (
        "The dated price book; with `at` only the prices in force on that day. "
        "CSV has every row that the filters leave; JSON is paged."
    )
    serializer_class = PriceSerializer
    filterset_class = PriceFilter
    csv_name = "prices"
    orderings: ClassVar[dict[str, Ordering]] = {
        "instance_type": Ordering("sku", descending=False),
        "usd": Ordering("usd", descending=False),
        "-usd": Ordering("usd", descending=True),
        "-valid_from": Ordering("valid_from", descending=True),
        "-last_seen": Ordering("last_seen", descending=True),
    }
    default_ordering = "instance_type"

    def get_queryset(self) -> QuerySet[Price]:
        return Price.objects.all()
