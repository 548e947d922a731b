"""The answer of scaling: its JSON, the columns of its CSV and its schema."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from submissions.analysis.cluster_size.usl import Usl
from submissions.api.answers import AnswerSerializer
from submissions.api.fields import credits_field
from submissions.questions.boards.trust_filter import trust_filter_field, uploaded_field
from submissions.questions.scaling.query import ScalingResult, Series, SeriesPoint


class ScalingPointSerializer(serializers.Serializer[SeriesPoint]):
    node_count = serializers.IntegerField(source="size.node_count")
    client_count = serializers.IntegerField(
        source="size.client_count",
        allow_null=True,
        help_text="null: unknown, or not the same in all submissions of the size",
    )
    throughput_ops_s = serializers.FloatField(
        source="size.throughput_ops_s", help_text="Mean over the n submissions of the size"
    )
    efficiency = serializers.FloatField(
        source="scaled.efficiency", help_text="Throughput per node relative to the smallest cluster: 1 = the same"
    )
    per_node = serializers.FloatField(source="scaled.per_node", help_text="ops/s")
    per_client = serializers.FloatField(source="scaled.per_client", allow_null=True, help_text="ops/s")
    n = serializers.IntegerField(source="size.n", help_text="Submissions of this size")
    curves = serializers.IntegerField(
        help_text="Of the n, those at a load of their curve, because it keeps `max_p99_ms`"
    )
    newest_submission = serializers.IntegerField(source="newest")


@extend_schema_serializer(component_name="UniversalScalabilityLaw")
class UslSerializer(serializers.Serializer[Usl]):
    sigma = serializers.FloatField()
    kappa = serializers.FloatField()
    peak_nodes = serializers.FloatField(allow_null=True, help_text="null: kappa is 0, no peak")

    def get_fields(self) -> dict[str, Any]:
        # a keyword of Python, so that it cannot be an attribute
        lambda_ = serializers.FloatField(source="lambda_", help_text="ops/s of one node")
        return {"lambda": lambda_, **super().get_fields()}


class ScalingSeriesSerializer(serializers.Serializer[Series]):
    provider = serializers.CharField(source="key.provider")
    instance_type = serializers.CharField(source="key.instance_type")
    sizes = serializers.SerializerMethodField()
    submissions = serializers.IntegerField()

    def get_sizes(self, series: Series) -> int:
        return len(series.points)


class ScalingSerializer(AnswerSerializer):
    """One series of one workload, and which others there are."""

    csv_rows = "points"
    csv_name = "scaling"

    workload = serializers.CharField(
        source="workload.fingerprint", allow_null=True, help_text="null: nothing was measured at several sizes"
    )
    workload_title = serializers.CharField(source="workload.title", allow_null=True)
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    max_p99_ms = serializers.FloatField(
        allow_null=True,
        help_text="The limit that all submissions keep, load curves at their highest load that keeps it",
    )
    latency_kind = serializers.CharField(allow_null=True, help_text="Of `max_p99_ms`")
    p99_unknown = serializers.IntegerField(
        help_text="Submissions that the limit leaves out because their p99 is unknown"
    )
    provider = serializers.CharField(source="chosen.key.provider", allow_null=True, help_text="Of the series shown")
    instance_type = serializers.CharField(source="chosen.key.instance_type", allow_null=True)
    points = ScalingPointSerializer(many=True)
    linearity_r2 = serializers.FloatField(
        source="chosen.scaling.linearity_r2", allow_null=True, help_text="null: fewer than three sizes"
    )
    usl = UslSerializer(source="chosen.scaling.usl", allow_null=True, help_text="null: fewer than four sizes")
    client_bound = serializers.BooleanField(
        source="chosen.scaling.client_bound",
        allow_null=True,
        help_text="Whether the load clients seem to have been the limit; null: unknown",
    )
    differs = serializers.SerializerMethodField(
        help_text="Facts, apart from the nodes, that are not the same in all submissions"
    )
    series = ScalingSeriesSerializer(many=True)
    credits = credits_field()

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_differs(self, result: ScalingResult) -> list[str]:
        return list(result.chosen.differs) if result.chosen else []
