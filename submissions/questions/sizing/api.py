"""Which configurations reach a throughput, and what they cost, as JSON."""

from typing import Any

from django.core.exceptions import ValidationError as InvalidValue
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.parameters import known_parameters
from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.questions.sizing import answer as sizing_answers
from submissions.questions.sizing import query as sizing_queries
from submissions.questions.sizing.form import MOST_ZONES, Asker, BadQuestion

MAX_ID = 2**63 - 1
LEAST_TARGET = 1e-6
MAX_FACTOR = 10_000


def _finite(value: float) -> None:
    # "nan" is a number to Python, and neither below nor above a limit
    if value != value:
        raise InvalidValue("A valid number is required.")


class SizeQuery(serializers.Serializer[Any]):
    target_ops_s = serializers.FloatField(
        required=False,
        min_value=LEAST_TARGET,
        max_value=MAX_OPS_S,
        validators=[_finite],
        help_text="What is to be reached; this or equal_to",
    )
    equal_to = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, help_text="A submission whose throughput is to be reached"
    )
    workload = serializers.CharField(
        required=False, max_length=16, help_text="Fingerprint; without one that with the most submissions"
    )
    max_p99_ms = serializers.FloatField(
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        validators=[_finite],
        help_text="Only sizes measured within it count",
    )
    latency_kind = serializers.ChoiceField(
        required=False, choices=LatencyKind.pairs(), help_text="Of the limit; without one what most of them know"
    )
    replication_factor = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_FACTOR, help_text="That of the workload, which holds for no other"
    )
    zones = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_ZONES, help_text="Node counts are multiples of it"
    )
    basis = serializers.ChoiceField(required=False, choices=PricingModel.pairs(), help_text="on_demand without one")
    at = serializers.DateField(
        required=False, help_text="At the prices of that day; without it of the day of each measurement"
    )
    trust = serializers.ChoiceField(required=False, choices=Trust.pairs(), help_text="At least")


_MONEY = serializers.CharField(allow_null=True, help_text="USD; null: a price is unknown, see price_missing")
_ANSWER = inline_serializer(
    "Sizing",
    {
        "workload": serializers.CharField(allow_null=True, help_text="null: there is none to size for"),
        "workload_title": serializers.CharField(allow_null=True),
        "replication_factor": serializers.IntegerField(allow_null=True),
        "target_ops_s": serializers.FloatField(allow_null=True, help_text="null: relative, see equal_to"),
        "equal_to": serializers.IntegerField(allow_null=True),
        "max_p99_ms": serializers.FloatField(allow_null=True),
        "latency_kind": serializers.CharField(allow_null=True),
        "zones": serializers.IntegerField(),
        "basis": serializers.CharField(),
        "at": serializers.DateField(allow_null=True, help_text="null: the prices of the day of each measurement"),
        "total": serializers.IntegerField(),
        "candidates": inline_serializer(
            "SizeCandidate",
            {
                "submission": serializers.IntegerField(help_text="The measured one that is nearest in size"),
                "provider": serializers.CharField(),
                "region": serializers.CharField(allow_null=True),
                "instance_type": serializers.CharField(),
                "node_count": serializers.IntegerField(help_text="Database nodes"),
                "nodes_per_zone": serializers.IntegerField(allow_null=True),
                "cache": inline_serializer(
                    "SizeCache",
                    {"instance_type": serializers.CharField(), "node_count": serializers.IntegerField()},
                    many=True,
                ),
                "throughput_ops_s": serializers.FloatField(allow_null=True, help_text="Expected of so many nodes"),
                "relative_throughput": serializers.FloatField(allow_null=True),
                "extrapolated": serializers.BooleanField(help_text="Outside the node counts that were measured"),
                "measured_node_counts": serializers.ListField(child=serializers.IntegerField()),
                "n": serializers.IntegerField(help_text="Submissions behind them"),
                "hourly_usd": _MONEY,
                "usd_per_month": serializers.CharField(allow_null=True, help_text="730 hours"),
                "share_of_base_cost": serializers.FloatField(allow_null=True, help_text="Of the cost of equal_to"),
                "price_date": serializers.DateField(allow_null=True, help_text="The oldest among the prices used"),
                "is_price_stated": serializers.BooleanField(),
                "price_missing": serializers.CharField(allow_blank=True),
                "usable_tb": serializers.FloatField(allow_null=True, help_text="TB of disks / replication factor"),
                "tb_per_zone": serializers.FloatField(allow_null=True, help_text="TB of the disks of one zone"),
                "is_base": serializers.BooleanField(help_text="equal_to itself, as it was measured"),
            },
            many=True,
        ),
    },
)


class Sizing(APIView):
    """Configurations of one workload that reach a throughput, the cheapest first."""

    @extend_schema(summary="How many nodes a throughput needs", parameters=[SizeQuery], responses=_ANSWER)
    def get(self, request: Request) -> Response:
        known_parameters(request, *SizeQuery().fields)
        asked = SizeQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        if "target_ops_s" not in given and "equal_to" not in given:
            raise serializers.ValidationError({"target_ops_s": ["This field is required, or equal_to."]})
        try:
            question = Asker(given).question()
        except BadQuestion as error:
            raise serializers.ValidationError({error.parameter: [error.detail]}) from error
        if question is None:
            return Response(_nothing(given))
        return Response(sizing_answers.as_json(question, sizing_queries.answer(question)))


def _nothing(given: dict[str, Any]) -> dict[str, Any]:
    """No workload was ever measured, or none with that replication factor."""
    return {
        **dict.fromkeys(("workload", "workload_title", "equal_to", "latency_kind")),
        "replication_factor": given.get("replication_factor"),
        "target_ops_s": given.get("target_ops_s"),
        "max_p99_ms": given.get("max_p99_ms"),
        "zones": given.get("zones", 1),
        "basis": given.get("basis", PricingModel.ON_DEMAND.value),
        "at": given.get("at"),
        "total": 0,
        "candidates": [],
    }
