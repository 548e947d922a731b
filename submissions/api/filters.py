"""Filters of lists: a facet may be repeated, a day is written one way."""

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema_field

from submissions.api.facet_field import MAX_VALUES, FacetField
from submissions.api.forms import DayField


@extend_schema_field({"type": "array", "items": {"type": "string"}, "maxItems": MAX_VALUES})
class FacetFilter(django_filters.Filter):
    """Rows with any of the values; `unknown` means null where the column has it."""

    field_class = FacetField

    def __init__(self, *args: Any, is_nullable: bool = True, **kwargs: Any):
        super().__init__(*args, is_nullable=is_nullable, **kwargs)

    def filter(self, queryset: QuerySet[Any], value: list[Any]) -> QuerySet[Any]:
        if not value:
            return queryset
        wanted = Q(**{f"{self.field_name}__in": [item for item in value if item is not None]})
        if None in value:
            wanted |= Q(**{f"{self.field_name}__isnull": True})
        return queryset.filter(wanted)


class DayFilter(django_filters.DateFilter):
    field_class = DayField
