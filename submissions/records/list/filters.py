"""Which submissions a list shows: one filter set for the API, the pages and the exports."""

from collections.abc import Callable, Mapping
from typing import Any

import django_filters
from django.db.models import QuerySet

from benchsite.pagination import Ordering
from submissions.api.filters import FacetFilter, member_of
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
from submissions.models import Submission
from submissions.vocabulary import slug

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
    network_kind = FacetFilter(label="Network", convert=member_of(NetworkKind))
    network_encryption = FacetFilter(label="Network encryption", convert=member_of(NetworkEncryption))
    tool = FacetFilter(is_nullable=False, label="Load tool", convert=slug)
    operation = FacetFilter(is_nullable=False, label="Operation")
    consistency_level = FacetFilter(label="Consistency level", convert=member_of(ConsistencyLevel))
    replication_factor = FacetFilter(label="Replication factor", convert=_whole(10_000))
    load_mode = FacetFilter(label="Load mode", convert=member_of(LoadMode))
    threads = FacetFilter(label="Threads", convert=_whole(1_000_000))
    node_count = FacetFilter(is_nullable=False, label="Database nodes", convert=_whole(1_000_000))
    pricing_model = FacetFilter(label="Pricing model", convert=member_of(PricingModel))
    latency_kind = FacetFilter(label="Latency kind", convert=member_of(LatencyKind), is_nullable=False)
    trust = FacetFilter(is_nullable=False, label="Trust", convert=member_of(Trust))
    workload = FacetFilter(is_nullable=False, field_name="workload__fingerprint", label="Workload fingerprint")
    flag = FacetFilter(label="Flag", convert=member_of(Flag), is_nullable=False, method="filter_flag")
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
