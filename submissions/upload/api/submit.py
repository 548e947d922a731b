"""POST /api/v1/submissions/: a whole submission as JSON, and how an upload is answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchsite.http.strict_json import MAX_DOCUMENT_BYTES
from submissions.api.bodies import BoundedBody, json_response, represented
from submissions.api.parameters import PAGING, api_from_data, flag_parameter, known_parameters
from submissions.api.permissions import MaySubmit
from submissions.ingest.checks.outliers import with_outliers_flagged
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.pipeline import Prepared, prepare_document
from submissions.ingest.provenance import SourcedFact
from submissions.ingest.store import rows
from submissions.ingest.store.data_columns import memory_of
from submissions.ingest.store.insert import NewRows
from submissions.ingest.store.store import store
from submissions.licenses import UPLOADS
from submissions.models import Artifact, Submission, Workload
from submissions.models.versions.data_version import Subject
from submissions.records.api.reader_prices import PARAMETERS as YOUR_PRICE_PARAMETERS
from submissions.records.api.serializers import SubmissionResource, SubmissionSerializer, stored_json
from submissions.records.api.submissions import SubmissionList
from submissions.records.list.filters import SubmissionFilter

DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    default=False,
    description="Answers 200 with what would be stored, and stores nothing",
)


# what a dry run has not
_OF_STORED = ("id", "url", "link", "created_at", "published_at", "supersedes", "superseded_by")


class UnderstoodSerializer(serializers.Serializer[Any]):
    """A fact and its source: log, uploader, price book, file or day of receipt."""

    pointer = serializers.CharField()
    value = serializers.JSONField()
    source = serializers.CharField()  # type: ignore[assignment]


class DryRunSerializer(SubmissionSerializer):
    """What would be stored, each fact with its source, and what the logs left unclear."""

    understood = UnderstoodSerializer(many=True)
    warnings = serializers.ListField(child=serializers.CharField())

    class Meta(SubmissionSerializer.Meta):
        fields = (
            *(name for name in SubmissionSerializer.Meta.fields if name not in _OF_STORED),
            "understood",
            "warnings",
        )
        read_only_fields = fields


@api_from_data(*Subject, parameters=(*SubmissionFilter.base_filters, *PAGING, *YOUR_PRICE_PARAMETERS))
class SubmissionCollection(BoundedBody, SubmissionList):
    """GET lists submissions, POST adds one."""

    permission_classes = (MaySubmit,)
    write_scope = "upload"
    max_body_bytes = MAX_DOCUMENT_BYTES

    @extend_schema(
        summary="Submit results",
        description="The same content again answers 200 with the first submission. You publish it under CC BY 4.0.",
        parameters=[DRY_RUN],
        request=SubmissionDocument,
        responses={
            201: OpenApiResponse(SubmissionSerializer, "stored"),
            200: OpenApiResponse(
                PolymorphicProxySerializer(
                    "KnownOrDryRun", [SubmissionSerializer, DryRunSerializer], resource_type_field_name=None
                ),
                "the first submission of this content, or the outcome of a dry run",
            ),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        known_parameters(request, "dry_run")
        is_dry_run = flag_parameter(request, "dry_run")
        content: Any = request.data  # what is no object is refused
        prepared = prepare_document(content)
        if is_dry_run:
            return Response(dry_run_json(prepared, request))
        stored = store(prepared, submitted_by=request.user)  # type: ignore[arg-type] # MaySubmit: an account
        answer = stored_json(stored, request)
        # 200: the same content was there before
        return json_response(request, answer, 201 if stored.created else 200, {"Location": answer["url"]})


@dataclass(frozen=True)
class PreparedResource(SubmissionResource):
    """A submission as it would be stored, with the source of each fact."""

    understood: Sequence[SourcedFact] = ()
    warnings: Sequence[str] = ()


def dry_run_json(prepared: Prepared, request: Request) -> dict[str, Any]:
    flagged = with_outliers_flagged(prepared, request.user)  # type: ignore[arg-type] # MaySubmit: an account
    answer: dict[str, Any] = represented(DryRunSerializer, _resource(flagged), request)
    return answer


def _resource(prepared: Prepared) -> PreparedResource:
    workload = Workload(**rows.workload_columns(prepared))
    columns = rows.submission_columns(prepared, memory_of([prepared.content]))
    new = NewRows(
        Submission(workload=workload, license=UPLOADS.spdx, **columns),
        rows.trial_columns(prepared),
        rows.node_group_columns(prepared),
        load_points=rows.load_point_columns(prepared),
    )
    files = [
        Artifact(
            trial_index=owned.trial_index,
            kind=owned.file.kind.value,
            name=owned.file.member.name,
            sha256=owned.file.member.sha256,
            size_bytes=owned.file.member.size_bytes,
            original_sha256=owned.file.member.original_sha256,
            lines_not_read=owned.file.reading.lines_not_read_count,
            first_lines_not_read=list(owned.file.reading.lines_not_read),
        )
        for owned in prepared.files
    ]
    submission, trials, groups, points = new.as_read()
    return PreparedResource(
        submission,
        trials,
        groups,
        files,
        points,
        is_new=True,
        understood=prepared.understood,
        warnings=prepared.warnings,
    )
