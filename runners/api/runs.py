"""GET and POST /api/v1/runs/, estimates, one run, cancelling it, submitting its outputs again."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import KeysetPagination, Ordering
from benchsite.http.refusals import Refusal
from runners import creation, lifecycle
from runners.api.representations import RunRowSerializer, RunSerializer
from runners.creation import (
    MAY_NOT_CANCEL,
    MAY_NOT_START,
    MAY_NOT_SUBMIT_AGAIN,
    NOTHING_TO_SUBMIT,
    may_cancel,
    may_start,
)
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.plans.order import RunOrder
from runners.views.filters import RunFilter
from submissions.api.parameters import LINK_KEY_PARAMETER
from submissions.api.permissions import SAFE_METHODS, Scoped
from submissions.ingest.document.submission import Publication
from submissions.models import ApiToken
from submissions.records.unpublished import for_its_readers, link_keys


class MayRun(Scoped):
    """A session, or a token with the scope `run`: a token for submitting starts nothing."""

    scope = ApiToken.Scope.RUN


class MayStart(BasePermission):
    """The user's permission to start runs on this site."""

    message = MAY_NOT_START

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or may_start(request.user)


def content_of(request: Request) -> Mapping[str, Any]:
    """The body, which has to be an object. Raises Refusal."""
    if not isinstance(request.data, Mapping):
        raise Refusal.at("#", "must be a JSON object")
    return request.data


def user_of(request: Request) -> User:
    """Who asks, after the permissions have refused everybody else."""
    if not request.user.is_authenticated:  # the permissions have refused already
        raise NotAuthenticated
    return request.user


@not_shared("a run that may be going on")
class RunList(generics.ListAPIView[Run]):
    """All runs, newest first; POST starts a new one."""

    permission_classes = [MayRun, MayStart]
    write_scope = "upload"
    serializer_class = RunRowSerializer
    pagination_class = KeysetPagination
    orderings = {"-id": Ordering("id")}
    default_ordering = "-id"
    filterset_class = RunFilter

    def get_queryset(self) -> QuerySet[Run]:
        return Run.objects.visible_to(self.request.user).select_related("owner")

    @extend_schema(summary="List the runs")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Start a run",
        description=(
            "The plan's `max_usd` is the confirmation: a run whose worst-case cost exceeds it is refused. "
            "The whole plan is shown from then on to everyone who may see the run. "
            "`notify` is not part of the plan: when the run ends, an email is sent to your address, or a POST to an "
            "https:// URL with run, url, title, status, end_reason, ended_at, submission_url and total_usd. "
            "`visibility` and `embargo_until` are those of the result; the run itself is shown to the same people. "
            "An unlisted run is shown to you alone until it has a result, and then to those who have the result's link."
        ),
        request=RunOrder,
        responses={201: RunSerializer},
    )
    def post(self, request: Request) -> Response:
        plan = dict(content_of(request))
        notify = plan.pop("notify", None)
        publication = {name: plan.pop(name) for name in Publication.model_fields if name in plan}
        run = creation.create_and_confirm(plan, user_of(request), notify, publication)
        content = RunSerializer(run, context={"request": request}).data
        return Response(content, status=201, headers={"Location": content["url"]})


class RunEstimate(APIView):
    """The cost of a plan; nothing is stored or started."""

    write_scope = "upload"
    permission_classes = []

    @extend_schema(summary="Estimate a run", request=RunPlan, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        return Response(creation.estimate_of(creation.validated(content_of(request))).as_json())


@not_shared("a run that may be going on")
class RunDetail(APIView):
    """One run; its logs, machines and history are visible to its owner and the site operators only."""

    @extend_schema(summary="One run", parameters=[LINK_KEY_PARAMETER], responses=RunSerializer)
    def get(self, request: Request, pk: int) -> Response:
        runs = Run.objects.by_link(request.user, link_keys(request.query_params))
        runs = runs.select_related("owner", "submission")
        run = get_object_or_404(runs.prefetch_related("events", "nodes"), pk=pk)
        return for_its_readers(Response(RunSerializer(run, context={"request": request}).data), run)


class RunCancel(APIView):
    """Ends a run, whatever it is doing."""

    permission_classes = [MayRun]
    write_scope = "upload"

    @extend_schema(summary="Cancel a run", request=None, responses={202: RunSerializer})
    def post(self, request: Request, pk: int) -> Response:
        runs = Run.objects.by_link(request.user, link_keys(request.query_params)).select_related("owner")
        run = get_object_or_404(runs, pk=pk)
        if not may_cancel(run, request.user):
            raise PermissionDenied(MAY_NOT_CANCEL)
        lifecycle.request_cancel(run)
        run.refresh_from_db()
        return Response(RunSerializer(run, context={"request": request}).data, status=202)


class RunSubmitAgain(APIView):
    """Submits the kept outputs of an ended run that has no result."""

    permission_classes = [MayRun]
    write_scope = "upload"

    @extend_schema(
        summary="Submit the outputs of a run again",
        description=(
            "For a run that ended without a result although outputs of its trials are stored. A worker reads them "
            "again; the run becomes `submitting`, and then ends with a result or with the reason why there is none."
        ),
        request=None,
        responses={202: RunSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        runs = Run.objects.by_link(request.user, link_keys(request.query_params)).select_related("owner")
        run = get_object_or_404(runs, pk=pk)
        if not may_cancel(run, request.user):
            raise PermissionDenied(MAY_NOT_SUBMIT_AGAIN)
        if not lifecycle.submit_again(run):
            raise Refusal.at("#", NOTHING_TO_SUBMIT)
        return Response(RunSerializer(run, context={"request": request}).data, status=202)
