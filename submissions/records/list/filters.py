"""Which submissions a list shows: one filter set for the API, the pages and the exports."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from drf_spectacular.utils import extend_schema_field

from benchsite.pagination import Ordering
from submissions.choices import (
    ConsistencyLevel,
    Flag,
    LatencyKind,
    LoadMode,
    NetworkEncryption,
    NetworkKind,
    PricingModel,
    Trust,
)
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.models import Price, Submission
from submissions.vocabulary import slug

MAX_VALUES = 50  # of one facet in one request
MAX_VALUE_CHARACTERS = 200
UNKNOWN = "unknown"  # the value of a facet whose column is null

# Every order of a list; the id makes each of them total, newest first.
ORDERINGS: Mapping[str, Ordering] = {
    **{
        f"{sign}{column}": Ordering(column, descending=bool(sign))
        for column in (
            "throughput_ops_s",
            "ops_per_usd",
            "latency_p99_ms",
            "hourly_usd",
            "usd_per_million_ops",
            "node_count",
            "measured_at",
        )
        for sign in ("-", "")
    },
    # ids are given in the order of creation, and are indexed
    "-created_at": Ordering("id", descending=True),
    "created_at": Ordering("id", descending=False),
}
DEFAULT_ORDERING = "-created_at"


class _AllValues(forms.SelectMultiple):
    """Reads every value of a repeated parameter: ?provider=aws&provider=gce."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        values = data.getlist(name) if hasattr(data, "getlist") else data.get(name, [])
        if isinstance(values, str):
            values = [values]
        return [value for value in values if value != ""]


class FacetField(forms.Field):
    """Several values of one column, None for `unknown`.

    `convert` says by a ValueError what is wrong with a value.
    """

    widget = _AllValues

    def __init__(self, *, convert: Callable[[str], Any] = str, is_nullable: bool, **kwargs: Any):
        self.convert = convert
        self.is_nullable = is_nullable
        super().__init__(**kwargs)

    def clean(self, value: list[str]) -> list[Any]:
        if len(value) > MAX_VALUES:
            raise ValidationError(f"takes at most {MAX_VALUES} values")
        return [self._one(item) for item in value]

    def _one(self, item: str) -> Any:
        if self.is_nullable and item == UNKNOWN:
            return None
        if len(item) > MAX_VALUE_CHARACTERS or "\x00" in item:
            raise ValidationError("is no value of this column")
        try:
            return self.convert(item)
        except ValueError as error:
            raise ValidationError(str(error)) from error


@extend_schema_field({"type": "array", "items": {"type": "string"}, "maxItems": MAX_VALUES})
class FacetFilter(django_filters.Filter):
    """Rows with any of the values; `unknown` stands for null where the column has it."""

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


def _member_of(closed_list: Iterable[str]) -> Callable[[str], str]:
    values = [str(member) for member in closed_list]

    def convert(text: str) -> str:
        if text not in values:
            raise ValueError(f"must be one of {', '.join(values)}")
        return text

    return convert


def _whole(highest: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:12]) <= highest:
            raise ValueError(f"must be a whole number from 1 to {highest}")
        return int(text)

    return convert


def _yes_or_no(**kwargs: Any) -> django_filters.TypedChoiceFilter:
    return django_filters.TypedChoiceFilter(
        choices=(("true", "yes"), ("false", "no")), coerce=lambda text: text == "true", **kwargs
    )


def _at_least(column: str, highest: float, label: str) -> django_filters.NumberFilter:
    return _bound(column, "gte", highest, label)


def _at_most(column: str, highest: float, label: str) -> django_filters.NumberFilter:
    return _bound(column, "lte", highest, label)


def _bound(column: str, lookup: str, highest: float, label: str) -> django_filters.NumberFilter:
    return django_filters.NumberFilter(
        field_name=column,
        lookup_expr=lookup,
        label=label,
        min_value=0,
        max_value=highest,
        max_digits=30,
    )


class SubmissionFilter(django_filters.FilterSet):
    """Facets may be repeated (any of the values) and `unknown` means null; the rest are limits."""

    service = FacetFilter(is_nullable=False, label="Service", convert=slug)
    service_version = FacetFilter(label="Service version")
    provider = FacetFilter(is_nullable=False, label="Provider", convert=slug)
    region = FacetFilter(label="Region", convert=slug)
    instance_type = FacetFilter(is_nullable=False, label="Instance type")
    cpu_model = FacetFilter(label="CPU model")
    disk_kind = FacetFilter(label="Disk", convert=slug)
    jdk_vendor = FacetFilter(label="JDK vendor", convert=slug)
    jdk_version = FacetFilter(label="JDK version")
    network_kind = FacetFilter(label="Network", convert=_member_of(NetworkKind))
    network_encryption = FacetFilter(label="Network encryption", convert=_member_of(NetworkEncryption))
    tool = FacetFilter(is_nullable=False, label="Load tool", convert=slug)
    operation = FacetFilter(is_nullable=False, label="Operation")
    consistency_level = FacetFilter(label="Consistency level", convert=_member_of(ConsistencyLevel))
    replication_factor = FacetFilter(label="Replication factor", convert=_whole(10_000))
    load_mode = FacetFilter(label="Load mode", convert=_member_of(LoadMode))
    threads = FacetFilter(label="Threads", convert=_whole(1_000_000))
    node_count = FacetFilter(is_nullable=False, label="Database nodes", convert=_whole(1_000_000))
    pricing_model = FacetFilter(label="Pricing model", convert=_member_of(PricingModel))
    latency_kind = FacetFilter(label="Latency kind", convert=_member_of(LatencyKind), is_nullable=False)
    trust = FacetFilter(is_nullable=False, label="Trust", convert=_member_of(Trust))
    workload = FacetFilter(is_nullable=False, field_name="workload__fingerprint", label="Workload fingerprint")
    flag = FacetFilter(label="Flag", convert=_member_of(Flag), is_nullable=False, method="filter_flag")
    is_flagged = _yes_or_no(label="Has flags", method="filter_is_flagged")
    is_priced = _yes_or_no(field_name="hourly_usd", lookup_expr="isnull", exclude=True, label="Has a price")
    min_throughput = _at_least("throughput_ops_s", MAX_OPS_S, "Throughput at least, ops/s")
    max_throughput = _at_most("throughput_ops_s", MAX_OPS_S, "Throughput at most, ops/s")
    max_p99_ms = _at_most("latency_p99_ms", MAX_LATENCY_MS, "p99 at most, ms")
    min_hourly_usd = _at_least("hourly_usd", 1e8, "Cluster cost at least, USD/h")
    max_hourly_usd = _at_most("hourly_usd", 1e8, "Cluster cost at most, USD/h")
    min_ops_per_usd = _at_least("ops_per_usd", 1e19, "Operations per dollar at least")
    min_node_count = _at_least("node_count", 1e6, "Database nodes at least")
    max_node_count = _at_most("node_count", 1e6, "Database nodes at most")
    measured_after = django_filters.IsoDateTimeFilter(
        field_name="measured_at", lookup_expr="gte", label="Measured at or after"
    )
    measured_before = django_filters.IsoDateTimeFilter(
        field_name="measured_at", lookup_expr="lt", label="Measured before"
    )

    class Meta:
        model = Submission
        fields: list[str] = []

    def filter_flag(self, queryset: QuerySet[Submission], name: str, value: list[str]) -> QuerySet[Submission]:
        return queryset.filter(flags__overlap=value) if value else queryset

    def filter_is_flagged(self, queryset: QuerySet[Submission], name: str, value: bool) -> QuerySet[Submission]:
        return queryset.exclude(flags=[]) if value else queryset.filter(flags=[])


FACETS = tuple(name for name, filter_ in SubmissionFilter.base_filters.items() if isinstance(filter_, FacetFilter))


class PriceFilter(django_filters.FilterSet):
    """The price book; with `at` only the prices in force on that day (UTC)."""

    provider = FacetFilter(is_nullable=False, label="Provider", convert=slug)
    region = FacetFilter(is_nullable=False, label="Region", convert=slug)
    instance_type = FacetFilter(is_nullable=False, field_name="sku", label="Instance type, or what else is priced")
    unit = FacetFilter(is_nullable=False, label="Unit", convert=_member_of(Price.Unit))
    pricing_model = FacetFilter(is_nullable=False, label="Pricing model", convert=_member_of(PricingModel))
    at = django_filters.DateFilter(label="In force on", method="filter_at")

    class Meta:
        model = Price
        fields: list[str] = []

    def filter_at(self, queryset: QuerySet[Price], name: str, value: date) -> QuerySet[Price]:
        series = ("provider", "region", "sku", "unit", "pricing_model")
        newer = Price.objects.filter(
            **{column: OuterRef(column) for column in series},
            valid_from__gt=OuterRef("valid_from"),
            valid_from__lte=value,
        )
        return queryset.filter(~Exists(newer), valid_from__lte=value)
