"""GET /api/v1/submissions/, one submission, its parts and raw files, and its retraction."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema, inline_serializer
from pydantic_core import to_json
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.pagination import KeysetPagination, Ordering
from submissions.api.bodies import BoundedBody, CSVRenderer, StreamedFormats
from submissions.api.lists import CSVListView
from submissions.api.parameters import known_parameters
from submissions.api.permissions import MaySubmit
from submissions.api.schema import CSV_TEXT, JSON
from submissions.choices import ArtifactKind
from submissions.formatting.csv import csv_response
from submissions.ingest import intervals
from submissions.ingest.files import storage
from submissions.ingest.interval_rows import read_rows
from submissions.ingest.retract import retract
from submissions.models import Artifact, Submission, Trial
from submissions.records.api.parts import ArtifactSerializer, TrialWithHistogramsSerializer
from submissions.records.api.serializers import SubmissionRowSerializer, SubmissionSerializer, submission_json
from submissions.records.downloads import response_of
from submissions.records.list.filters import DEFAULT_ORDERING, ORDERINGS, SubmissionFilter


class SubmissionList(CSVListView[Submission]):
    """The published submissions."""

    summary = "List the submissions"
    csv_name = "submissions"
    serializer_class = SubmissionRowSerializer
    filterset_class = SubmissionFilter
    orderings = ORDERINGS
    default_ordering = DEFAULT_ORDERING

    def get_queryset(self) -> QuerySet[Submission]:
        return Submission.objects.published().select_related("workload").defer("document", "notes")


class SubmissionDetail(APIView):
    """Everything about one submission, retracted ones too."""

    summary = "Everything about one submission"

    @extend_schema(responses=SubmissionSerializer)
    def get(self, request: Request, pk: int) -> Response:
        return Response(submission_json(pk, request))


class SubmissionPart(generics.ListAPIView[Any]):
    """Rows of one submission."""

    pagination_class = KeysetPagination
    lookup_url_kwarg = "pk"

    def submission(self) -> Submission:
        return get_object_or_404(Submission.objects.only("pk"), pk=self.kwargs["pk"])


class TrialList(SubmissionPart):
    """The repetitions of the load, with their histograms."""

    summary = "List the trials of a submission"
    queryset = Trial.objects.none()  # names the model for the schema
    serializer_class = TrialWithHistogramsSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"index": Ordering("index", descending=False)}
    default_ordering = "index"

    def get_queryset(self) -> QuerySet[Trial]:
        return Trial.objects.filter(submission=self.submission())


class ArtifactList(SubmissionPart):
    """The raw files that were submitted, and what was made of them."""

    summary = "List the raw files of a submission"
    queryset = Artifact.objects.none()  # names the model for the schema
    serializer_class = ArtifactSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"id": Ordering("id", descending=False)}
    default_ordering = "id"

    def get_queryset(self) -> QuerySet[Artifact]:
        return Artifact.objects.filter(submission=self.submission())


@require_safe
def download(request: HttpRequest, pk: int, artifact: int) -> HttpResponseBase:
    """The bytes of a raw file of submission `pk`: always a download, never something that a browser would run."""
    return response_of(get_object_or_404(Artifact, pk=artifact, submission_id=pk), request)


_INTERVALS = inline_serializer(
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


class IntervalSeries(StreamedFormats, APIView):
    """What the load tool printed while it ran, for each trial and client."""

    summary = "The interval series that the load tool printed"
    streamed = {"GET": (CSVRenderer,)}

    @extend_schema(responses={JSON: _INTERVALS, **CSV_TEXT})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request)
        submission = get_object_or_404(Submission.objects.only("pk"), pk=pk)
        pieces = _stored_pieces(submission)
        if request.accepted_renderer.format != CSVRenderer.format:
            return StreamingHttpResponse(pieces, content_type="application/json")
        columns, rows = read_rows(pieces)
        named = ([row.trial, row.client, *row.values] for row in rows)
        return csv_response(["trial", "client", *columns], named, f"intervals-{pk}.csv")


def _stored_pieces(submission: Submission) -> Iterator[bytes]:
    """The series as JSON, never all of it in memory: a day of a chatty load tool is a million rows."""
    artifact = submission.artifacts.filter(kind=ArtifactKind.INTERVALS, removed_at=None).first()
    if artifact is None:
        return iter([to_json({"columns": intervals.COLUMNS, "trials": []})])
    try:
        return intervals.json_pieces(storage.open_stored(artifact.sha256))
    except FileNotFoundError as error:
        raise Http404 from error


class RetractionSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=500)


class Retraction(BoundedBody, APIView):
    """The owner removes a submission from the lists; its page stays and gives the reason."""

    summary = "Retract your submission"
    permission_classes = (MaySubmit,)
    write_scope = "upload"
    max_body_bytes = 64 * 1024

    @extend_schema(request=RetractionSerializer, responses=SubmissionSerializer)
    def post(self, request: Request, pk: int) -> Response:
        known_parameters(request)
        submission = get_object_or_404(Submission, pk=pk)
        if submission.submitted_by_id != request.user.pk:
            raise PermissionDenied("only the account that submitted it may retract it")
        body = RetractionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        retract(submission, reason=body.validated_data["reason"])
        return Response(submission_json(pk, request))
