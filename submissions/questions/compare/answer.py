"""The comparison of two submissions as the API answers it."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from submissions.analysis.compare import Ratio
from submissions.analysis.documents import differs
from submissions.questions.compare.query import CompareResult
from submissions.questions.compare.sentences import finding


class RatioSerializer(serializers.Serializer[Ratio]):
    ratio = serializers.FloatField(help_text="b / a")
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="95 %; null where the noise is unknown",
    )
    verdict = serializers.CharField(
        allow_null=True, help_text="better, worse, within noise, too few trials; null: another workload"
    )
    trials_needed = serializers.IntegerField(
        allow_null=True,
        help_text="More trials per side to detect this difference with a power of 80 %; null: detected, or over 100",
    )
    trials_needed_low = serializers.IntegerField(
        allow_null=True, help_text="The same at 6 % noise instead of 12 %, where the noise is unknown"
    )
    basis = serializers.CharField(help_text="own trials, other submissions of the workload, usual noise of clouds")
    p_value = serializers.FloatField(allow_null=True, help_text="Two-sided, under equal systems")
    rank_test_p = serializers.FloatField(
        allow_null=True, help_text="Mann-Whitney test; null where there are too few trials for it"
    )


class DifferenceSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    a = serializers.JSONField(help_text="Any JSON value; null: not stated")
    b = serializers.JSONField(help_text="As a")


@extend_schema_serializer(component_name="Comparison")
class CompareSerializer(serializers.Serializer[CompareResult]):
    """Of b compared with a."""

    a = serializers.IntegerField(source="first.submission.pk")
    b = serializers.IntegerField(source="second.submission.pk")
    throughput = RatioSerializer(source="second.against_first.throughput", allow_null=True)
    ops_per_usd = RatioSerializer(source="second.against_first.ops_per_usd", allow_null=True)
    latency_p99 = RatioSerializer(source="second.against_first.latency_p99", allow_null=True)
    same_workload = serializers.BooleanField(source="second.against_first.same_workload")
    differs = serializers.SerializerMethodField()
    sentence = serializers.SerializerMethodField()

    @extend_schema_field(DifferenceSerializer(many=True))
    def get_differs(self, result: CompareResult) -> list[dict[str, Any]]:
        differences = differs(result.first.submission.document, result.second.submission.document)
        return [dict(row) for row in DifferenceSerializer(differences, many=True).data]

    def get_sentence(self, result: CompareResult) -> str:
        return finding(result.first, result.second)
