"""Which prices a search finds: one filter set for the page and the API."""

from datetime import date

import django_filters
from django.db.models import Q, QuerySet

from submissions import facts
from submissions.api.facet_field import member_of
from submissions.api.filters import DayFilter, FacetFilter
from submissions.choices import PricingModel
from submissions.models import Price, PriceQuerySet
from submissions.pricing.providers import PROVIDERS_WITH_CAPITALS
from submissions.vocabulary import slug


class PriceFilter(django_filters.FilterSet):
    """The price book; with `at` only the prices in force on that day (UTC)."""

    provider = FacetFilter(is_nullable=False, label=facts.PROVIDER.label, convert=slug)
    region = FacetFilter(is_nullable=False, label=facts.REGION.label, convert=slug)
    instance_type = FacetFilter(
        is_nullable=False, field_name="sku", label=f"{facts.INSTANCE_TYPE.label}, or another priced item"
    )
    q = django_filters.CharFilter(field_name="sku", method="filter_start", max_length=100, label="The name begins with")
    unit = FacetFilter(is_nullable=False, label="Unit", convert=member_of(Price.Unit))
    pricing_model = FacetFilter(is_nullable=False, label=facts.PRICING_MODEL.label, convert=member_of(PricingModel))
    at = DayFilter(label="In force on", method="filter_at")

    class Meta:
        model = Price
        fields: list[str] = []

    def filter_start(self, queryset: PriceQuerySet, name: str, value: str) -> QuerySet[Price]:
        """In upper and lower case; an index finds the names without capitals."""
        with_capitals = Q(provider__in=PROVIDERS_WITH_CAPITALS, sku__istartswith=value)
        return queryset.filter(Q(sku__startswith=value.lower()) | with_capitals)

    def filter_at(self, queryset: PriceQuerySet, name: str, value: date) -> QuerySet[Price]:
        return queryset.in_force(value)
