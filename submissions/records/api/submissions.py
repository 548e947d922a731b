"""GET /api/v1/submissions/, one submission, its parts and raw files, and its retraction."""

from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property
from drf_spectacular.utils import extend_schema, inline_serializer
from pydantic_core import to_json
from rest_framework import generics, serializers
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http import problems
from benchsite.http.compression import encoding_of
from benchsite.http.from_data import not_shared
from benchsite.http.pagination import KeysetPagination, Last, Ordering
from benchsite.http.refusals import Refusal
from benchsite.http.strict_json import MAX_DOCUMENT_BYTES
from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.api.bodies import BoundedBody, CSVRenderer, StreamedFormats, json_response
from submissions.api.forms import openapi_parameters
from submissions.api.lists import CSVListView
from submissions.api.parameters import LINK_KEY_PARAMETER, PAGING, api_from_data, known_parameters
from submissions.api.permissions import BearerAuthentication, MaySubmit
from submissions.api.schema import CSV_TEXT, JSON
from submissions.choices import ArtifactKind
from submissions.formatting.csv import csv_response
from submissions.ingest.changes.change import AmendmentBody, change
from submissions.ingest.changes.retract import retract
from submissions.ingest.curves import intervals
from submissions.ingest.curves.interval_rows import read_rows
from submissions.ingest.files import storage
from submissions.load_curves.at_slo import limit_of
from submissions.load_curves.form import LimitForm
from submissions.models import LINK_KEY, PUBLICATION_FIELDS, Artifact, Submission, Trial
from submissions.models.versions.data_version import Subject
from submissions.pricing.bill import bill_of
from submissions.pricing.terms import ReaderPricesForm
from submissions.records.api.nested import ArtifactSerializer, BillSerializer, TrialWithHistogramsSerializer
from submissions.records.api.reader_prices import PARAMETERS as YOUR_PRICE_PARAMETERS
from submissions.records.api.reader_prices import add_your_prices, prices_form
from submissions.records.api.serializers import (
    ListedSubmissionSerializer,
    SubmissionSerializer,
    full_json,
    opened,
    submission_json,
)
from submissions.records.downloads import response_of
from submissions.records.list.filters import DEFAULT_ORDERING, ORDERINGS, SubmissionFilter, last_under
from submissions.records.unpublished import for_its_readers, link_keys


class SubmissionList(CSVListView[Submission]):
    """The published submissions."""

    summary = "List the submissions"
    csv_name = "results"
    serializer_class = ListedSubmissionSerializer
    other_parameters = YOUR_PRICE_PARAMETERS
    filterset_class = SubmissionFilter
    orderings = ORDERINGS
    default_ordering = DEFAULT_ORDERING

    def last_of(self, request: Request) -> Last | None:
        return last_under(request.query_params.getlist("flag"))

    @extend_schema(parameters=openapi_parameters(ReaderPricesForm))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        form = prices_form(request)
        response = super().get(request, *args, **kwargs)
        if form is None or not isinstance(response, Response):
            return response  # a CSV has the stored prices
        found = response.data["results"]
        rows = Submission.objects.in_bulk([each["id"] for each in found])
        add_your_prices(found, list(rows.values()), form)
        return response

    def get_queryset(self) -> QuerySet[Submission]:
        return Submission.objects.published().select_related("workload").defer("document", "notes")


@api_from_data(*Subject, parameters=(*LimitForm.base_fields, *YOUR_PRICE_PARAMETERS))
class SubmissionDetail(BoundedBody, APIView):
    """Everything about one submission, retracted ones too; its owner may change what is no measurement."""

    permission_classes = (MaySubmit,)
    write_scope = "upload"
    max_body_bytes = MAX_DOCUMENT_BYTES

    @extend_schema(
        summary="Everything about one submission",
        description="For a load curve, `at_slo` is at the limit given by the parameters, else at its own.",
        parameters=[LINK_KEY_PARAMETER, *openapi_parameters(LimitForm), *openapi_parameters(ReaderPricesForm)],
        responses=SubmissionSerializer,
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        submission = opened(pk, request)
        limit, form = _limit(submission, request), prices_form(request)
        answer = full_json(submission, request, limit)
        if form is not None:
            add_your_prices([answer], [submission], form)
        return for_its_readers(json_response(request, answer), submission)

    @extend_schema(
        summary="Change your submission",
        description=(
            "`visibility`, `embargo_until` and `supersedes`; beside them facts that the document lacks, at their places"
            ' in it ({"jdk": {"version": "17"}}), for 24 hours after it was submitted. A submission that was public'
            " for more than 24 hours stays public. One that becomes unlisted gets a new secret link (`link`), and older"
            " links stop working."
            " Each change is recorded with its time and its author."
        ),
        request=AmendmentBody,
        responses=SubmissionSerializer,
    )
    def patch(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request, LINK_KEY)
        submission = opened(pk, request)
        user: Any = request.user  # MaySubmit: an account
        if submission.submitted_by_id != user.pk:
            raise PermissionDenied("only the account that submitted it may change it")
        if not isinstance(request.data, Mapping):
            raise Refusal.at("#", "must be a JSON object")
        return json_response(request, full_json(change(submission, request.data, by=user), request))


def _limit(submission: Submission, request: Request) -> LatencyLimit | None:
    """None where the request has none of its own. Raises ValidationError at each wrong parameter."""
    if not any(request.query_params.get(name) for name in LimitForm.base_fields):
        return None
    form = LimitForm(request.query_params)
    if not form.is_valid():
        raise ValidationError({name: [str(error) for error in errors] for name, errors in form.errors.items()})
    return form.limit(limit_of(submission.at_slo))


class OfSubmission:
    """A part of a submission that the caller may open; the answer is marked as private where the submission is."""

    other_parameters = (LINK_KEY,)

    @cached_property
    def submission(self) -> Submission:
        """Raises Http404."""
        view: Any = self
        keys = link_keys(view.request.query_params)
        rows = Submission.objects.by_link(view.request.user, keys).only(*PUBLICATION_FIELDS)
        return get_object_or_404(rows, pk=view.kwargs["pk"])

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[misc]
        return for_its_readers(finished, self.submission) if "submission" in vars(self) else finished


class SubmissionPart(OfSubmission, generics.ListAPIView[Any]):
    """Rows of one submission."""

    pagination_class = KeysetPagination
    lookup_url_kwarg = "pk"


@api_from_data(*Subject, parameters=PAGING)
@extend_schema(parameters=[LINK_KEY_PARAMETER])
class TrialList(SubmissionPart):
    """The repetitions of the load, with their histograms."""

    summary = "List the trials of a submission"
    queryset = Trial.objects.none()  # names the model for the schema
    serializer_class = TrialWithHistogramsSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"index": Ordering("index", descending=False)}
    default_ordering = "index"

    def get_queryset(self) -> QuerySet[Trial]:
        return Trial.objects.filter(submission=self.submission)


@api_from_data(*Subject, parameters=PAGING)
@extend_schema(parameters=[LINK_KEY_PARAMETER])
class ArtifactList(SubmissionPart):
    """The raw files that were submitted, and the files derived from them."""

    summary = "List the raw files of a submission"
    queryset = Artifact.objects.none()  # names the model for the schema
    serializer_class = ArtifactSerializer
    orderings: ClassVar[dict[str, Ordering]] = {"id": Ordering("id", descending=False)}
    default_ordering = "id"

    def get_queryset(self) -> QuerySet[Artifact]:
        return self.submission.artifacts.all()


@not_shared("a file is streamed")
def download(request: HttpRequest, pk: int, artifact: int) -> HttpResponseBase:
    """The bytes of a raw file of submission `pk`: always a download, never something that a browser would run."""
    if request.method not in ("GET", "HEAD"):
        return problems.method_not_allowed(request, ("GET", "HEAD"))
    request.user = _caller(request)
    rows = Submission.objects.by_link(request.user, link_keys(request.GET)).only(*PUBLICATION_FIELDS)
    submission = get_object_or_404(rows, pk=pk)
    return for_its_readers(
        response_of(get_object_or_404(Artifact, pk=artifact, submission=submission), request), submission
    )


def _caller(request: HttpRequest) -> User | AnonymousUser:
    """By token or session; who has neither, or a bad token, downloads what anybody may."""
    try:
        by_token = BearerAuthentication().authenticate(Request(request))
    except AuthenticationFailed:
        return AnonymousUser()
    return by_token[0] if by_token else request.user


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


@not_shared("a file is streamed")
class IntervalSeries(OfSubmission, StreamedFormats, APIView):
    """What the load tool printed while it ran, for each trial and client."""

    summary = "The interval series that the load tool printed"
    streamed = {"GET": (CSVRenderer,)}

    @extend_schema(parameters=[LINK_KEY_PARAMETER], responses={JSON: _INTERVALS, **CSV_TEXT})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request, LINK_KEY)
        artifact = self.submission.artifacts.filter(kind=ArtifactKind.INTERVALS, removed_at=None).first()
        if request.accepted_renderer.format != CSVRenderer.format:
            return _stored_json(request._request, artifact)
        columns, rows = read_rows(_stored_pieces(artifact))
        named = ([row.trial, row.client, *row.values] for row in rows)
        return csv_response(["trial", "client", *columns], named, f"intervals-{pk}")


def _stored_json(request: HttpRequest, artifact: Artifact | None) -> StreamingHttpResponse:
    """Compressed as it is stored, where the client takes it so: packing it again took half a second of a long one."""
    if artifact is None or not encoding_of(request, ("gzip",)):
        return StreamingHttpResponse(_stored_pieces(artifact), content_type="application/json")
    response = StreamingHttpResponse(intervals.pieces(_opened(artifact)), content_type="application/json")
    response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _stored_pieces(artifact: Artifact | None) -> Iterator[bytes]:
    """The series as JSON, never all of it in memory: a day of a chatty load tool is a million rows."""
    if artifact is None:
        return iter([to_json({"columns": intervals.COLUMNS, "trials": []})])
    return intervals.json_pieces(_opened(artifact))


def _opened(artifact: Artifact) -> IO[bytes]:
    try:
        return storage.open_stored(artifact.sha256)
    except FileNotFoundError as error:
        raise Http404 from error


@api_from_data(*Subject)
class TestBill(OfSubmission, APIView):
    """Line items, their sum and the day of their prices; no items and no total where there is no bill."""

    summary = "What the whole test cost"

    @extend_schema(parameters=[LINK_KEY_PARAMETER], responses=BillSerializer)
    def get(self, request: Request, pk: int) -> Response:
        known_parameters(request, LINK_KEY)
        stored = Submission.objects.values_list("bill", flat=True).get(pk=self.submission.pk)
        return Response(BillSerializer(bill_of(stored)).data)


class RetractionSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=500)


class Retraction(BoundedBody, APIView):
    """The owner removes a submission from the lists; its page stays and gives the reason."""

    summary = "Retract your submission"
    permission_classes = (MaySubmit,)
    write_scope = "upload"
    max_body_bytes = 64 * 1024

    @extend_schema(request=RetractionSerializer, responses=SubmissionSerializer)
    def post(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request, LINK_KEY)
        submission = get_object_or_404(Submission.objects.by_link(request.user, link_keys(request.query_params)), pk=pk)
        if submission.submitted_by_id != request.user.pk:
            raise PermissionDenied("only the account that submitted it may retract it")
        body = RetractionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        retract(submission, reason=body.validated_data["reason"])
        return json_response(request, submission_json(pk, request))
