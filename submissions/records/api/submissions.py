"""GET and POST /api/v1/submissions/, one submission and its parts."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, CharField, Serializer
from rest_framework.views import APIView

from benchsite.pagination import KeysetPagination, Ordering, in_order, ordering_of
from submissions.api import documentation as docs
from submissions.api.bodies import BoundedBody, CSVRenderer, StreamedFormats
from submissions.api.parameters import flag_parameter, known_parameters
from submissions.api.permissions import MaySubmit
from submissions.choices import ArtifactKind
from submissions.formatting.csv import csv_response
from submissions.ingest import intervals
from submissions.ingest.files import storage
from submissions.ingest.pipeline import MAX_DOCUMENT_BYTES, Prepared, prepare_document
from submissions.ingest.retract import retract
from submissions.ingest.store import Stored, store
from submissions.models import Artifact, Submission, Trial
from submissions.records.api.parts import ArtifactSerializer, TrialWithHistogramsSerializer
from submissions.records.api.serializers import DryRunSerializer, RowSerializer, Whole, WholeSerializer
from submissions.records.list.filters import DEFAULT_ORDERING, ORDERINGS, SubmissionFilter

EXPORT_BATCH = 500
CSV_ON_GET = {"GET": (CSVRenderer,)}


class SubmissionList(BoundedBody, StreamedFormats, generics.ListAPIView[Submission]):
    """The published submissions, and the door for a new one."""

    permission_classes: ClassVar[list[type[BasePermission]]] = [MaySubmit]
    write_scope = "upload"
    max_body_bytes = MAX_DOCUMENT_BYTES
    streamed = CSV_ON_GET
    serializer_class = RowSerializer
    pagination_class = KeysetPagination
    filterset_class = SubmissionFilter
    orderings = ORDERINGS
    default_ordering = DEFAULT_ORDERING

    def get_queryset(self) -> QuerySet[Submission]:
        return Submission.objects.published().select_related("workload").defer("document", "notes")

    @docs.listing("submissions", csv=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.accepted_renderer.format == "csv":
            return self._export(request)
        return super().get(request, *args, **kwargs)

    @docs.submission
    def post(self, request: Request) -> Response:
        known_parameters(request, "dry_run")
        is_dry_run = flag_parameter(request, "dry_run")
        prepared = prepare_document(request.data)
        if is_dry_run:
            return Response(dry_run_of(prepared, request))
        return stored_response(store(prepared, submitted_by=request.user), request)

    def _export(self, request: Request) -> StreamingHttpResponse:
        """Every row that the filters leave, in the order asked for; memory holds one batch."""
        paging = [name for name in ("cursor", "page_size") if name in request.query_params]
        if paging:
            raise ValidationError({name: ["is for JSON: CSV has every row"] for name in paging})
        found = self.filter_queryset(self.get_queryset())
        ordered = in_order(found, ordering_of(request, self))
        columns = list(RowSerializer.Meta.fields)
        return csv_response(columns, self._cells(ordered, columns), "submissions.csv")

    def _cells(self, rows: QuerySet[Submission], columns: list[str]) -> Iterator[list[Any]]:
        serializer = self.get_serializer()
        for row in rows.iterator(chunk_size=EXPORT_BATCH):
            shown = serializer.to_representation(row)
            yield [shown[name] for name in columns]


class SubmissionDetail(APIView):
    """Everything about one submission, retracted ones too."""

    @docs.detail
    def get(self, request: Request, pk: int) -> Response:
        return Response(whole_of(pk, request))


class SubmissionPart(generics.ListAPIView[Any]):
    """Rows of one submission."""

    pagination_class = KeysetPagination
    lookup_url_kwarg = "pk"

    def owner(self) -> Submission:
        return get_object_or_404(Submission.objects.only("pk"), pk=self.kwargs["pk"])


class TrialList(SubmissionPart):
    queryset = Trial.objects.none()  # names the model; the rows are the owner's
    serializer_class = TrialWithHistogramsSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"index": Ordering("index", descending=False)}
    default_ordering = "index"

    def get_queryset(self) -> QuerySet[Trial]:
        return Trial.objects.filter(submission=self.owner())

    @docs.listing("trials of a submission")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class ArtifactList(SubmissionPart):
    queryset = Artifact.objects.none()
    serializer_class = ArtifactSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"id": Ordering("id", descending=False)}
    default_ordering = "id"

    def get_queryset(self) -> QuerySet[Artifact]:
        return Artifact.objects.filter(submission=self.owner())

    @docs.listing("raw files of a submission")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class IntervalSeries(StreamedFormats, APIView):
    """What the load tool printed while it ran, of every trial and client."""

    streamed = CSV_ON_GET

    @docs.intervals
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request)
        submission = get_object_or_404(Submission.objects.only("pk"), pk=pk)
        series = _series_of(submission)
        if request.accepted_renderer.format != "csv":
            return Response(series)
        columns = ["trial", "client", *series["columns"]]
        return csv_response(columns, _interval_rows(series), f"intervals-{pk}.csv")


class RetractionSerializer(Serializer[Any]):
    reason = CharField(max_length=500)


class Retraction(BoundedBody, APIView):
    """The owner takes a submission out of the lists; its page stays and says why."""

    permission_classes: ClassVar[list[type[BasePermission]]] = [MaySubmit]
    write_scope = "upload"
    max_body_bytes = 64 * 1024

    @docs.retraction(RetractionSerializer)
    def post(self, request: Request, pk: int) -> Response:
        known_parameters(request)
        submission = get_object_or_404(Submission, pk=pk)
        if submission.submitted_by_id != request.user.pk:
            raise PermissionDenied("only the account that submitted it may retract it")
        asked = RetractionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        retract(submission, reason=asked.validated_data["reason"])
        return Response(whole_of(pk, request))


def whole_of(pk: int, request: Request) -> dict[str, Any]:
    """Raises Http404."""
    found = Submission.objects.select_related("workload", "submitted_by")
    return _shown(WholeSerializer, Whole.stored(get_object_or_404(found, pk=pk)), request)


def dry_run_of(prepared: Prepared, request: Request) -> dict[str, Any]:
    return _shown(DryRunSerializer, Whole.prepared(prepared), request)


def stored_response(stored: Stored, request: Request) -> Response:
    """201 for a new submission, 200 with the first one for the same content again."""
    shown = whole_of(stored.submission.pk, request)
    status = 201 if stored.created else 200
    return Response(shown, status=status, headers={"Location": shown["url"]})


def _shown(serializer: type[BaseSerializer[Any]], what: Any, request: Request) -> dict[str, Any]:
    shown: dict[str, Any] = serializer(what, context={"request": request}).data
    return shown


def _series_of(submission: Submission) -> dict[str, Any]:
    artifact = submission.artifacts.filter(kind=ArtifactKind.INTERVALS).first()
    if artifact is None:
        return {"columns": list(intervals.COLUMNS), "trials": []}
    with storage.open_kept(artifact.sha256) as stored:
        return intervals.unpacked(stored.read())


def _interval_rows(series: dict[str, Any]) -> Iterator[list[Any]]:
    for trial in series["trials"]:
        for client, rows in enumerate(trial["clients"]):
            for row in rows:
                yield [trial["index"], client, *row]
