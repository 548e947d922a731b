"""How throughput grows with the nodes, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.parameters import known_parameters
from submissions.questions.scaling import query as scaling_queries
from submissions.questions.workload.choice import WorkloadChoice


class ScalingQuery(serializers.Serializer[Any]):
    workload = serializers.CharField(
        required=False,
        max_length=16,
        help_text="Fingerprint; without one that with the most submissions in series of several sizes",
    )
    provider = serializers.CharField(required=False, max_length=50)
    instance_type = serializers.CharField(
        required=False, max_length=100, help_text="Of the database nodes; without one the series with the most sizes"
    )


_ANSWER = inline_serializer(
    "Scaling",
    {
        "workload": serializers.CharField(allow_null=True, help_text="null: nothing was measured at several sizes"),
        "workload_title": serializers.CharField(allow_null=True),
        "provider": serializers.CharField(allow_null=True, help_text="Of the series that is shown"),
        "instance_type": serializers.CharField(allow_null=True),
        "points": inline_serializer(
            "ScalingPoint",
            {
                "node_count": serializers.IntegerField(),
                "client_count": serializers.IntegerField(
                    allow_null=True, help_text="null: unknown, or not the same in all submissions of the size"
                ),
                "throughput_ops_s": serializers.FloatField(help_text="Mean over the n submissions of the size"),
                "efficiency": serializers.FloatField(
                    help_text="Throughput per node against that of the smallest cluster: 1 = the same"
                ),
                "per_node": serializers.FloatField(help_text="ops/s"),
                "per_client": serializers.FloatField(allow_null=True, help_text="ops/s"),
                "n": serializers.IntegerField(),
                "newest_submission": serializers.IntegerField(),
            },
            many=True,
        ),
        "linearity_r2": serializers.FloatField(allow_null=True, help_text="null: fewer than three sizes"),
        "usl": inline_serializer(
            "UniversalScalabilityLaw",
            {
                "lambda": serializers.FloatField(help_text="ops/s of one node"),
                "sigma": serializers.FloatField(),
                "kappa": serializers.FloatField(),
                "peak_nodes": serializers.FloatField(allow_null=True, help_text="null: kappa is 0, no peak"),
            },
            allow_null=True,
            help_text="null: fewer than four sizes",
        ),
        "client_bound": serializers.BooleanField(
            allow_null=True, help_text="Whether the load clients seem to have been the limit; null: cannot be told"
        ),
        "differs": serializers.ListField(
            child=serializers.CharField(), help_text="What beside the nodes is not the same in all submissions"
        ),
        "series": inline_serializer(
            "ScalingSeries",
            {
                "provider": serializers.CharField(),
                "instance_type": serializers.CharField(),
                "sizes": serializers.IntegerField(),
                "submissions": serializers.IntegerField(),
            },
            many=True,
        ),
    },
)

_NOTHING: dict[str, Any] = {"workload": None, "workload_title": None}


class Scaling(APIView):
    """One series of one workload: clusters of one machine type at one provider."""

    @extend_schema(summary="How throughput grows with the nodes", parameters=[ScalingQuery], responses=_ANSWER)
    def get(self, request: Request) -> Response:
        known_parameters(request, "workload", "provider", "instance_type")
        asked = ScalingQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        workload = _workload(given.get("workload"))
        if workload is None:
            return Response({**scaling_queries.as_json(WorkloadChoice("", "", 0), [], None), **_NOTHING})
        found = scaling_queries.series(workload.fingerprint)
        chosen = scaling_queries.pick(found, given.get("provider", ""), given.get("instance_type", ""))
        if chosen is None:
            _refuse_unknown(given)
        return Response(scaling_queries.as_json(workload, found, chosen))


def _workload(fingerprint: str | None) -> WorkloadChoice | None:
    offered = scaling_queries.workloads()
    if fingerprint is None:
        return offered[0] if offered else None
    workload = scaling_queries.workload_of(fingerprint, offered)
    if workload is None:
        raise serializers.ValidationError({"workload": ["there is no such workload"]})
    return workload


def _refuse_unknown(given: dict[str, str]) -> None:
    named = [name for name in ("provider", "instance_type") if name in given]
    if named:
        raise serializers.ValidationError({named[-1]: ["this workload has no such series of two sizes or more"]})
