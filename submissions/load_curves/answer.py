"""A load curve in the API: its points, and the highest rate at a limit."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from pydantic_core import to_json
from rest_framework import serializers

from submissions.analysis.curves.load_curve import Confidence
from submissions.choices import Percentile
from submissions.models import LoadPoint


@extend_schema_serializer(component_name="AtSlo")
class AtSloSerializer(serializers.Serializer[Any]):
    """The highest measured rate that keeps a limit of the latency in every trial; nothing is interpolated."""

    percentile = serializers.ChoiceField(choices=Percentile.pairs())
    max_ms = serializers.FloatField()
    max_error_share = serializers.FloatField(help_text="A fraction of all operations of a trial")
    ops_s = serializers.FloatField(allow_null=True, help_text="null: no measured rate is known to keep it")
    bracket = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        min_length=2,
        max_length=2,
        help_text="The highest rate that kept it, the lowest higher one that broke it; null where there is none",
    )
    confidence = serializers.ListField(
        child=serializers.ChoiceField(choices=[(each.value, each.value) for each in Confidence]),
        help_text="The evidence for the rate: see the methodology",
    )
    usd_per_month = serializers.CharField(
        allow_null=True, help_text="730 hours of the cluster; null: its cost is unknown, or ops_s is"
    )
    usd_per_million_ops = serializers.CharField(allow_null=True, help_text="At that rate")


@extend_schema_field(AtSloSerializer)
class AtSloField(serializers.Field[Any, Any, Any, Any]):
    """As it is stored; a cell of a CSV is JSON."""

    def __init__(self, **kwargs: Any):
        help_text = "Of a load curve, at its own limit, else p99 of 10 ms with 0.1 % errors; null without a curve"
        super().__init__(read_only=True, allow_null=True, help_text=help_text, **kwargs)

    def to_representation(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return value

    def as_cell(self, value: Mapping[str, Any]) -> str:
        return to_json(value).decode()


class LoadPointSerializer(serializers.ModelSerializer[LoadPoint]):
    """The trials at one load, in order of load; latencies of `worst` are the highest of the trials."""

    class Meta:
        model = LoadPoint
        fields = (
            "index",
            "offered_ops_s",
            "threads",
            "trials_count",
            "throughput_ops_s",
            "throughput_low_ops_s",
            "throughput_high_ops_s",
            "latency_kind",
            "latency_mean_ms",
            "latency_p50_ms",
            "latency_p95_ms",
            "latency_p99_ms",
            "latency_p999_ms",
            "latency_max_ms",
            "worst_p50_ms",
            "worst_p95_ms",
            "worst_p99_ms",
            "worst_p999_ms",
            "error_share",
            "operations",
            "is_sustained",
            "is_comparable",
            "is_of_slowest",
            "is_peak",
        )
        read_only_fields = fields
