"""POST /api/v1/submissions/<id>/report/ and GET /api/v1/moderation/."""

from typing import ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.limits.client_address import client_address
from benchsite.http.pagination import KeysetPagination, Ordering
from submissions.api.bodies import BoundedBody
from submissions.api.parameters import LINK_KEY_PARAMETER, PAGING, api_from_data, known_parameters
from submissions.choices import ReportReason
from submissions.models import LINK_KEY, ModerationDecision, Submission
from submissions.models.versions.data_version import Subject
from submissions.moderation.answer import DecisionSerializer, ReportSerializer
from submissions.moderation.reports import TooManyReports, report
from submissions.records.unpublished import link_keys


class ReportSubmission(BoundedBody, APIView):
    """Report to the moderators what is wrong with a submission. No account is needed."""

    summary = "Report a submission"
    permission_classes = (AllowAny,)
    write_scope = "upload"
    max_body_bytes = 64 * 1024

    @extend_schema(parameters=[LINK_KEY_PARAMETER], request=ReportSerializer, responses={201: ReportSerializer})
    def post(self, request: Request, pk: int) -> Response:
        known_parameters(request, LINK_KEY)
        rows = Submission.objects.by_link(request.user, link_keys(request.query_params))
        submission = get_object_or_404(rows, pk=pk)
        body = ReportSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        reason, text = ReportReason(body.validated_data["reason"]), body.validated_data["text"]
        address = client_address(request._request)
        try:
            stored = report(submission, reason, text, reporter=request.user, address=address)
        except TooManyReports as error:
            raise Throttled(wait=error.wait, detail="too many reports from your address") from error
        return Response(ReportSerializer(stored).data, status=201)


@api_from_data(*Subject, parameters=PAGING)
class ModerationLog(generics.ListAPIView[ModerationDecision]):
    """What moderators decided and why, newest first, without names."""

    summary = "The log of moderation"
    queryset = ModerationDecision.objects.none()  # names the model for the schema
    serializer_class = DecisionSerializer
    pagination_class = KeysetPagination
    orderings: ClassVar[dict[str, Ordering]] = {"-id": Ordering("id")}
    default_ordering = "-id"

    def get_queryset(self) -> QuerySet[ModerationDecision]:
        return ModerationDecision.objects.public()
