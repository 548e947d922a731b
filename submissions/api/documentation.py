"""What the OpenAPI schema says beyond what the views show by themselves."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    inline_serializer,
)
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.request import Request

from submissions.accounts.serializers import NewTokenSerializer, TokenSerializer
from submissions.api.schema import FaultSerializer
from submissions.ingest.document.submission import SubmissionDocument
from submissions.records.api import serializers as shown

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

CSV = (200, "text/csv")
JSON = (200, "application/json")


class Schema(SpectacularAPIView):
    """The schema itself, of the one version that there is."""

    def _get_version_parameter(self, request: Request) -> None:
        return None  # the library's would stand in a header as it came


def listing(what: str, *, csv: bool = False) -> Decorator:
    """The summary of a list; with `csv` it is also streamed whole as CSV."""
    if not csv:
        return extend_schema(summary=f"List the {what}")
    return extend_schema(
        summary=f"List the {what}",
        description="CSV has every row that the filters leave; JSON is paged.",
        parameters=[_format("json", "csv")],
        responses={JSON: shown.RowSerializer(many=True), CSV: OpenApiTypes.STR},
    )


def _format(*values: str) -> OpenApiParameter:
    return OpenApiParameter("format", str, enum=values, default=values[0], description="Also by the Accept header")


DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    default=False,
    description="Answers 200 with what would be stored, and stores nothing",
)

submission = extend_schema(
    summary="Submit results",
    description="The same content again answers 200 with the first submission.",
    parameters=[DRY_RUN],
    request=SubmissionDocument,
    responses={
        201: OpenApiResponse(shown.WholeSerializer, "stored"),
        200: OpenApiResponse(
            PolymorphicProxySerializer(
                "KnownOrDryRun",
                [shown.WholeSerializer, shown.DryRunSerializer],
                resource_type_field_name=None,
            ),
            "the first submission of this content, or what a dry run found",
        ),
    },
)
detail = extend_schema(summary="Everything about one submission", responses=shown.WholeSerializer)

_SERIES = inline_serializer(
    "Intervals",
    {
        "columns": serializers.ListField(child=serializers.CharField()),
        "trials": inline_serializer(
            "TrialIntervals",
            {
                "index": serializers.IntegerField(),
                "clients": serializers.ListField(
                    child=serializers.ListField(child=serializers.ListField()),
                    help_text="For each client its rows, in the order of `columns`",
                ),
            },
            many=True,
        ),
    },
)
intervals = extend_schema(
    summary="The interval series that the load tool printed",
    parameters=[_format("json", "csv")],
    responses={JSON: _SERIES, CSV: OpenApiTypes.STR},
)


def retraction(request: type[serializers.Serializer[Any]]) -> Decorator:
    return extend_schema(summary="Retract your submission", request=request, responses=shown.WholeSerializer)


_FORM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["metadata", "log"],
    "properties": {
        "metadata": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "The document of POST submissions/ without `trials`; what the logs tell"
            " may be left out, what contradicts them is refused",
        },
        "log": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "string", "format": "binary"},
            "description": "Logs, plain, gzip, zip or tar",
        },
        "trial": {
            "type": "array",
            "items": {"type": "string"},
            "description": "For each log the trial it belongs to; clients that ran together share one",
        },
    },
}
_IMPORTED = inline_serializer("Imported", {"submissions": shown.WholeSerializer(many=True)})
_STATUS_URL = inline_serializer("Accepted", {"status_url": serializers.URLField()})
log_import = extend_schema(
    summary="Submit raw logs",
    description="One submission, or one for each thread count of a log of `-rate auto`.",
    parameters=[DRY_RUN],
    request={"multipart/form-data": _FORM},
    responses={
        201: OpenApiResponse(_IMPORTED, "stored"),
        200: OpenApiResponse(
            PolymorphicProxySerializer(
                "ImportedBeforeOrDryRun",
                [
                    _IMPORTED,
                    inline_serializer("ImportDryRun", {"submissions": shown.DryRunSerializer(many=True)}),
                ],
                resource_type_field_name=None,
            ),
            "all of it was there before, or what a dry run found",
        ),
        202: OpenApiResponse(_STATUS_URL, "large: a worker reads it"),
    },
)
upload_status = extend_schema(
    summary="What became of a large import",
    responses=inline_serializer(
        "UploadStatus",
        {
            "status": serializers.CharField(help_text="queued, running, failed or done"),
            "submission": serializers.URLField(allow_null=True, help_text="The first one's page"),
            "submissions": serializers.ListField(child=serializers.URLField()),
            "errors": FaultSerializer(many=True),
        },
    ),
)
bulk = extend_schema(
    summary="Submit many results",
    description=(
        "NDJSON: a submission document a line. The answer has a line for each, in order:"
        ' {"line", "status": 201 | 200 | 400, "id", "url", "errors"}; a line that is refused'
        " stops no other."
    ),
    request={"application/x-ndjson": OpenApiTypes.STR},
    responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
)


def leaderboard(query: type[serializers.Serializer[Any]]) -> Decorator:
    group = inline_serializer(
        "RankedGroup",
        {
            "rank": serializers.CharField(help_text='"4", or "1-3" where noise hides who is first'),
            "rank_first": serializers.IntegerField(),
            "rank_last": serializers.IntegerField(),
            "name": serializers.CharField(),
            "figure": serializers.FloatField(help_text="Of the best submission, in `unit`"),
            "interval": serializers.ListField(
                child=serializers.FloatField(),
                allow_null=True,
                help_text="95 %, of the mean; null with one trial, and of a p99",
            ),
            "n": serializers.IntegerField(help_text="Trials of the best submission"),
            "submissions": serializers.IntegerField(help_text="In the group"),
            "submission": serializers.IntegerField(help_text="The best one"),
            "ratio_to_leader": serializers.FloatField(),
            "ratio_interval": serializers.ListField(
                child=serializers.FloatField(),
                allow_null=True,
                help_text="95 %; null of the leader, and where nothing tells the noise",
            ),
            "verdict": serializers.CharField(
                allow_null=True,
                help_text="Against the leader, corrected for all pairs: worse, within noise, too few trials",
            ),
            "throughput_ops_s": serializers.FloatField(),
            "latency_p99_ms": serializers.FloatField(allow_null=True),
            "latency_kind": serializers.CharField(),
            "hourly_usd": serializers.CharField(allow_null=True),
            "ops_per_usd": serializers.CharField(allow_null=True),
            "price_date": serializers.DateField(allow_null=True),
            "trust": serializers.CharField(),
        },
        many=True,
    )
    answer = inline_serializer(
        "Leaderboard",
        {
            "workload": serializers.CharField(),
            "workload_title": serializers.CharField(),
            "by": serializers.CharField(),
            "metric": serializers.CharField(),
            "unit": serializers.CharField(),
            "higher_is_better": serializers.BooleanField(),
            "latency_kind": serializers.CharField(allow_null=True),
            "sentence": serializers.CharField(),
            "spread_cv": serializers.FloatField(
                allow_null=True, help_text="Pooled coefficient of variation of equal runs, a fraction"
            ),
            "groups_count": serializers.IntegerField(help_text="`groups` has the 50 best"),
            "groups": group,
            "not_ranked": serializers.DictField(child=serializers.IntegerField(), help_text="Submissions by reason"),
        },
    )
    return extend_schema(summary="Rank one workload, with ties", parameters=[query], responses=answer)


index = extend_schema(summary="Where everything is", responses=OpenApiResponse({"type": "object"}, "name -> address"))
token_list = extend_schema(
    summary="List your tokens",
    responses=inline_serializer(
        "TokenPage",
        {
            "next": serializers.URLField(allow_null=True),
            "results": TokenSerializer(many=True),
        },
    ),
)
token_create = extend_schema(
    summary="Make a token; it is shown this one time",
    request=TokenSerializer,
    responses={201: NewTokenSerializer},
)
token_revoke = extend_schema(summary="Revoke a token", responses={204: None})
